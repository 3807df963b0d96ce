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
  /** Its failure `login_needed` is final; every other failure may be retried. */
  readonly renewer: Pick<IdentityService, 'refresh'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Days after the login for which the platform accepts the refresh token. */
  readonly consentDays: number;
  readonly account?: AccountName;
  /** Called for a login that another program or the page stored. Its identity call has used quota. */
  readonly onLogin?: () => void;
  /** How long `close` waits for the answer to a renewal. */
  readonly lastAnswerMs?: number;
};

const LEAD_MS = 5 * 60_000;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 5 * 60_000;
/** How long `close` waits. A renewal takes some 100 ms; a process has a few seconds to exit. */
const LAST_ANSWER_MS = 3000;
const TROUBLES = { failing: 'the login cannot be renewed now; it is tried again', login_needed: 'a login is needed' } as const;
const GAVE_UP = 'The call was cancelled while it waited for a token.';

/** True if both come from the same login and the same renewal. */
const sameTokens = (a: StoredTokens, b: StoredTokens | undefined): boolean =>
  a.access_token === b?.access_token && a.refresh_token === b.refresh_token && a.consent_at === b.consent_at;

/**
 * The current tokens from the store, with their faults in `state()`. A renewal runs before expiry, once for
 * all waiting callers. Only a login also stores tokens, so unknown tokens there are newer, whatever the
 * clocks show: they are adopted, never overwritten.
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
  /** The last tokens read from or written to the store. A difference means that a login was stored. */
  let stored: StoredTokens | undefined;
  let leadMs = LEAD_MS;
  /** The access token that the platform refused before its expiry. */
  let refused: string | undefined;
  let renewal: Promise<string> | undefined;
  /** Why the last renewal failed, and the time of the next attempt (never if only a login helps). */
  let failure: { readonly error: PlatformError; readonly waitMs: number; readonly againAtMs: number } | undefined;
  /** The last attempt to store the tokens failed. */
  let isUnstored = false;
  /** The end of the consent in the last log entry. */
  let loggedConsentEnd: string | undefined;

  /** A token to send, at once if valid. PlatformError: `login_needed`, `identity_unavailable`, `aborted`. */
  const accessToken = async (signal?: AbortSignal): Promise<string> => {
    const tokens = usable();
    if (!tokens) return orAborted(renewOnce(), signal, GAVE_UP);
    const isDue = tokens.refresh_token !== undefined && tokens.expires_at - leadMs <= clock.now();
    // No caller waits for an early renewal; `state()` shows how it ends.
    if (isDue) renewOnce().catch(() => undefined);
    return tokens.access_token;
  };

  /** A token other than the refused `used`: a newer one, or one shared renewal. Throws as `accessToken`. */
  const renew = async (used: string, signal?: AbortSignal): Promise<string> => {
    const tokens = usable();
    if (tokens && tokens.access_token !== used) return tokens.access_token;
    refused = used;
    return orAborted(renewOnce(), signal, GAVE_UP);
  };

  /** Adopts a login stored since the last read or write of the store; true if there is one. */
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
   * Stores the tokens again if that failed, or if another program deleted or damaged them: the refresh token
   * exists nowhere else. Runs once a minute. Tokens that the platform refused for good stay deleted.
   */
  const ensureStored = (): void => {
    const tokens = inForce;
    if (!tokens || current.state === 'login_needed' || (!isUnstored && held())) return;
    const kept = keep(tokens);
    if (!sameTokens(kept, tokens)) use(kept);
  };

  /**
   * Ends the renewals and removes the listeners. It waits for a running renewal and stores unsaved tokens:
   * the platform may have replaced the refresh token, and the new one would be lost.
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
      // A file fault was reported at the start, or will be at the next write.
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
      // The failure of the old login says nothing about a newer login.
      if (inForce === before && !takeUp()) throw failed(error);
      return usable()?.access_token ?? renewNow();
    }
    // A login that was adopted during the renewal stays.
    if (inForce === before) adopt(before, given);
    return usable()?.access_token ?? given.access_token;
  };

  /** Uses the renewed tokens, unless a login was stored during the renewal. */
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
      ? 'The login has ended and cannot be renewed, because the platform gave no refresh token; to get one, add offline_access to platform.scope.'
      : 'heating2mqtt is not logged in.';
    return loginNeeded(why);
  };

  const failed = (cause: unknown): PlatformError => {
    if (cause instanceof PlatformError && cause.code === 'aborted') return cause;
    if (cause instanceof PlatformError && cause.code === 'login_needed') return loginNeeded(cause.message, cause);
    const sentence = `The token could not be renewed. ${messageOf(cause)} The bridge tries again; no new login is needed now.`;
    const error = new PlatformError('identity_unavailable', sentence, { arrived: 'no' }, { cause });
    const waitMs = failure ? Math.min(failure.waitMs * 2, LONGEST_RETRY_MS) : FIRST_RETRY_MS;
    failure = { error, waitMs, againAtMs: clock.elapsedMs() + waitMs };
    setState('failing', sentence);
    return error;
  };

  /** The failure that only a new login resolves. */
  const loginNeeded = (why: string, cause?: unknown): PlatformError => {
    const details = cause instanceof PlatformError ? cause : {};
    // If the file is unreadable, a new login could not be stored either.
    const sentence = codeOf(cause) === 'unreadable' ? why : `${why} ${logIn}; the bridge then uses the new login by itself.`;
    const error = new PlatformError('login_needed', sentence, { ...details, arrived: 'no' }, { cause });
    failure = { error, waitMs: 0, againAtMs: Number.POSITIVE_INFINITY };
    setState('login_needed', sentence);
    return error;
  };

  /** Stores the tokens, unless a login was stored. Returns the valid tokens; never throws. */
  const keep = (tokens: StoredTokens): StoredTokens => {
    const failedBefore = isUnstored;
    const put: TokenChange = (login) => {
      if (login && !sameTokens(login, stored)) return login;
      // The login id is read after the login was stored.
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

  /** Logs once, 30 days before, that the consent ends. */
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
