import * as z from 'zod/mini';
import type { LoginStart } from './identityService.ts';

/** Where logins that were begun are kept. It holds the PKCE secret, so only this user may read it. */
export type LoginStore = {
  read(): ReadonlyMap<string, unknown>;
  /** False where it is not on disk. */
  write(key: string, value: object | undefined): boolean;
};

/** A login that was begun waits for the person to come back, over restarts. */
export type PendingLogins = {
  /** The login that waits; undefined where there is none, or one begun with other settings (`client`). */
  read(): LoginStart | undefined;
  /** False where it could not be stored. */
  write(start: LoginStart): boolean;
  remove(): void;
};

const KEY = 'pending';
const TEXT = z.string().check(z.minLength(1));
const STORED = z.object({ client: TEXT, address: TEXT, state: TEXT, code_verifier: TEXT });

/** Undefined also where the disk cannot be read now: then another login is begun. */
const readKept = (store: LoginStore): unknown => {
  try {
    return store.read().get(KEY);
  } catch {
    return undefined;
  }
};

/** Keeps one pending login. `client` says for which client, addresses and scope it is. */
export const pendingLogins = (store: LoginStore, client: string): PendingLogins => ({
  read: () => {
    const { data: kept } = STORED.safeParse(readKept(store));
    return kept?.client === client ? { address: kept.address, state: kept.state, codeVerifier: kept.code_verifier } : undefined;
  },
  write: ({ address, state, codeVerifier }) => store.write(KEY, { client, address, state, code_verifier: codeVerifier }),
  remove: () => void store.write(KEY, undefined),
});
