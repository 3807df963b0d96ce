import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../shared/clock.ts';
import { messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { Tokens } from '../client.ts';
import { orAborted, PlatformError } from '../errors.ts';
import { type AuthState, consentEndsSoon, describeTokens, LOG_IN } from './authState.ts';
import type { TokenChange } from './tokenFile.ts';
import type { GivenTokens, StoredTokens } from './tokens.ts';

/** Where tokens are kept (tokenFile.ts). */
export interface TokenStore {
  read(): StoredTokens | undefined;
  /** Puts what `change` gives in the place of what is held, while no other process changes it; gives what is held then. */
  update(change: TokenChange): StoredTokens | undefined;
}

/** Gives new tokens for a refresh token (IdentityService). Its failure `login_needed` is final, every other may be tried again. */
export interface Renewer {
  refresh(refreshToken: string, signal?: AbortSignal): Promise<GivenTokens>;
}

export type TokenKeeperOptions = {
  readonly store: TokenStore;
  readonly renewer: Renewer;
  readonly clock: Clock;
  readonly log: Log;
  /** Days for which the platform takes the refresh token after the login. */
  readonly consentDays: number;
  /** A login that another program or the page has stored is taken up; it has cost a call that finds out whose account it is. */
  readonly onLogin?: () => void;
};

const LEAD_MS = 5 * 60_000;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** How long the end waits for the answer to a renewal: some hundred milliseconds are usual, and the process has to end within some seconds. */
const LAST_ANSWER_MS = 3000;
const TROUBLES = { failing: 'the login cannot be renewed for now', login_needed: 'a login is needed' } as const;
const GAVE_UP = 'The call was given up while it waited for a token.';
const LOGIN_AGAIN = `${LOG_IN}; the bridge takes the new login up by itself.`;

/** Whether both are of one login and of one renewal. */
const sameTokens = (a: StoredTokens, b: StoredTokens | undefined): boolean =>
  a.access_token === b?.access_token && a.refresh_token === b.refresh_token && a.consent_at === b.consent_at;

/**
 * The tokens in force. They are renewed before they end, once for all callers that wait, and stored. Only a login stores tokens as well, so
 * unknown tokens in the store are always newer, whatever the clocks show: they are taken over and never overwritten.
 */
export class TokenKeeper implements Tokens {
  readonly #options: TokenKeeperOptions;
  readonly #closing = new AbortController();
  readonly #listeners: (() => void)[] = [];
  #state: AuthState;
  #tokens: StoredTokens | undefined;
  /** What the store held when it was last read or written. If it differs later, a login has been stored since. */
  #stored: StoredTokens | undefined;
  #leadMs = LEAD_MS;
  /** The access token that the platform has refused although it has not ended. */
  #refused: string | undefined;
  #renewal: Promise<string> | undefined;
  /** Why the last renewal failed, and when the next is tried: never, where only a new login helps. */
  #failure: { readonly error: PlatformError; readonly waitMs: number; readonly againAtMs: number } | undefined;
  /** The last attempt to store the tokens has failed. */
  #isUnstored = false;
  /** The end of the consent that was logged last. */
  #loggedConsentEnd: number | undefined;

  /** Reads the store; `state()` describes a fault of it. */
  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#state = { state: 'ok', since: options.clock.now(), message: '' };
    try {
      this.#tokens = options.store.read();
      this.#stored = this.#tokens;
    } catch (error) {
      this.#loginNeeded(messageOf(error), error);
      return;
    }
    if (this.#usable() || this.#tokens?.refresh_token !== undefined) this.#setState('ok');
    else this.#cannotRenew();
  }

  /** For `bridge/auth`. */
  state(): AuthState {
    return this.#state;
  }

  /** Calls the listener at each change of `state()`. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** A token to send, at once where there is one; throws PlatformError `login_needed`, `identity_unavailable` or `aborted`. */
  async accessToken(signal?: AbortSignal): Promise<string> {
    const tokens = this.#usable();
    if (!tokens) return orAborted(this.#renewOnce(), signal, GAVE_UP);
    const isDue = tokens.refresh_token !== undefined && tokens.expires_at - this.#leadMs <= this.#options.clock.now();
    // No caller waits for an early renewal; `state()` shows how it ends.
    if (isDue) this.#renewOnce().catch(() => undefined);
    return tokens.access_token;
  }

  /** Another token than `used`, which the platform has refused; throws as `accessToken`. */
  async renew(used: string, signal?: AbortSignal): Promise<string> {
    const tokens = this.#usable();
    if (tokens && tokens.access_token !== used) return tokens.access_token;
    this.#refused = used;
    return orAborted(this.#renewOnce(), signal, GAVE_UP);
  }

  /** Takes over a login that has been stored since the store was last read or written; true where there was one. */
  takeUp(): boolean {
    const held = this.#held();
    if (!held || sameTokens(held, this.#stored)) return false;
    this.#stored = held;
    this.#isUnstored = false;
    this.#leadMs = LEAD_MS;
    this.#use(held);
    this.#options.onLogin?.();
    return true;
  }

  /**
   * Stores the tokens anew where that has failed before, and where another program has deleted or damaged what was stored: the refresh token
   * is nowhere else. Called once a minute. Tokens that the platform has refused for good stay deleted.
   */
  ensureStored(): void {
    const tokens = this.#tokens;
    if (!tokens || this.#state.state === 'login_needed' || (!this.#isUnstored && this.#held())) return;
    const kept = this.#store(tokens);
    if (!sameTokens(kept, tokens)) this.#use(kept);
  }

  /**
   * Ends the renewals. The answer to one that is under way is waited for, and tokens that are not stored are stored: the platform may have
   * replaced the refresh token, and the new one would be lost. Listeners are not called any more.
   */
  async close(): Promise<void> {
    this.#listeners.length = 0;
    if (this.#renewal) {
      const tooLong = this.#options.clock.sleep(LAST_ANSWER_MS, this.#closing.signal);
      await Promise.race([this.#renewal, tooLong]).catch(() => undefined);
    }
    this.#closing.abort();
    this.ensureStored();
  }

  #held(): StoredTokens | undefined {
    try {
      return this.#options.store.read();
    } catch {
      // A fault of the file was reported at the start, or will be when it is written.
      return undefined;
    }
  }

  #usable(): StoredTokens | undefined {
    const tokens = this.#tokens;
    const works = tokens && tokens.access_token !== this.#refused && this.#options.clock.now() < tokens.expires_at;
    return works ? tokens : undefined;
  }

  #renewOnce(): Promise<string> {
    this.#renewal ??= this.#renewNow().finally(() => {
      this.#renewal = undefined;
    });
    return this.#renewal;
  }

  async #renewNow(): Promise<string> {
    const login = this.takeUp() ? this.#usable() : undefined;
    if (login) return login.access_token;
    if (this.#failure && this.#options.clock.elapsedMs() < this.#failure.againAtMs) throw this.#failure.error;
    const before = this.#tokens;
    const refreshToken = before?.refresh_token;
    if (!before || refreshToken === undefined) throw this.#cannotRenew();
    if (!this.#usable() && !this.#failure) this.#setState('refreshing', 'The access token is being renewed.');
    let given: GivenTokens;
    try {
      given = await this.#options.renewer.refresh(refreshToken, this.#closing.signal);
    } catch (error) {
      // The failure of the old login says nothing about a login that was made meanwhile.
      if (this.#tokens === before && !this.takeUp()) throw this.#failed(error);
      return this.#usable()?.access_token ?? this.#renewNow();
    }
    // A login that was taken over meanwhile stays.
    if (this.#tokens === before) this.#adopt(before, given);
    return this.#usable()?.access_token ?? given.access_token;
  }

  /** Uses the renewed tokens, unless a login has been stored meanwhile. */
  #adopt(before: StoredTokens, given: GivenTokens): void {
    const renewed = { ...before, ...given };
    const kept = this.#store(renewed);
    this.#leadMs = sameTokens(kept, renewed) ? Math.min(LEAD_MS, (given.expires_at - this.#options.clock.now()) / 2) : LEAD_MS;
    this.#use(kept);
  }

  #use(tokens: StoredTokens): void {
    this.#tokens = tokens;
    this.#failure = undefined;
    if (this.#refused !== tokens.access_token) this.#refused = undefined;
    this.#setState('ok');
  }

  #cannotRenew(): PlatformError {
    const why = this.#tokens
      ? 'The login has ended and cannot be renewed, because the platform gave no refresh token; add offline_access to platform.scope for one.'
      : 'Nobody is logged in.';
    return this.#loginNeeded(`${why} ${LOGIN_AGAIN}`);
  }

  #failed(cause: unknown): PlatformError {
    if (cause instanceof PlatformError && cause.code === 'aborted') return cause;
    if (cause instanceof PlatformError && cause.code === 'login_needed') return this.#loginNeeded(cause.message, cause);
    const sentence = `The token could not be renewed. ${messageOf(cause)} It is tried again; no new login is needed for now.`;
    const error = new PlatformError('identity_unavailable', sentence, { arrived: 'no' }, { cause });
    const waitMs = this.#failure ? Math.min(this.#failure.waitMs * 2, LONGEST_RETRY_MS) : FIRST_RETRY_MS;
    this.#failure = { error, waitMs, againAtMs: this.#options.clock.elapsedMs() + waitMs };
    this.#setState('failing', sentence);
    return error;
  }

  /** The failure that only a new login ends. */
  #loginNeeded(sentence: string, cause?: unknown): PlatformError {
    const details = cause instanceof PlatformError ? cause : {};
    const error = new PlatformError('login_needed', sentence, { ...details, arrived: 'no' }, { cause });
    this.#failure = { error, waitMs: 0, againAtMs: Number.POSITIVE_INFINITY };
    this.#setState('login_needed', sentence);
    return error;
  }

  /** Stores the tokens, unless a login has been stored meanwhile. Gives the tokens that count then; never throws. */
  #store(tokens: StoredTokens): StoredTokens {
    const { store, log } = this.#options;
    const failedBefore = this.#isUnstored;
    const put: TokenChange = (held) => {
      if (held && !sameTokens(held, this.#stored)) return held;
      // The login id is found out after the login has been stored.
      return { ...(held?.login_id ? { login_id: held.login_id } : {}), ...tokens };
    };
    try {
      const kept = store.update(put) ?? tokens;
      this.#stored = kept;
      this.#isUnstored = false;
      if (failedBefore) log.info({}, 'tokens stored again');
      return kept;
    } catch (error) {
      if (!failedBefore) log.warn({ problem: messageOf(error) }, 'tokens not stored, they are kept in memory');
      this.#isUnstored = true;
      return tokens;
    }
  }

  /** Logs once, thirty days before, that the consent ends. */
  #logConsentEnd(next: AuthState, now: number): void {
    const { consent_expires_at: end, state, message: problem } = next;
    if (state !== 'ok' || end === undefined || end === this.#loggedConsentEnd || !consentEndsSoon(next, now)) return;
    this.#loggedConsentEnd = end;
    this.#options.log.warn({ consent_expires_at: new Date(end).toISOString(), problem }, 'the consent ends soon');
  }

  #setState(state: AuthState['state'], message?: string): void {
    const { clock, log } = this.#options;
    const before = this.#state;
    const now = clock.now();
    const since = before.state === state ? before.since : now;
    const next: AuthState = { ...describeTokens(this.#tokens, now, this.#options.consentDays), ...(message && { message }), state, since };
    this.#logConsentEnd(next, now);
    if (isDeepStrictEqual({ ...before, since }, next)) return;
    this.#state = next;
    if (state !== before.state && (state === 'failing' || state === 'login_needed')) log.warn({ problem: next.message }, TROUBLES[state]);
    if (before.state === 'failing' && state === 'ok') log.info({ state }, 'login works again');
    for (const listener of this.#listeners) listener();
  }
}
