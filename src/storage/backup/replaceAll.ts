import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { jsonObject } from '../../shared/json.ts';
import { makeFolder, replaceFile, syncFolder, takeFileLock } from '../../shared/plainFile.ts';
import { lockOf } from '../lock.ts';

/** The folder in `data_dir` with the files of a restore until they are in their places. */
export const NEW = 'restore';
/** The folder in `data_dir` that keeps what the last restore has replaced. */
export const REPLACED = 'before-restore';
/** This file in one of the two decides: from then on its files are put in their places, also by the next start. */
const LIST = 'files.json';

const isText = (value: unknown): value is string => typeof value === 'string';
const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter(isText) : []);

/** Makes the folder of a path within `data_dir`. */
export const makeFolderOf = (path: string): string => {
  makeFolder(dirname(path));
  return path;
};

/** Copies a file, into a folder that is made; it is on disk when this returns. */
export const copySynced = (from: string, to: string): void => {
  makeFolderOf(to);
  copyFileSync(from, to);
  const fd = openSync(to, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** Puts the files of `folder` in the places of `all`, which are paths below `dir`: those that it lacks are removed. Throws the system's error. */
export const replaceAll = (dir: string, folder: typeof NEW | typeof REPLACED, all: readonly string[]): void => {
  const put = all.filter((path) => existsSync(join(dir, folder, path)));
  for (const parent of new Set(put.map((path) => dirname(join(dir, folder, path))))) syncFolder(parent);
  syncFolder(join(dir, folder));
  replaceFile(join(dir, folder, LIST), JSON.stringify({ put, remove: all.filter((name) => !put.includes(name)) }));
  finish(dir);
};

/** Each step can be repeated after a kill. */
const finish = (dir: string): CutRestore => {
  const [folder, replaced] = [join(dir, NEW), join(dir, REPLACED)];
  if (existsSync(join(replaced, LIST))) {
    rmSync(folder, { recursive: true, force: true });
    renameSync(replaced, folder);
    syncFolder(dir);
  }
  const list = join(folder, LIST);
  const read = existsSync(list) ? jsonObject(readFileSync(list, 'utf8')) : undefined;
  if (read) {
    // A log beside the database of another run would damage it.
    for (const name of textsIn(read['remove'])) rmSync(join(dir, name), { force: true });
    for (const name of textsIn(read['put'])) {
      if (existsSync(join(folder, name))) renameSync(join(folder, name), makeFolderOf(join(dir, name)));
      syncFolder(dirname(join(dir, name)));
    }
    syncFolder(dir);
    rmSync(list);
  }
  const isDropped = !read && existsSync(folder) && readdirSync(folder).length > 0;
  rmSync(folder, { recursive: true, force: true });
  if (read) return 'finished';
  return isDropped ? 'dropped' : undefined;
};

/** `finished`: it was decided, and is done now; `dropped`: all is as before it; undefined: there was none, or another process has the folder. */
type CutRestore = 'finished' | 'dropped' | undefined;

/**
 * Ends a restore, or taking one back, that a kill or a power cut has cut off. For a start, before it reads anything. Throws the system's error.
 */
export const endCutRestore = (dir: string): CutRestore => {
  if (!existsSync(join(dir, NEW)) && !existsSync(join(dir, REPLACED, LIST))) return undefined;
  const lock = takeFileLock(lockOf(dir), 0);
  if (!lock) return undefined;
  try {
    return finish(dir);
  } finally {
    lock.release();
  }
};
