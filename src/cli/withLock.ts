import { makeDataDir } from '../storage/dataDir.ts';
import { Lock } from '../storage/lock.ts';

/** Does work under the lock of `data_dir`; `isHeld` is false where a running bridge has it. `what` is the answer to others that ask for it. */
export const withLock = async <T>(dataDir: string, what: object, work: (isHeld: boolean) => Promise<T>): Promise<T> => {
  makeDataDir(dataDir);
  const lock = await Lock.take(dataDir, () => what);
  try {
    return await work(lock !== undefined);
  } finally {
    await lock?.release();
  }
};
