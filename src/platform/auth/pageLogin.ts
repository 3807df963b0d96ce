import { limitFacts } from '../../bridge/ports.ts';
import type { Clock } from '../../shared/clock.ts';
import { oneAtATime } from '../../shared/serialQueue.ts';
import { PlatformError } from '../errors.ts';
import { type IdentityService, type IdentitySettings, identityService, type LoginStart } from './identityService.ts';
import { readLoginId } from './readLoginId.ts';
import { pastedQuery, returnedQuery } from './returnedQuery.ts';
import { type Attempt, forbidden, type LoginTaker, rejected, takeLogin, wordsOf } from './takeLogin.ts';
import { TokenFileError } from './tokenFile.ts';

/** A started login is valid for 10 minutes. */
const LOGIN_MS = 600_000;

type LoginSettings = IdentitySettings & { readonly base_url: string };

type PageLoginOptions = Pick<LoginTaker, 'store' | 'account' | 'log'> & {
  readonly clock: Pick<Clock, 'now' | 'elapsedMs'>;
  /** Counts the API call that reads the account's login id. */
  readonly onCall: () => void;
};

type Pending = { readonly start: LoginStart; readonly settings: LoginSettings; readonly untilMs: number };

const NOTHING_BEGUN = 'the login was already completed, or took longer than ten minutes. Start it again; a second login is quick.';
const NOT_THIS_LOGIN = 'this address does not belong to the current login: paste the whole address, with its `code` and `state`.';

/**
 * A login on the page: the browser returns to the page, or the user pastes the returned address. Its random
 * `state` secures it and is valid once, for ten minutes. It accepts only the previous account, or the first.
 */
export const pageLogin = (options: PageLoginOptions) => {
  const { clock } = options;
  const inTurn = oneAtATime();
  let begun: Pending | undefined;
  let last: Attempt | undefined;

  /**
   * Starts a login, replacing a pending one. Returns the URL of the login page. Throws PlatformError if the
   * platform refuses the client or the redirect URI.
   */
  const begin = (settings: LoginSettings): Promise<{ readonly address: string; readonly seconds: number }> =>
    inTurn(() =>
      withIdentity(settings, async (identity) => {
        const start = await identity.begin();
        await identity.checkAddress(start);
        begun = { start, settings, untilMs: clock.elapsedMs() + LOGIN_MS };
        last = undefined;
        return { address: start.address, seconds: LOGIN_MS / 1000 };
      }),
    );

  /**
   * Ends the login with the returned address or its query. Refuses a foreign answer at once, without a wait
   * for a slow `begin`: another account may need it, and its code lasts 20 s. Never rejects.
   */
  const finish = async (address: string): Promise<Attempt> => {
    const found = endOf(address);
    return 'status' in found ? found : inTurn(() => attempt(address));
  };

  const attempt = async (address: string): Promise<Attempt> => {
    const found = endOf(address);
    if ('status' in found) return found;
    begun = undefined;
    const ended = await take(found);
    last = ended;
    return ended;
  };

  /** The pending login with the platform's answer, or the reason why the address does not end it. */
  const endOf = (address: string): (Pending & { readonly returned: URLSearchParams }) | Attempt => {
    const pending = waiting();
    if (!pending) return { ...forbidden(NOTHING_BEGUN), code: 'no_login' };
    const returned = returnedQuery(pending.start, pastedQuery(address));
    return returned ? { ...pending, returned } : rejected(NOT_THIS_LOGIN);
  };

  const take = async ({ start, settings, returned }: Exclude<ReturnType<typeof endOf>, Attempt>): Promise<Attempt> => {
    const whoIs = (token: string) => readLoginId(settings, token, options.onCall);
    try {
      return await withIdentity(settings, (identity) => takeLogin({ ...options, identity, whoIs, by: 'on the page' }, start, returned));
    } catch (error) {
      const { errorType = 'login_failed', code: failure } = error instanceof PlatformError ? error : {};
      // An OAuth error code. Other codes (PACKAGE_NOT_PAID_FOR) have no text on the page: use the failure
      // code.
      const word = /^[a-z_]+$/.test(errorType) ? errorType : (failure ?? errorType);
      const code = error instanceof TokenFileError ? 'not_stored' : word;
      return { status: 'failed', code, message: wordsOf(error), facts: limitFacts(error) };
    }
  };

  const waiting = (): Pending | undefined => {
    if (begun && clock.elapsedMs() >= begun.untilMs) begun = undefined;
    return begun;
  };

  const withIdentity = async <T>(settings: LoginSettings, work: (identity: IdentityService) => Promise<T>): Promise<T> => {
    const identity = identityService(settings, clock);
    try {
      return await work(identity);
    } finally {
      await identity.close();
    }
  };

  return {
    ...{ begin, finish },
    /** The result of the last attempt, for a page in another tab. A new login resets it. */
    get last(): Attempt | undefined {
      return last;
    },
    /** The seconds until the pending login expires; undefined if none is pending. */
    get secondsLeft(): number | undefined {
      const pending = waiting();
      return pending && Math.ceil((pending.untilMs - clock.elapsedMs()) / 1000);
    },
  };
};

export type PageLogin = ReturnType<typeof pageLogin>;
