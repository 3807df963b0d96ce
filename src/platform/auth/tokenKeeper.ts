import { isDeepStrictEqual } from 'node:util';
import { type AccountName, commandFor, LOGIN_HELP } from '../../language/accounts/loginHelp.ts';
import { type Clock, within } from '../../shared/clock.ts';
import { codeOf, messageOf } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import { orAborted, PlatformError } from '../errors.ts';
import { type AuthState, consentEndsSoon, describeTokens, instant } from './authState.ts';
import type { IdentityService } from './identityService.ts';
import type { TokenChange, TokenStore } from './tokenFile.ts';
import type { GivenTokens, StoredTokens } from './tokens.ts';

type TokenKeeperOptions = {
  readonly store: TokenStore;
  /** Its failure `login_needed` is final, every other may be tried again. */
  readonly renewer: Pick<IdentityService, 'refresh'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Days for which the platform takes the refresh token after the login. */
  readonly consentDays: number;
  readonly account?: AccountName;
  /** A login that another program or the page has stored is taken up; it has cost a call that finds out whose account it is. */
  readonly onLogin?: () => void;
  /** How long the end waits for the answer to a renewal. */
  readonly lastAnswerMs?: number;
};

const LEAD_MS = 5 * 60_000;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** How long the end waits for the answer to a renewal: some hundred milliseconds are usual, and a process mostly has to end within some seconds. */
const LAST_ANSWER_MS = 3000;
const TROUBLES = { failing: 'the login cannot be renewed for now', login_needed: 'a login is needed' } as const;
const GAVE_UP = 'The call was given up while it waited for a token.';

/** Whether both are of one login and of one renewal. */
const sameTokens = (a: StoredTokens, b: StoredTokens | undefined): boolean =>
  a.access_token === b?.access_token && a.refresh_token === b.refresh_token && a.consent_at === b.consent_at;

/**
 * The tokens in force, read from the store; `state()` describes a fault of it. They are renewed before they end, once for all callers that wait, and stored. Only a login stores tokens as well, so
 * unknown tokens in the store are always newer, whatever the clocks show: they are taken over and never overwritten.
 */
