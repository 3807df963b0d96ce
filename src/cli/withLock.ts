import { makeDataDir } from '../storage/dataDir.ts';
import { takeLock } from '../storage/lock.ts';

/** Runs work under the lock of `data_dir`; `isHeld`: false if a bridge has it. Others can get `status`. */
export const withLock = async <T>(dataDir: string, status: object, work: (isHeld: boolean) => Promise<T>): Promise<T> => {
  makeDataDir(dataDir);
  const lock = await takeLock(dataDir, () => status);
  try {
    return await work(lock !== undefined);
  } finally {
    await lock?.release();
  }
};
