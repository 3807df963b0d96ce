import { closeSync, constants, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { isSqliteError, primaryCode } from '../shared/errors.ts';
import { fileId, makeFolder, openFresh, openSqlite } from '../shared/plainFile.ts';

/** How long a write waits for another program. */
export const BUSY_MS = 2000;

/** Where `application_id` stands in a database (https://sqlite.org/fileformat.html). */
const ID_OFFSET = 68;
const ID_BYTES = 4;
const LARGEST_ID = 2 ** 31 - 1;

/** `moved`: the name leads to another file or to none. `overwritten`: the file has the content of another run. */
type FileState = 'same' | 'moved' | 'overwritten';

/** SQLite's codes for a file that holds something else than the connection has written (https://sqlite.org/rescode.html). */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

export const isDamage = (cause: unknown): boolean => isSqliteError(cause) && DAMAGED.has(primaryCode(cause));

/** SQLite's codes for a value that breaks a rule of its table, as a fraction in a column of whole numbers. */
const REFUSED_BY_TABLE: ReadonlySet<number> = new Set([19, 20]);

export const isRefusedByTable = (cause: unknown): cause is Error => isSqliteError(cause) && REFUSED_BY_TABLE.has(primaryCode(cause));

/** What the log says when the file is no more the one that was opened. */
export const WHAT_HAPPENED = {
  moved:
    'another program has deleted or replaced the database; it is written anew, with everything in it, and a file that lay in its place is kept beside it',
  overwritten:
    'another program has overwritten the database; logins, ends of temporary writes, undo and open writes are written anew, older history and charts are lost, and the file is kept beside it',
};

/** The files of a database. */
export const partsOf = (file: string): readonly string[] => ['', '-wal', '-journal', '-shm'].map((end) => `${file}${end}`);

/** Opens a database for `work`, and closes it. */
export const withConnection = <T>(file: string, options: DatabaseSyncOptions, work: (connection: DatabaseSync) => T): T => {
  const connection = openSqlite(file, options);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
};

/** Writes the whole database into a file of its own with mode 0600, by way of `<copy>.part`. Throws SQLite's or the system's error. */
export const copyDatabase = (database: DatabaseSync, copy: string): void => {
  const part = `${copy}.part`;
  try {
    const fd = openFresh(part);
    try {
      database.prepare('VACUUM INTO ?').run(part);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(part, copy);
  } catch (cause) {
    rmSync(part, { force: true });
    throw cause;
  }
};

/**
 * The file that a connection has open. A clean-up, a restore or a sync tool may delete, replace or overwrite it under the running bridge:
 * SQLite goes on with the file that it has, and everything would be lost with the process. `isAlone` is false where another process has the
 * folder since. Throws the system's error where the file cannot be opened.
 */
export const openedFile = (file: string, isAlone: () => boolean) => {
  const fd = openSync(file, constants.O_RDONLY);
  const id = fileId(file) ?? '';
  /** The mark in the main file, once a checkpoint has brought one there, and those that are in the write-ahead log. */
  const marks: number[] = [];
  let isMarked = false;

  const state = (): FileState => {
    if (fileId(file) !== id) return 'moved';
    return noteMark() || !isMarked ? 'same' : 'overwritten';
  };

  /**
   * Marks the content as that of this connection and of the next checkpoint, so that an older copy of the main file has another mark; belongs
   * right before the checkpoint. Throws SQLite's error.
   */
  const mark = (connection: DatabaseSync): void => {
    // No secret: the module of Node with `randomInt` takes 10 ms of each start.
    const next = 1 + Math.floor(Math.random() * (LARGEST_ID - 1));
    marks.push(next);
    connection.exec(`PRAGMA application_id = ${next}`);
  };

  /** True where the main file has a mark of this connection; from the first time on, a file without it counts as overwritten. */
  const noteMark = (): boolean => {
    const bytes = Buffer.alloc(ID_BYTES);
    readSync(fd, bytes, 0, ID_BYTES, ID_OFFSET);
    const found = marks.indexOf(bytes.readUInt32BE());
    if (found < 0) return false;
    isMarked = true;
    // A checkpoint beside a reader leaves later ones in the log.
    marks.splice(0, found);
    return true;
  };

  /**
   * Sets aside what lies in the place of the database, as `<file>.replaced` (an earlier one gives way), and writes there what `connection`
   * still reads where the file was only moved; after that the connection has to be closed. Throws SQLite's or the system's error, with the
   * connection as it was.
   */
  const makeWay = (found: 'moved' | 'overwritten', connection: DatabaseSync): void => {
    if (!isAlone()) throw Object.assign(new Error('another process has the data folder now'), { code: 'EBUSY', syscall: 'lock' });
    makeFolder(dirname(file));
    const copy = `${file}.anew`;
    if (found === 'moved') copyDatabase(connection, copy);
    if (fileId(file)) renameSync(file, `${file}.replaced`);
    // The write-ahead log belongs to what is open: SQLite would apply it to any file beside it.
    for (const part of partsOf(file)) rmSync(part, { force: true });
    if (found === 'moved') renameSync(copy, file);
  };

  /** Only after the end of the connection: closing a file ends the locks that the process has on it. */
  const close = (): undefined => {
    closeSync(fd);
  };

  return { state, mark, noteMark, makeWay, close };
};

export type DatabaseFile = ReturnType<typeof openedFile>;

/** True where SQLite finds no damage. */
export const isIntact = (connection: DatabaseSync): boolean =>
  connection.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'] === 'ok';