export const tokenKeeper = ({
  store,
  renewer,
  clock,
  log,
  consentDays,
  account,
  onLogin,
  lastAnswerMs = LAST_ANSWER_MS,
}: TokenKeeperOptions) => {
  const logIn = `Log in ${LOGIN_HELP.en.where(commandFor('login', account))}`;
  const closing = new AbortController();
  const listeners: (() => void)[] = [];
  let current: AuthState = { state: 'ok', since: instant(clock.now()), message: '' };
  let inForce: StoredTokens | undefined;
  /** What the store held when it was last read or written. If it differs later, a login has been stored since. */
  let stored: StoredTokens | undefined;
  let leadMs = LEAD_MS;
  /** The access token that the platform has refused although it has not ended. */
  let refused: string | undefined;
  let renewal: Promise<string> | undefined;
  /** Why the last renewal failed, and when the next is tried: never, where only a new login helps. */
  let failure: { readonly error: PlatformError; readonly waitMs: number; readonly againAtMs: number } | undefined;
  /** The last attempt to store the tokens has failed. */
  let isUnstored = false;
  /** The end of the consent that was logged last. */
  let loggedConsentEnd: string | undefined;

  /** A token to send, at once where there is one; throws PlatformError `login_needed`, `identity_unavailable` or `aborted`. */
  const accessToken = async (signal?: AbortSignal): Promise<string> => {
    const tokens = usable();
    if (!tokens) return orAborted(renewOnce(), signal, GAVE_UP);
    const isDue = tokens.refresh_token !== undefined && tokens.expires_at - leadMs <= clock.now();
    // No caller waits for an early renewal; `state()` shows how it ends.
    if (isDue) renewOnce().catch(() => undefined);
    return tokens.access_token;
  };

  /** Another token than `used`, which the platform has refused: one renewal for all that wait, a newer one that is there already at once; throws as `accessToken`. */
  const renew = async (used: string, signal?: AbortSignal): Promise<string> => {
    const tokens = usable();
    if (tokens && tokens.access_token !== used) return tokens.access_token;
    refused = used;
    return orAborted(renewOnce(), signal, GAVE_UP);
  };

  /** Takes over a login that has been stored since the store was last read or written; true where there was one. */
  const takeUp = (): boolean => {
    const login = held();
    if (!login || sameTokens(login, stored)) return false;
    stored = login;
    isUnstored = false;
    leadMs = LEAD_MS;
    use(login);
    onLogin?.();
    return true;
  };

  /**
   * Stores the tokens anew where that has failed before, and where another program has deleted or damaged what was stored: the refresh token
   * is nowhere else. Called once a minute. Tokens that the platform has refused for good stay deleted.
   */
  const ensureStored = (): void => {
    const tokens = inForce;
    if (!tokens || current.state === 'login_needed' || (!isUnstored && held())) return;
    const kept = keep(tokens);
    if (!sameTokens(kept, tokens)) use(kept);
  };

  /**
   * Ends the renewals. The answer to one that is under way is waited for, and tokens that are not stored are stored: the platform may have
   * replaced the refresh token, and the new one would be lost. Listeners are not called any more.
   */
  const close = async (): Promise<void> => {
    listeners.length = 0;
    if (renewal) await within(clock, lastAnswerMs, renewal).catch(() => undefined);
    closing.abort();
    ensureStored();
  };

  const held = (): StoredTokens | undefined => {
    try {
      return store.read();
    } catch {
      // A fault of the file was reported at the start, or will be when it is written.
      return undefined;
    }
  };

  const usable = (): StoredTokens | undefined => {
    const tokens = inForce;
    const works = tokens && tokens.access_token !== refused && clock.now() < tokens.expires_at;
    return works ? tokens : undefined;
  };

  const renewOnce = (): Promise<string> => {
    renewal ??= renewNow().finally(() => {
      renewal = undefined;
    });
    return renewal;
  };

  const renewNow = async (): Promise<string> => {
    const login = takeUp() ? usable() : undefined;
    if (login) return login.access_token;
    if (failure && clock.elapsedMs() < failure.againAtMs) throw failure.error;
    const before = inForce;
    const refreshToken = before?.refresh_token;
    if (!before || refreshToken === undefined) throw cannotRenew();
    if (!usable() && !failure) setState('refreshing', 'The access token is being renewed.');
    let given: GivenTokens;
    try {
      given = await renewer.refresh(refreshToken, closing.signal);
    } catch (error) {
      // The failure of the old login says nothing about a login that was made meanwhile.
      if (inForce === before && !takeUp()) throw failed(error);
      return usable()?.access_token ?? renewNow();
    }
    // A login that was taken over meanwhile stays.
    if (inForce === before) adopt(before, given);
    return usable()?.access_token ?? given.access_token;
  };

  /** Uses the renewed tokens, unless a login has been stored meanwhile. */
  const adopt = (before: StoredTokens, given: GivenTokens): void => {
    const renewed = { ...before, ...given };
    const kept = keep(renewed);
    leadMs = sameTokens(kept, renewed) ? Math.min(LEAD_MS, (given.expires_at - clock.now()) / 2) : LEAD_MS;
    use(kept);
  };

  const use = (tokens: StoredTokens): void => {
    inForce = tokens;
    failure = undefined;
    if (refused !== tokens.access_token) refused = undefined;
    setState('ok');
  };

  const cannotRenew = (): PlatformError => {
    const why = inForce
      ? 'The login has ended and cannot be renewed, because the platform gave no refresh token; add offline_access to platform.scope for one.'
      : 'Nobody is logged in.';
    return loginNeeded(why);
  };

  const failed = (cause: unknown): PlatformError => {
    if (cause instanceof PlatformError && cause.code === 'aborted') return cause;
    if (cause instanceof PlatformError && cause.code === 'login_needed') return loginNeeded(cause.message, cause);
    const sentence = `The token could not be renewed. ${messageOf(cause)} It is tried again; no new login is needed for now.`;
    const error = new PlatformError('identity_unavailable', sentence, { arrived: 'no' }, { cause });
    const waitMs = failure ? Math.min(failure.waitMs * 2, LONGEST_RETRY_MS) : FIRST_RETRY_MS;
    failure = { error, waitMs, againAtMs: clock.elapsedMs() + waitMs };
    setState('failing', sentence);
    return error;
  };

  /** The failure that only a new login ends. */
  const loginNeeded = (why: string, cause?: unknown): PlatformError => {
    const details = cause instanceof PlatformError ? cause : {};
    // Where the file cannot be read, another login could not be stored either.
    const sentence = codeOf(cause) === 'unreadable' ? why : `${why} ${logIn}; the bridge takes the new login up by itself.`;
    const error = new PlatformError('login_needed', sentence, { ...details, arrived: 'no' }, { cause });
    failure = { error, waitMs: 0, againAtMs: Number.POSITIVE_INFINITY };
    setState('login_needed', sentence);
    return error;
  };

  /** Stores the tokens, unless a login has been stored meanwhile. Gives the tokens that count then; never throws. */
  const keep = (tokens: StoredTokens): StoredTokens => {
    const failedBefore = isUnstored;
    const put: TokenChange = (login) => {
      if (login && !sameTokens(login, stored)) return login;
      // The login id is found out after the login has been stored.
      return { ...(login?.login_id ? { login_id: login.login_id } : {}), ...tokens };
    };
    try {
      const kept = store.update(put) ?? tokens;
      stored = kept;
      isUnstored = false;
      if (failedBefore) log.info({}, 'tokens stored again');
      return kept;
    } catch (error) {
      if (!failedBefore) log.warn({ problem: messageOf(error) }, 'tokens not stored, they are kept in memory');
      isUnstored = true;
      return tokens;
    }
  };

  /** Logs once, thirty days before, that the consent ends. */
  const logConsentEnd = (next: AuthState, now: number): void => {
    const { consent_expires_at: end, state, message: problem } = next;
    if (state !== 'ok' || end === undefined || end === loggedConsentEnd || !consentEndsSoon(next, now)) return;
    loggedConsentEnd = end;
    log.warn({ consent_expires_at: end, problem }, 'the consent ends soon');
  };

  const setState = (state: AuthState['state'], message?: string): void => {
    const before = current;
    const now = clock.now();
    const since = before.state === state ? before.since : instant(now);
    const described = describeTokens(inForce, now, consentDays, logIn);
    const next: AuthState = { state, since, ...described, message: message || described.message };
    logConsentEnd(next, now);
    if (isDeepStrictEqual({ ...before, since }, next)) return;
    current = next;
    if (state !== before.state && (state === 'failing' || state === 'login_needed')) log.warn({ problem: next.message }, TROUBLES[state]);
    if (before.state === 'failing' && state === 'ok') log.info({ state }, 'login works again');
    for (const listener of listeners) listener();
  };

  try {
    inForce = store.read();
    stored = inForce;
    if (usable() || inForce?.refresh_token !== undefined) setState('ok');
    else cannotRenew();
  } catch (error) {
    loginNeeded(messageOf(error), error);
  }

  return {
    ...{ accessToken, renew, takeUp, ensureStored, close },
    /** For `bridge/auth`. */
    state: (): AuthState => current,
    /** Calls the listener at each change of `state()`. */
    onChange: (listener: () => void): void => void listeners.push(listener),
  };
};

export type TokenKeeper = ReturnType<typeof tokenKeeper>;
