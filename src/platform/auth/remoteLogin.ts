import * as z from 'zod/mini';
import type { KeyedStore } from '../../bridge/ports.ts';
import { oneAtATime } from '../../shared/serialQueue.ts';
import type { IdentityService, LoginStart } from './identityService.ts';
import { pastedQuery, returnedQuery } from './returnedQuery.ts';
import { type Attempt, forbidden, type LoginTaker, rejected, takeLogin, wordsOf } from './takeLogin.ts';
import type { TokenKeeper } from './tokenKeeper.ts';

type RemoteLoginOptions = Omit<LoginTaker, 'by'> & {
  readonly identity: Pick<IdentityService, 'begin'>;
  /** Where a login that was begun is kept over restarts. It holds the PKCE secret, so only this user may read it. */
  readonly pending: KeyedStore;
  /** Client, addresses and scope: a login that was begun with others is not ended. */
  readonly client: string;
  readonly tokens: Pick<TokenKeeper, 'state' | 'takeUp'>;
};

const KEY = 'pending';
const MEMBER = z.string().check(z.minLength(1));
const PENDING = z.object({ client: MEMBER, address: MEMBER, state: MEMBER, code_verifier: MEMBER });

/**
 * A login over MQTT, for a machine without a shell (docs/topics.md): the bridge begins it, and the address that the browser was sent back to
 * ends it. Each `state` is valid for one attempt, and only the account that was logged in before is accepted.
 */
export class RemoteLogin {
  readonly #options: RemoteLoginOptions;
  #start: LoginStart | undefined;
  readonly #inTurn = oneAtATime();
  #changed: () => void = () => undefined;

  constructor(options: RemoteLoginOptions) {
    this.#options = options;
  }

  /** The address of the login page; only while a login is needed. */
  get address(): string | undefined {
    return this.#isNeeded() ? this.#start?.address : undefined;
  }

  /** `listener` is called when `address` has changed. */
  onChange(listener: () => void): void {
    this.#changed = listener;
  }

  /** The state of the tokens may have changed: begins a login where one is needed. Never rejects. */
  look(): Promise<void> {
    return this.#inTurn(() => this.#begin());
  }

  /** Ends the pending login with the address that the browser was sent back to. Never rejects. */
  finish(text: string): Promise<Attempt> {
    return this.#inTurn(async () => {
      const attempt = await this.#attempt(text);
      await this.#begin();
      return attempt;
    });
  }

  #isNeeded(): boolean {
    return this.#options.tokens.state().state === 'login_needed';
  }

  async #begin(): Promise<void> {
    if (this.#start || !this.#isNeeded()) return;
    const { identity, pending, client, log } = this.#options;
    this.#start = this.#pending();
    if (!this.#start) {
      this.#start = await identity.begin();
      // It also works from memory, until the next restart.
      if (!pending.write(KEY, { client, ...this.#start }))
        log.warn({}, 'the login that was begun could not be stored; it ends with this run');
    }
    this.#changed();
  }

  /** The login that an earlier run has begun. Undefined also where the disk cannot be read now: then another login is begun. */
  #pending(): LoginStart | undefined {
    try {
      const { data } = PENDING.safeParse(this.#options.pending.read().get(KEY));
      return data?.client === this.#options.client ? data : undefined;
    } catch {
      return undefined;
    }
  }

  async #attempt(text: string): Promise<Attempt> {
    const start = this.#start;
    if (!start || !this.#isNeeded()) return forbidden('no login is needed now, so none was begun; see bridge/auth');
    const query = pastedQuery(text);
    const returned = query && returnedQuery(start, query);
    if (!returned) {
      return rejected(
        'this is not the end of the login that waits: publish the whole address that the browser was sent to after login_url, with its `code` and `state`',
      );
    }
    this.#start = undefined;
    this.#options.pending.write(KEY, undefined);
    try {
      const { tokens } = this.#options;
      const attempt = await takeLogin({ ...this.#options, by: 'over MQTT' }, start, returned);
      tokens.takeUp();
      return attempt;
    } catch (error) {
      return { status: 'failed', code: 'login_failed', message: `${wordsOf(error)} A new login_url is in bridge/auth.` };
    }
  }
}
