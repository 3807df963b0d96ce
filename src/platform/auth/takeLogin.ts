import type { FinishLogin } from '../../bridge/ports.ts';
import { type AccountName, commandFor, LOGIN_HELP } from '../../language/accounts/loginHelp.ts';
import { CodedError } from '../../shared/errors.ts';
import type { Log } from '../../shared/log.ts';
import type { IdentityService, LoginStart } from './identityService.ts';
import type { TokenStore } from './tokenFile.ts';
import type { StoredTokens } from './tokens.ts';

/** How an attempt ended; `rejected` attempts changed nothing and cost nothing. `facts`: what its sentence names. */
export type Attempt = Awaited<ReturnType<FinishLogin>> & {
  readonly facts?: { readonly command?: string | undefined; readonly until?: string } | undefined;
};

export const rejected = (message: string): Attempt => ({ status: 'rejected', code: 'invalid', message });
export const forbidden = (message: string): Attempt => ({ status: 'rejected', code: 'forbidden', message });

export type LoginTaker = {
  readonly identity: Pick<IdentityService, 'exchange'>;
  readonly store: TokenStore;
  /** The login id of the account that the token belongs to. */
  readonly whoIs: (accessToken: string) => Promise<string | undefined>;
  /** How the login was made, for sentences: `over MQTT`. */
  readonly by: string;
  readonly account: AccountName;
  readonly log: Log;
};

/**
 * Ends a login from afar: only the account that was logged in before is accepted, or the first one. Gives the tokens that were stored with
 * `applied`. Throws what the platform throws.
 */
export const takeLogin = async (
  { identity, store, whoIs, by, account, log }: LoginTaker,
  start: LoginStart,
  returned: URLSearchParams,
): Promise<Attempt> => {
  const command = commandFor('login', account);
  const notTaken = (why: string): Attempt => ({ ...forbidden(`${why}. ${LOGIN_HELP.en.otherwise(command)}`), facts: { command } });
  // Tokens that cannot be read may belong to any account, so that there is nothing to compare the new login with.
  const before = heldIn(store);
  if (before === 'unknown' || (before && before.login_id === undefined)) {
    return notTaken(`it is not known who was logged in before, so nobody is taken ${by}`);
  }
  const given = await identity.exchange(start, returned);
  const loginId = await whoIs(given.access_token);
  if (loginId === undefined) return notTaken('the platform does not say who this is, so the login was not taken');
  if (before && before.login_id !== loginId) {
    log.warn({}, `somebody else logged in ${by} than before; the login was not taken`);
    return notTaken('this is somebody else than who was logged in before, so the login was not taken');
  }
  // A login on the command line may have been stored while the platform was asked.
  const isAsBefore = (held: StoredTokens | undefined): boolean => held === undefined || held.login_id === loginId;
  const kept = store.update((held) => (isAsBefore(held) ? { ...given, login_id: loginId } : held));
  if (kept?.access_token !== given.access_token) return notTaken('somebody else logged in meanwhile, so the login was not taken');
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

/** What a failed attempt says. */
export const wordsOf = (error: unknown): string =>
  error instanceof CodedError ? error.message : 'The login could not be ended, for a reason that is not known.';
