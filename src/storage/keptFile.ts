import { closeSync, fsyncSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isDeeperThan } from '../shared/json.ts';
import { openFresh, PlainFileError, readPlainFile } from '../shared/plainFile.ts';

/** A home with three devices keeps some 2 MB; what is larger than this is not the bridge's. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The platform's values have 4 levels; some thousands would take the whole stack of whoever walks through them. */
const DEEPEST = 200;

/** The code of a system error, as `ENOSPC`; else its text. */
export const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : String(cause);

/**
 * The text of a file that is kept: undefined where there is none, null where something lies there that cannot be a kept file (a folder, a
 * pipe, somebody else's link). Throws the system's error where it cannot be read.
 */
export const readKept = (file: string): string | undefined | null => {
  try {
    return readPlainFile(file, MOST_BYTES).toString('utf8');
  } catch (cause) {
    if (cause instanceof PlainFileError) return null;
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cause;
  }
};

/** Renames what lies there; false where the system does not let us. */
export const setAside = (file: string, aside: string): boolean => {
  try {
    renameSync(file, aside);
    return true;
  } catch {
    return false;
  }
};

/** Puts the text in the place of the file as a whole, and on the disk; gives the open file, to append to. Throws the system's error; the old file stays then. */
export const replaceFile = (file: string, fresh: string, text: string): number => {
  let fd: number | undefined;
  try {
    fd = openFresh(fresh);
    // Unlike writeSync it goes on until all is written or the disk is full.
    writeFileSync(fd, text);
    fsyncSync(fd);
    renameSync(fresh, file);
    return fd;
  } catch (cause) {
    if (fd !== undefined) closeSync(fd);
    // On a full disk the part that was written would take the last room. What stands there and is no file stays.
    try {
      rmSync(fresh, { force: true });
    } catch {}
    throw cause;
  }
};

/** Objects as lines of JSON. */
export const linesOf = (objects: readonly object[]): string => objects.map((line) => `${JSON.stringify(line)}\n`).join('');

/** The object in a line of JSON; undefined where it holds none, as the half line of a killed process. */
export const objectIn = (line: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !isDeeperThan(value, DEEPEST) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
};
