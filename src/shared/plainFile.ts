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

/** `no_file`: folder, device, pipe, socket; `foreign_link`: another user's link. The message has no path. */
export class PlainFileError extends CodedError<'no_file' | 'too_large' | 'foreign_link'> {}

const MOST_LINKS = 40;
const WRITABLE_BY_OTHERS = 0o022;
// Missing on Windows, where creating a link needs a privilege.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
// Without it, `open` waits for the writer of a pipe.
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
 * Throws PlainFileError for a link that another user controls. In a folder that others may write, a link is
 * trusted only if this user, root or the folder's owner created it. Kernels protect shared temporary folders
 * in the same way.
 */
export const refuseForeignLink = (path: string, link: Stats): void => {
  const folder = statSync(dirname(path));
  const trusted = [0, process.geteuid?.(), folder.uid].includes(link.uid);
  if (!trusted && (folder.mode & WRITABLE_BY_OTHERS) !== 0)
    throw new PlainFileError('foreign_link', 'it is a symbolic link of another user, in a folder that others can write to');
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
  throw new PlainFileError('foreign_link', 'its symbolic links form a loop');
};

/**
 * The content of a file; follows trusted links. Does not wait. Throws PlainFileError for anything but a file
 * and for more than `mostBytes`; throws the system's error if the file cannot be read.
 */
export const readPlainFile = (path: string, mostBytes: number): Buffer => {
  const fd = openSync(followed(path), constants.O_RDONLY | NO_FOLLOW | NO_WAIT);
  try {
    const found = fstatSync(fd);
    refuseOthers(found);
    // The size is 0 in /proc, and files can grow.
    const content = found.size > mostBytes ? undefined : readFileSync(fd);
    if (content === undefined || content.length > mostBytes)
      throw new PlainFileError('too_large', `it is larger than the maximum of ${mostBytes / 1024 / 1024} MB`);
    return content;
  } finally {
    closeSync(fd);
  }
};

/**
 * For a missing permission: the folder's owner if different, as root for a container that runs as user 1000.
 * Empty for other causes.
 */
export const ownerOf = (dir: string, cause: unknown): string => {
  if (codeOf(cause) !== 'EACCES') return '';
  try {
    const [{ uid }, own] = [statSync(dir), process.getuid?.()];
    return uid === own ? '' : `: the folder belongs to user ${uid}, and heating2mqtt runs as user ${own}`;
  } catch {
    return '';
  }
};

/**
 * Creates a folder and its parents for this user alone. Node's `recursive` does not terminate if an existing
 * folder (/proc, autofs mount points) reports the code of a missing one. Throws the system's error.
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

/** Creates a file with mode 0600. Removes an existing file or link first, to avoid writing through a link. */
export const openFresh = (path: string): number => {
  rmSync(path, { force: true });
  return openSync(path, 'wx', 0o600);
};

/** Syncs the folder to disk. Otherwise a power cut within seconds could restore the previous file. */
export const syncFolder = (path: string): void => {
  try {
    const folder = openSync(path, 'r');
    try {
      fsyncSync(folder);
    } finally {
      closeSync(folder);
    }
  } catch {
    // Windows does not open folders, and some file systems do not sync them.
  }
};

/** Writes a new file (mode 0600); it is on disk on return. */
export const writeSynced = (path: string, content: string | Uint8Array): void => {
  rmSync(path, { force: true });
  writeFileSync(path, content, { flag: 'wx', mode: 0o600, flush: true });
};

export type Replacement = { readonly part?: string; readonly beforeRename?: () => void };

/**
 * Replaces a file atomically through `part`: a crash leaves the old or the new file. Throws the system's
 * error.
 */
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
 * Opens a SQLite database, or throws SQLite's error. Node 22 warns at each start that its SQLite is
 * experimental. The used functions work the same in 22.18 and later, so the warning is suppressed.
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
  /** False if another program deleted or replaced the file: then it no longer locks. */
  isInPlace(): boolean;
  release(): void;
};

/** Device and inode of a file; undefined if it does not exist, or if its folder is now a file. */
export const fileId = (file: string): string | undefined => {
  try {
    const { dev, ino } = lstatSync(file, { bigint: true });
    return `${dev} ${ino}`;
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(cause) ?? '')) return undefined;
    throw cause;
  }
};

/** SQLite's limit of attached files per connection (https://sqlite.org/limits.html). */
const LOCKS_OF_A_CONNECTION = 10;

/** A connection (60 kB) and its attached files. Each account has a lock, so locks share connections. */
type Locks = { readonly connection: DatabaseSync; readonly names: Set<string> };
const lockConnections = new Set<Locks>();
let locksTaken = 0;

/**
 * Takes a lock on the empty file at `path`, across all processes; undefined if another holder keeps it for
 * `waitMs`, which blocks this process. The operating system holds the lock for SQLite until the process ends.
 * The file stays: after a removal, one process could lock the old file and another a new one. Throws the
 * system's error if the file cannot be written, PlainFileError for anything but a file, and SQLite's error
 * without file locks.
 */
export const takeFileLock = (path: string, waitMs: number): FileLock | undefined => {
  makeEmptyFile(path);
  const free = [...lockConnections].find(({ names }) => names.size < LOCKS_OF_A_CONNECTION);
  const locks = free ?? { connection: openSqlite(':memory:'), names: new Set() };
  lockConnections.add(locks);
  const { connection, names } = locks;
  // Names are unique, so that a release can only end its own lock.
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
    // The first write locks this file and is rolled back. EXCLUSIVE mode keeps the lock afterwards. Of
    // several concurrent attempts, one succeeds. The file is empty, so the 90 kB page cache is released.
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
    // SQLite does not lock other content. Truncate it: a new file would break another holder's lock.
    if (found.size > 0) truncateSync(path);
  }
};
