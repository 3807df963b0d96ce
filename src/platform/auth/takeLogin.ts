import type { FinishLogin } from '../../bridge/ports.ts';
import { type AccountName, commandFor, LOGIN_HELP } from '../../language/accounts/loginHelp.ts';
import { CodedError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { IdentityService, LoginStart } from './identityService.ts';
import type { TokenStore } from './tokenFile.ts';
import type { StoredTokens } from './tokens.ts';

/** The result of an attempt. `rejected` changed nothing, at no cost. `facts`: the values in its message. */
export type Attempt = Awaited<ReturnType<FinishLogin>> & {
  readonly facts?: { readonly command?: string | undefined; readonly until?: string } | undefined;
};

export const rejected = (message: string): Attempt => ({ status: 'rejected', code: 'invalid', message });
export const forbidden = (message: string): Attempt => ({ status: 'rejected', code: 'forbidden', message });

export type LoginTaker = {
  readonly identity: Pick<IdentityService, 'exchange'>;
  readonly store: TokenStore;
  /** The login id of the token's account. */
  readonly whoIs: (accessToken: string) => Promise<string | undefined>;
  /** How the login was made, for messages: `over MQTT`. */
  readonly by: string;
  readonly account: AccountName;
  readonly log: Log;
};

/**
 * Ends a remote login. It accepts only the previous account, or the first one. `applied` means that the
 * tokens are stored. Throws the errors of the platform.
 */
export const takeLogin = async (
  { identity, store, whoIs, by, account, log }: LoginTaker,
  start: LoginStart,
  returned: URLSearchParams,
): Promise<Attempt> => {
  const command = commandFor('login', account);
  const notTaken = (why: string): Attempt => ({ ...forbidden(`${why}. ${LOGIN_HELP.en.otherwise(command)}`), facts: { command } });
  // Unreadable tokens may belong to any account, so the new login cannot be compared with them.
  const before = heldIn(store);
  if (before === 'unknown' || (before && before.login_id === undefined)) {
    return notTaken(`the account of the previous login is not known, so no login ${by} is accepted`);
  }
  const given = await identity.exchange(start, returned);
  const loginId = await whoIs(given.access_token);
  if (loginId === undefined) return notTaken('the platform does not name the account, so the login was not accepted');
  if (before && before.login_id !== loginId) {
    log.warn({}, `a login ${by} with another account than before was not accepted`);
    return notTaken('this is not the account of the previous login, so the login was not accepted');
  }
  // The command line may have stored a login during the platform request.
  const isAsBefore = (held: StoredTokens | undefined): boolean => held === undefined || held.login_id === loginId;
  const kept = store.update((held) => (isAsBefore(held) ? { ...given, login_id: loginId } : held));
  if (kept?.access_token !== given.access_token) return notTaken('another login was completed first, so this login was not accepted');
  log.info({}, `logged in ${by}`);
  return { status: 'applied', message: 'logged in' };
};

const heldIn = (store: TokenStore): StoredTokens | 'unknown' | undefined => {
  try {
    return store.read();
  } catch {
    return 'unknown';
  }
};

/** The message for a failed attempt. */
export const wordsOf = (error: unknown): string =>
  error instanceof CodedError ? error.message : 'The login could not be completed; the reason is unknown.';
