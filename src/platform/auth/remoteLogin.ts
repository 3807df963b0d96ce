import * as z from 'zod/mini';
import type { KeyedStore } from '../../bridge/ports.ts';
import { oneAtATime } from '../../shared/serialQueue.ts';
import type { IdentityService, LoginStart } from './identityService.ts';
import { pastedQuery, returnedQuery } from './returnedQuery.ts';
import { type Attempt, forbidden, type LoginTaker, rejected, takeLogin, wordsOf } from './takeLogin.ts';
import type { TokenKeeper } from './tokenKeeper.ts';

type RemoteLoginOptions = Omit<LoginTaker, 'by'> & {
  readonly identity: Pick<IdentityService, 'begin'>;
  /** Keeps a started login over restarts. It contains the PKCE secret: only this user may read it. */
  readonly pending: KeyedStore;
  /** Client, addresses and scope. A login that was started with other values is not finished. */
  readonly client: string;
  readonly tokens: Pick<TokenKeeper, 'state' | 'takeUp'>;
};

const KEY = 'pending';
const MEMBER = z.string().check(z.minLength(1));
const PENDING = z.object({ client: MEMBER, address: MEMBER, state: MEMBER, code_verifier: MEMBER });

/**
 * A login over MQTT, for a machine without a shell (docs/topics.md): the bridge starts it, and the returned
 * address ends it. Each `state` is valid for one attempt. Only the previous account is accepted.
 */
export const remoteLogin = (options: RemoteLoginOptions) => {
  const { identity, pending, client, tokens, log } = options;
  const inTurn = oneAtATime();
  let start: LoginStart | undefined;
  let changed: () => void = () => undefined;

  const isNeeded = (): boolean => tokens.state().state === 'login_needed';

  const begin = async (): Promise<void> => {
    if (start || !isNeeded()) return;
    start = begunBefore();
    if (!start) {
      start = await identity.begin();
      // The login also works from memory, until the next restart.
      if (!pending.write(KEY, { client, ...start })) log.warn({}, 'the pending login could not be stored; it is lost at a restart');
    }
    changed();
  };

  /** The pending login of an earlier run; undefined also if the disk is unreadable (a new login starts). */
  const begunBefore = (): LoginStart | undefined => {
    try {
      const { data } = PENDING.safeParse(pending.read().get(KEY));
      return data?.client === client ? data : undefined;
    } catch {
      return undefined;
    }
  };

  const attempt = async (text: string): Promise<Attempt> => {
    const begun = start;
    if (!begun || !isNeeded()) return forbidden('no login is needed now; see bridge/auth');
    const returned = returnedQuery(begun, pastedQuery(text));
    if (!returned) {
      return rejected(
        'this address does not belong to the current login: open login_url, and publish the whole address that the browser shows at the end, with its `code` and `state`',
      );
    }
    start = undefined;
    pending.write(KEY, undefined);
    try {
      const taken = await takeLogin({ ...options, by: 'over MQTT' }, begun, returned);
      tokens.takeUp();
      return taken;
    } catch (error) {
      return { status: 'failed', code: 'login_failed', message: `${wordsOf(error)} A new login_url is in bridge/auth.` };
    }
  };

  return {
    /** The address of the login page; undefined while no login is needed. */
    address: (): string | undefined => (isNeeded() ? start?.address : undefined),
    /** Calls `listener` after `address` has changed. */
    onChange: (listener: () => void): void => {
      changed = listener;
    },
    /** Call it when the token state may have changed. Starts a login if one is needed. Never rejects. */
    look: (): Promise<void> => inTurn(begin),
    /** Ends the pending login with the returned address. Never rejects. */
    finish: (text: string): Promise<Attempt> =>
      inTurn(async () => {
        const ended = await attempt(text);
        await begin();
        return ended;
      }),
  };
};
