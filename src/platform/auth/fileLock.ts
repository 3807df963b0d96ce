import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCode } from '../errors.ts';

/** Work under the lock takes well under a second. An older lock was left by a process that was killed. */
const LEFT_BEHIND_MS = 5000;
const AGAIN_MS = 20;

let locks = 0;

/** Identifies a lock file among those that follow each other at one path; undefined where there is none. */
const signOf = (path: string): Promise<string | undefined> =>
  stat(path).then(
    ({ ino, mtimeMs }) => `${ino} ${mtimeMs}`,
    () => undefined,
  );

const take = async (path: string, name: string): Promise<boolean> => {
  try {
    await writeFile(path, name, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // Windows reports EPERM for a file that is being deleted.
    if (systemCode(error) !== 'EEXIST' && (await signOf(path)) === undefined) throw error;
    return false;
  }
};

const release = async (path: string, name: string): Promise<void> => {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === name) await rm(path, { force: true });
};

/**
 * Runs `work` while no other work, in this process or another, runs under the lock. The lock is a file at `path`, which exists meanwhile.
 * Rejects as `work` does, or where the lock cannot be written.
 */
export const withFileLock = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  locks += 1;
  const name = `${process.pid} ${locks}`;
  let seen: { readonly sign: string | undefined; readonly sinceMs: number } = { sign: undefined, sinceMs: 0 };
  while (!(await take(path, name))) {
    const [sign, now] = [await signOf(path), performance.now()];
    if (sign === undefined || sign !== seen.sign) seen = { sign, sinceMs: now };
    else if (now - seen.sinceMs > LEFT_BEHIND_MS) {
      const aside = `${path}.${process.pid}`;
      await rename(path, aside).catch(() => undefined);
      await rm(aside, { force: true });
    }
    await sleep(AGAIN_MS);
  }
  try {
    return await work();
  } finally {
    await release(path, name).catch(() => undefined);
  }
};
