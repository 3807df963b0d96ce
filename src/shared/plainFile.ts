import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { CodedError, codeOf, isSqliteError, systemCode } from './errors.ts';

/** `no_file`: a folder, device, pipe or socket; `foreign_link`: a link that another user may have made. The message has no path. */
export class PlainFileError extends CodedError<'no_file' | 'too_large' | 'foreign_link'> {}

const MOST_LINKS = 40;
const WRITABLE_BY_OTHERS = 0o022;
// Missing on Windows, where creating a link needs a privilege.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
// Otherwise `open` waits for the writer of a pipe.
const NO_WAIT = constants.O_NONBLOCK ?? 0;

const kindOf = (found: Stats): string => {
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a pipe';
  return found.isSocket() ? 'a socket' : 'a device';
};

const refuseOthers = (found: Stats): void => {
  if (!found.isFile()) throw new PlainFileError('no_file', `it is ${kindOf(found)}, not a file`);
};

/**
 * Throws PlainFileError for a link that another user controls. In a folder that others may write, a link is trusted only if this user,
 * root or the folder's owner created it. Kernels protect shared temporary folders in the same way.
 */
export const refuseForeignLink = (path: string, link: Stats): void => {
  const folder = statSync(dirname(path));
  const trusted = [0, process.geteuid?.(), folder.uid].includes(link.uid);
  if (!trusted && (folder.mode & WRITABLE_BY_OTHERS) !== 0)
    throw new PlainFileError('foreign_link', 'it is a link that another user has made, in a folder that others may write');
};

/** Follows links to their file. */
const followed = (path: string): string => {
  let at = resolve(path);
  for (let links = 0; links <= MOST_LINKS; links += 1) {
    const found = lstatSync(at);
    if (!found.isSymbolicLink()) {
      refuseOthers(found);
      return at;
    }
    refuseForeignLink(at, found);
    at = resolve(realpathSync(dirname(at)), readlinkSync(at));
  }
  throw new PlainFileError('foreign_link', 'its links lead in a circle');
};

/**
 * The content of a file; trusted links are followed. Throws PlainFileError for anything but a file, and for a file of more than
 * `mostBytes`, without waiting; throws the system's error if it cannot be read.
 */
export const readPlainFile = (path: string, mostBytes: number): Buffer => {
  const fd = openSync(followed(path), constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
  try {
    const found = fstatSync(fd);
    refuseOthers(found);
    // The size is 0 in /proc, and files can grow.
    const content = found.size > mostBytes ? undefined : readFileSync(fd);
    if (content === undefined || content.length > mostBytes)
      throw new PlainFileError('too_large', `it is larger than ${mostBytes / 1024 / 1024} MB, which no such file is`);
    return content;
  } finally {
    closeSync(fd);
  }
};

/**
 * Makes a folder for this user alone, and those above it. Node's `recursive` does not end where a folder that is there takes none with the code
 * of one that is missing, as /proc and the mount points of autofs. Throws the system's error.
 */
export const makeFolder = (path: string, isAgain = false): void => {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST' && statSync(path).isDirectory()) return;
    if (codeOf(cause) !== 'ENOENT' || isAgain || dirname(path) === path) throw cause;
    makeFolder(dirname(path));
    makeFolder(path, true);
  }
};

/** Creates a file with mode 0600 for writing. An existing file or link is removed first, so nothing is written through a link. */
export const openFresh = (path: string): number => {
  rmSync(path, { force: true });
  return openSync(path, 'wx', 0o600);
};

/** Waits until the names in the folder are on disk. Otherwise a power cut within some seconds could bring back the file before. */
export const syncFolder = (path: string): void => {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Windows opens no folders, and some file systems do not sync them.
  }
};

/** Writes such a file; it is on disk when this returns. */
export const writeSynced = (path: string, content: string | Uint8Array): void => {
  rmSync(path, { force: true });
  writeFileSync(path, content, { flag: 'wx', mode: 0o600, flush: true });
};

export type Replacement = { readonly part?: string; readonly beforeRename?: () => void };

