import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { jsonObject } from '../../shared/json.ts';
import { readPlainFile } from '../../shared/plainFile.ts';
import type { LoginStart } from './identityService.ts';

const VERSION = 1;
const MOST_BYTES = 1024 * 1024;

const TEXT = z.string().check(z.minLength(1));
const FILE = z.object({ version: z.literal(VERSION), client: TEXT, address: TEXT, state: TEXT, code_verifier: TEXT });

/** Where a login that was begun waits for the person to come back, over restarts (`login.json`, mode 0600: it holds the PKCE secret). */
export type PendingLogins = {
  /** The login that waits; undefined where there is none, or one begun with other settings (`client`). */
  read(): Promise<LoginStart | undefined>;
  write(start: LoginStart): Promise<void>;
  remove(): Promise<void>;
};

/** Keeps a pending login in `dataDir`. `client` says for which client, addresses and scope it is. */
export const pendingLogins = (dataDir: string, client: string): PendingLogins => {
  const path = join(dataDir, 'login.json');
  return {
    read: async () => {
      const { data: kept } = FILE.safeParse(jsonObject(textIn(path)));
      return kept?.client === client ? { address: kept.address, state: kept.state, codeVerifier: kept.code_verifier } : undefined;
    },
    write: async ({ address, state, codeVerifier }) => {
      const part = `${path}.${process.pid}.part`;
      // Never through a link that somebody has put there.
      await rm(part, { force: true });
      const file = await open(part, 'wx', 0o600);
      try {
        await file.writeFile(`${JSON.stringify({ version: VERSION, client, address, state, code_verifier: codeVerifier })}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(part, path);
    },
    remove: () => rm(path, { force: true }),
  };
};

const textIn = (path: string): string => {
  try {
    return readPlainFile(path, MOST_BYTES).toString('utf8');
  } catch {
    return '';
  }
};
