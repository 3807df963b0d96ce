import type { Clock } from '../../shared/clock.ts';
import { oneAtATime } from '../../shared/serialQueue.ts';
import { PlatformError } from '../errors.ts';
import { type IdentityService, type IdentitySettings, identityService, type LoginStart } from './identityService.ts';
import { readLoginId } from './readLoginId.ts';
import { pastedQuery, returnedQuery } from './returnedQuery.ts';
import { type Attempt, forbidden, type LoginTaker, rejected, takeLogin, wordsOf } from './takeLogin.ts';
import { TokenFileError } from './tokenFile.ts';

/** A login that was begun counts for so long. */
const LOGIN_MS = 600_000;

type LoginSettings = IdentitySettings & { readonly base_url: string };

type PageLoginOptions = Pick<LoginTaker, 'store' | 'log'> & {
  readonly clock: Pick<Clock, 'now' | 'elapsedMs'>;
  /** Counts the call that finds out whose account it is. */
  readonly onCall: () => void;
};

type Pending = { readonly start: LoginStart; readonly settings: LoginSettings; readonly untilMs: number };

const NOTHING_BEGUN = 'no login waits here: it was used, or took longer than ten minutes. Begin again; a second login is quick.';
const NOT_THIS_LOGIN = 'this is not the end of the login that waits: paste the whole address, with its `code` and `state`.';

/**
 * A login that a person begins on the page: the browser comes back to the page itself, or the address that it came to is pasted. It stands on
 * `state` alone, which is random, counts once and for ten minutes; only the account that was logged in before is accepted, or the first.
 */
export class PageLogin {
  readonly #options: PageLoginOptions;
  readonly #inTurn = oneAtATime();
  #pending: Pending | undefined;
  #last: Attempt | undefined;

  constructor(options: PageLoginOptions) {
    this.#options = options;
  }

  /** How the last attempt ended, for a page that shows it in another tab; undefined since a login was begun. */
  get last(): Attempt | undefined {
    return this.#last;
  }

  /** The seconds for which the login that was begun still counts; undefined where none waits. */
  get secondsLeft(): number | undefined {
    const pending = this.#waiting();
    return pending && Math.ceil((pending.untilMs - this.#options.clock.elapsedMs()) / 1000);
  }

  /**
   * Begins a login, in place of one that waits, and gives the address of the login page. Throws PlatformError where the platform refuses the
   * client or the redirect address.
   */
  begin(settings: LoginSettings): Promise<{ readonly address: string; readonly seconds: number }> {
    return this.#inTurn(() =>
      this.#with(settings, async (identity) => {
        const start = await identity.begin();
        await identity.checkAddress(start);
        this.#pending = { start, settings, untilMs: this.#options.clock.elapsedMs() + LOGIN_MS };
        this.#last = undefined;
        return { address: start.address, seconds: LOGIN_MS / 1000 };
      }),
    );
  }

  /** Ends the login with the address that the browser was sent to, or with its query alone. Never rejects. */
  finish(address: string): Promise<Attempt> {
    return this.#inTurn(() => this.#attempt(pastedQuery(address)));
  }

  async #attempt(query: URLSearchParams | undefined): Promise<Attempt> {
    const pending = this.#waiting();
    if (!pending) return { ...forbidden(NOTHING_BEGUN), code: 'no_login' };
    const returned = query && returnedQuery(pending.start, query);
    if (!returned) return rejected(NOT_THIS_LOGIN);
    this.#pending = undefined;
    this.#last = await this.#take(pending, returned);
    return this.#last;
  }

  async #take({ start, settings }: Pending, returned: URLSearchParams): Promise<Attempt> {
    const whoIs = (token: string) => readLoginId(settings, token, this.#options.onCall);
    try {
      return await this.#with(settings, (identity) => takeLogin({ ...this.#options, identity, whoIs, by: 'on the page' }, start, returned));
    } catch (error) {
      const { errorType } = error instanceof PlatformError ? error : {};
      const code = error instanceof TokenFileError ? 'not_stored' : (errorType ?? 'login_failed');
      return { status: 'failed', code, message: wordsOf(error) };
    }
  }

  #waiting(): Pending | undefined {
    if (this.#pending && this.#options.clock.elapsedMs() >= this.#pending.untilMs) this.#pending = undefined;
    return this.#pending;
  }

  async #with<T>(settings: LoginSettings, work: (identity: IdentityService) => Promise<T>): Promise<T> {
    const identity = identityService(settings, this.#options.clock);
    try {
      return await work(identity);
    } finally {
      await identity.close();
    }
  }
}