/** Writes a file as a whole, by way of `part` beside it: a crash leaves the old file or the new one. Throws the system's error. */
export const replaceFile = (path: string, text: string, { part = `${path}.part`, beforeRename }: Replacement = {}): void => {
  try {
    writeSynced(part, text);
    beforeRename?.();
    renameSync(part, path);
    syncFolder(dirname(path));
  } catch (cause) {
    rmSync(part, { force: true });
    throw cause;
  }
};

/**
 * Opens a database of SQLite. Throws SQLite's error where it cannot be opened. Node 22 warns at each start that its SQLite is experimental;
 * all that is used here works the same in 22.18 and later, so nobody is shown that.
 */
export const openSqlite = (path: string, options: DatabaseSyncOptions = {}): DatabaseSync => {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    const sqlite = process.getBuiltinModule('node:sqlite');
    return new sqlite.DatabaseSync(path, options);
  } finally {
    process.emitWarning = emitWarning;
  }
};

/** SQLite's result code for a file that another connection has locked (https://sqlite.org/rescode.html). */
const BUSY = 5;

export type FileLock = {
  /** False where another program has deleted or replaced the file: then it locks out nobody any more. */
  isInPlace(): boolean;
  release(): void;
};

/** Device and inode of a file; undefined where there is none, also as its folder is a file now. */
export const fileId = (file: string): string | undefined => {
  try {
    const { dev, ino } = lstatSync(file, { bigint: true });
    return `${dev} ${ino}`;
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(cause) ?? '')) return undefined;
    throw cause;
  }
};

/** SQLite attaches no more files to a connection (https://sqlite.org/limits.html). */
const LOCKS_OF_A_CONNECTION = 10;

/** A connection, and the names of the files that are attached to it. It takes 60 kB, and each account has a lock: they share them. */
type Locks = { readonly connection: DatabaseSync; readonly names: Set<string> };
const lockConnections = new Set<Locks>();
let locksTaken = 0;

/**
 * Takes the lock for which the empty file at `path` stands, among all processes; undefined where another holder keeps it for `waitMs`, in
 * which the process does nothing else. The operating system holds the lock, for SQLite, and ends it with the process. The file stays: if it
 * were removed, one process could lock the old file and another a new one. Throws the system's error where the file cannot be made or
 * written, PlainFileError where something else lies there, and SQLite's error where the file system has no locks.
 */
export const takeFileLock = (path: string, waitMs: number): FileLock | undefined => {
  makeEmptyFile(path);
  const free = [...lockConnections].find(({ names }) => names.size < LOCKS_OF_A_CONNECTION);
  const locks = free ?? { connection: openSqlite(':memory:'), names: new Set() };
  lockConnections.add(locks);
  const { connection, names } = locks;
  // None is used twice, so that a release can only end its own lock.
  locksTaken += 1;
  const name = `lock${locksTaken}`;
  const release = (): void => {
    if (names.delete(name)) connection.exec(`DETACH ${name}`);
    if (names.size > 0) return;
    lockConnections.delete(locks);
    connection.close();
  };
  try {
    connection.exec(`PRAGMA busy_timeout = ${waitMs}`);
    connection.prepare(`ATTACH ? AS ${name}`).run(path);
    names.add(name);
    // The first write locks this file alone, and it is never made. In this mode the end of a transaction keeps the lock. Among several
    // that begin at once it succeeds for one. The file is empty: a cache, for which 90 kB are taken with the first page, is given back.
    connection.exec(
      `PRAGMA ${name}.cache_size = 1; PRAGMA shrink_memory; PRAGMA ${name}.journal_mode = MEMORY; PRAGMA ${name}.locking_mode = EXCLUSIVE;
       BEGIN; PRAGMA ${name}.user_version = 1; ROLLBACK`,
    );
    const id = fileId(path);
    return { isInPlace: () => fileId(path) === id, release };
  } catch (cause) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    release();
    if (isSqliteError(cause) && cause.errcode === BUSY) return undefined;
    throw cause;
  }
};

const makeEmptyFile = (path: string): void => {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (cause) {
    if (codeOf(cause) !== 'EEXIST') throw cause;
    const found = lstatSync(path);
    if (!found.isFile()) throw new PlainFileError('no_file', `${path} is not a plain file; move it away`);
    accessSync(path, constants.R_OK | constants.W_OK);
    // SQLite would refuse to lock other content. The same file stays, so that another holder keeps its lock.
    if (found.size > 0) truncateSync(path);
  }
};
