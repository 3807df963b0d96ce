import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Tokens } from '../client.ts';
import { PlatformError } from '../errors.ts';
import { type AuthState, consentEndsSoon, tellsSame, tokensTell } from './authState.ts';
import type { GivenTokens, StoredTokens } from './tokens.ts';
import { waitFor } from './waitFor.ts';

/** Where tokens outlive the process (tokenFile.ts). */
export interface TokenStore {
  read(): Promise<StoredTokens | undefined>;
  write(tokens: StoredTokens): Promise<void>;
}

/** Who gives new tokens for a refresh token (IdentityService): `login_needed` is final, every other failure may be tried again. */
export interface Renewer {
  refresh(refreshToken: string, signal?: AbortSignal): Promise<GivenTokens>;
}

export type TokenKeeperOptions = {
  readonly store: TokenStore;
  readonly renewer: Renewer;
  readonly clock: Clock;
  readonly log: Log;
  /** Days from the login to the end of the refresh token. */
  readonly consentDays?: number;
};

const LEAD_MS = 5 * 60_000;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 5 * 60_000;
const STORE_AGAIN_MS = 60_000;
const LOGIN_AGAIN = 'Run `heating2mqtt login`; the bridge takes the new login up by itself.';

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const loginNeeded = (sentence: string, cause?: unknown): PlatformError =>
  new PlatformError('login_needed', sentence, { arrived: 'no' }, { cause });

/** The tokens in force: renewed before they end, once for all who wait, and kept on disk. A login left there by another process is taken up. */
export class TokenKeeper implements Tokens {
  readonly #options: TokenKeeperOptions;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<(state: AuthState) => void>();
  #state: AuthState;
  #loading: Promise<void> | undefined;
  #tokens: StoredTokens | undefined;
  #leadMs = LEAD_MS;
  /** The access token that the platform has refused although it has not ended. */
  #refused: string | undefined;
  #renewal: Promise<string> | undefined;
  /** What only a person can mend. */
  #final: PlatformError | undefined;
  #failure: { readonly error: PlatformError; readonly waitMs: number; readonly againAtMs: number } | undefined;
  #storeAgainAtMs: number | undefined;
  /** The end of the consent that was told in the log. */
  #toldEnd: number | undefined;

  constructor(options: TokenKeeperOptions) {
    this.#options = options;
    this.#state = { state: 'refreshing', since: options.clock.now(), message: 'The stored tokens are being read.' };
  }

  /** How things stand, for `bridge/auth`. */
  state(): AuthState {
    return this.#state;
  }

