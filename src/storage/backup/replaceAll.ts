import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { jsonObject } from '../../shared/json.ts';
import { makeFolder, replaceFile, syncFolder, takeFileLock } from '../../shared/plainFile.ts';
import { lockOf } from '../lock.ts';

/** The folder in `data_dir` with the files of a restore until they are moved. */
export const NEW = 'restore';
/** The folder in `data_dir` with the files that the last restore replaced. */
export const REPLACED = 'before-restore';
/** Once this file exists in one of the two folders, its moves are completed, if needed at the next start. */
const LIST = 'files.json';

const isText = (value: unknown): value is string => typeof value === 'string';
const textsIn = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter(isText) : []);

/** Creates the parent folder of a path within `data_dir`. */
export const makeFolderOf = (path: string): string => {
  makeFolder(dirname(path));
  return path;
};

/** Copies a file and creates its folder; the copy is on disk on return. */
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

/** Moves the files of `folder` to the paths `all` below `dir`; removes missing ones. Throws system errors. */
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
    // A write-ahead log beside the database of another run would damage it.
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

/** `finished`: completed now; `dropped`: rolled back; undefined: none, or another process has the folder. */
type CutRestore = 'finished' | 'dropped' | undefined;

/**
 * Ends a restore or rollback that a kill or power cut interrupted. Runs at the start, before any read. Throws
 * the system's error.
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