  /** Calls the listener at each change of what `state()` tells; returns what takes it away. */
  onChange(listener: (state: AuthState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reads what is stored, once; never rejects: what is wrong with the file is in `state()`. */
  load(): Promise<void> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** A token to send, at once where there is one; throws PlatformError `login_needed`, `identity_unavailable` or `aborted`. */
  async accessToken(signal?: AbortSignal): Promise<string> {
    await this.load();
    if (this.#storeAgainAtMs !== undefined) await this.#storeAgain(this.#storeAgainAtMs);
    const tokens = this.#usable();
    if (!tokens) return waitFor(this.#renewOnce(), signal);
    const isDue = tokens.refresh_token !== undefined && tokens.expires_at - this.#leadMs <= this.#options.clock.now();
    // Nobody waits for a renewal that is merely early; how it ends is told by the state.
    if (isDue) this.#renewOnce().catch(() => undefined);
    return tokens.access_token;
  }

  /** Another token than `used`, which the platform has refused; throws as `accessToken`. */
  async renew(used: string, signal?: AbortSignal): Promise<string> {
    await this.load();
    const tokens = this.#usable();
    if (tokens && tokens.access_token !== used) return tokens.access_token;
    this.#refused = used;
    return waitFor(this.#renewOnce(), signal);
  }

  /** Takes up a login that somebody has left in the store. */
  async takeUp(): Promise<void> {
    await this.load();
    await this.#takeUp();
  }

  /** Gives up a renewal that is under way, and stores once more what could not be stored: a rotated token would be lost. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#tokens && this.#storeAgainAtMs !== undefined) await this.#store(this.#tokens);
  }

  async #load(): Promise<void> {
    try {
      this.#tokens = await this.#options.store.read();
    } catch (error) {
      this.#final = loginNeeded(wordsOf(error), error);
    }
    if (this.#final) this.#tell('login_needed', this.#final.message);
    else if (this.#usable() || this.#tokens?.refresh_token !== undefined) this.#tell('ok');
    else this.#cannotRenew();
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
    const tokens = (await this.#takeUp()) ? this.#usable() : undefined;
    if (tokens) return tokens.access_token;
    if (this.#final) throw this.#final;
    if (this.#failure && this.#options.clock.elapsedMs() < this.#failure.againAtMs) throw this.#failure.error;
    const refreshToken = this.#tokens?.refresh_token;
    if (!this.#tokens || refreshToken === undefined) throw this.#cannotRenew();
    if (!this.#usable() && !this.#failure) this.#tell('refreshing', 'The access token is being renewed.');
    return this.#adopt(this.#tokens, await this.#ask(refreshToken));
  }

  async #ask(refreshToken: string): Promise<GivenTokens> {
    try {
      return await this.#options.renewer.refresh(refreshToken, this.#closing.signal);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async #adopt(before: StoredTokens, given: GivenTokens): Promise<string> {
    const renewed: StoredTokens = {
      ...before,
      access_token: given.accessToken,
      expires_at: given.expiresAt,
      scope: given.scope ?? before.scope,
      ...(given.refreshToken === undefined ? {} : { refresh_token: given.refreshToken }),
    };
    // A person may have logged in meanwhile: that login is the newer consent and must not be written over.
    if (await this.#takeUp()) return this.#tokens?.access_token ?? given.accessToken;
    await this.#store(renewed);
    this.#leadMs = Math.min(LEAD_MS, given.lifetimeMs / 2);
    this.#use(renewed);
    return renewed.access_token;
  }

  #use(tokens: StoredTokens): void {
    this.#tokens = tokens;
    this.#final = undefined;
    this.#failure = undefined;
    if (this.#refused !== tokens.access_token) this.#refused = undefined;
    this.#tell('ok');
  }

  /** True where the store holds newer tokens than we do: another process has logged in or renewed. */
  async #takeUp(): Promise<boolean> {
    // What is wrong with the file was told when it was loaded, or is told when it is written.
    const stored = await this.#options.store.read().catch(() => undefined);
    const own = this.#tokens;
    if (!stored || stored.access_token === own?.access_token) return false;
    const isOlder = own !== undefined && stored.consent_at <= own.consent_at && stored.expires_at <= own.expires_at;
    // Ours are of no use any more and were stored: what differs was written since, whatever the clock showed then.
    const isSince = this.#final !== undefined && this.#storeAgainAtMs === undefined;
    if (isOlder && !isSince) return false;
    this.#leadMs = LEAD_MS;
    this.#use(stored);
    return true;
  }

  #cannotRenew(): PlatformError {
    const why = this.#tokens
      ? 'The login has ended and cannot be renewed, because the platform gave no refresh token; add offline_access to platform.scope for one.'
      : 'Nobody is logged in.';
    this.#tell('login_needed', `${why} ${LOGIN_AGAIN}`);
    return loginNeeded(`${why} ${LOGIN_AGAIN}`);
  }

  #failed(cause: unknown): PlatformError {
    if (cause instanceof PlatformError && cause.code === 'aborted') return cause;
    if (cause instanceof PlatformError && cause.code === 'login_needed') {
      this.#final = new PlatformError('login_needed', cause.message, { ...cause, arrived: 'no' }, { cause });
      this.#tell('login_needed', cause.message);
      return this.#final;
    }
    const sentence = `The token could not be renewed. ${wordsOf(cause)} It is tried again; no new login is needed for now.`;
    const error = new PlatformError('identity_unavailable', sentence, { arrived: 'no' }, { cause });
    const waitMs = this.#failure ? Math.min(this.#failure.waitMs * 2, LONGEST_RETRY_MS) : FIRST_RETRY_MS;
    this.#failure = { error, waitMs, againAtMs: this.#options.clock.elapsedMs() + waitMs };
    this.#tell('failing', sentence);
    return error;
  }

  async #store(tokens: StoredTokens): Promise<void> {
    const { store, log, clock } = this.#options;
    const failedBefore = this.#storeAgainAtMs !== undefined;
    try {
      await store.write(tokens);
      this.#storeAgainAtMs = undefined;
      if (failedBefore) log.info({}, 'tokens stored again');
    } catch (error) {
      if (!failedBefore) log.warn({ problem: wordsOf(error) }, 'tokens not stored, they are kept in memory');
      this.#storeAgainAtMs = clock.elapsedMs() + STORE_AGAIN_MS;
    }
  }

  async #storeAgain(atMs: number): Promise<void> {
    if (this.#tokens && !this.#renewal && this.#options.clock.elapsedMs() >= atMs) await this.#store(this.#tokens);
  }

  /** Thirty days before the consent ends the log says so, once. */
  #sayEnd(next: AuthState, now: number): void {
    const { consent_expires_at: end, state, message: problem } = next;
    if (state !== 'ok' || end === undefined || end === this.#toldEnd || !consentEndsSoon(next, now)) return;
    this.#toldEnd = end;
    this.#options.log.warn({ consent_expires_at: new Date(end).toISOString(), problem }, 'the consent ends soon');
  }

  #tell(state: AuthState['state'], message?: string): void {
    const { clock, log } = this.#options;
    const before = this.#state;
    const now = clock.now();
    const since = before.state === state ? before.since : now;
    const next: AuthState = { ...tokensTell(this.#tokens, now, this.#options.consentDays), ...(message && { message }), state, since };
    this.#sayEnd(next, now);
    if (tellsSame(before, next)) return;
    this.#state = next;
    if (state !== before.state && (state === 'failing' || state === 'login_needed')) log.warn({ state, problem: next.message }, 'login');
    if (before.state === 'failing' && state === 'ok') log.info({ state }, 'login works again');
    for (const listener of this.#listeners) listener(next);
  }
}
