import { closeSync, constants, fsyncSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, DatabaseSyncOptions } from 'node:sqlite';
import { isSqliteError, primaryCode } from '../shared/errors.ts';
import { fileId, makeFolder, openFresh, openSqlite } from '../shared/plainFile.ts';

/** How long a write waits for another program. */
export const BUSY_MS = 2000;

/** The offset of `application_id` in a database (https://sqlite.org/fileformat.html). */
const ID_OFFSET = 68;
const ID_BYTES = 4;
const LARGEST_ID = 2 ** 31 - 1;

/** `moved`: the name leads to another file or none. `overwritten`: the content is from another run. */
type FileState = 'same' | 'moved' | 'overwritten';

/** SQLite's codes for foreign file content (https://sqlite.org/rescode.html). */
const DAMAGED: ReadonlySet<number> = new Set([11, 26]);

export const isDamage = (cause: unknown): boolean => isSqliteError(cause) && DAMAGED.has(primaryCode(cause));

/** SQLite's codes for a value that violates its table, such as a fraction in an integer column. */
const REFUSED_BY_TABLE: ReadonlySet<number> = new Set([19, 20]);

export const isRefusedByTable = (cause: unknown): cause is Error => isSqliteError(cause) && REFUSED_BY_TABLE.has(primaryCode(cause));

/** Log messages for a file that is no longer the opened one. */
export const WHAT_HAPPENED = {
  moved:
    'another program has deleted or replaced the database file; the bridge writes it again with all data, and keeps the other file next to it',
  overwritten:
    'another program has overwritten the database file; the bridge writes logins, ends of temporary writes, undo and open writes again, older history and charts are lost, and the other file is kept next to it',
};

/** The files of a database. */
export const partsOf = (file: string): readonly string[] => ['', '-wal', '-journal', '-shm'].map((end) => `${file}${end}`);

/** Opens a database for `work` and closes it. */
export const withConnection = <T>(file: string, options: DatabaseSyncOptions, work: (connection: DatabaseSync) => T): T => {
  const connection = openSqlite(file, options);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
};

/** Copies the database to a file with mode 0600, through `<copy>.part`. Throws SQLite or system errors. */
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
 * The open file of a connection. A clean-up, restore or sync tool may delete, replace or overwrite it. SQLite
 * continues with its file, and all data would be lost with the process. `isAlone` is false if another process
 * has the folder. Throws the system's error if the file cannot be opened.
 */
export const openedFile = (file: string, isAlone: () => boolean) => {
  const fd = openSync(file, constants.O_RDONLY);
  const id = fileId(file) ?? '';
  /** The mark in the main file (after a checkpoint), then the marks in the write-ahead log. */
  const marks: number[] = [];
  let isMarked = false;

  const state = (): FileState => {
    if (fileId(file) !== id) return 'moved';
    return noteMark() || !isMarked ? 'same' : 'overwritten';
  };

  /**
   * Marks the content with a number for this connection and the next checkpoint; an older copy of the main
   * file has another mark. Call it just before the checkpoint. Throws SQLite's error.
   */
  const mark = (connection: DatabaseSync): void => {
    // Not secret: Node's module for `randomInt` takes 10 ms per start.
    const next = 1 + Math.floor(Math.random() * (LARGEST_ID - 1));
    marks.push(next);
    connection.exec(`PRAGMA application_id = ${next}`);
  };

  /**
   * True if the main file has a mark of this connection. After the first time, a missing mark means
   * overwritten.
   */
  const noteMark = (): boolean => {
    const bytes = Buffer.alloc(ID_BYTES);
    readSync(fd, bytes, 0, ID_BYTES, ID_OFFSET);
    const found = marks.indexOf(bytes.readUInt32BE());
    if (found < 0) return false;
    isMarked = true;
    // With a concurrent reader, a checkpoint leaves later marks in the log.
    marks.splice(0, found);
    return true;
  };

  /**
   * Renames the file in the database's place to `<file>.replaced` (replaces an earlier one). For a moved file
   * it writes the content of `connection` there. Close the connection afterwards. Throws SQLite's or the
   * system's error, with the connection unchanged.
   */
  const makeWay = (found: 'moved' | 'overwritten', connection: DatabaseSync): void => {
    if (!isAlone()) throw Object.assign(new Error('another process uses the data folder now'), { code: 'EBUSY', syscall: 'lock' });
    makeFolder(dirname(file));
    const copy = `${file}.anew`;
    if (found === 'moved') copyDatabase(connection, copy);
    if (fileId(file)) renameSync(file, `${file}.replaced`);
    // The write-ahead log belongs to the open file: SQLite would apply it to any file beside it.
    for (const part of partsOf(file)) rmSync(part, { force: true });
    if (found === 'moved') renameSync(copy, file);
  };

  /** Call it after the connection closes: closing a file releases all locks of the process on it. */
  const close = (): undefined => {
    closeSync(fd);
  };

  return { state, mark, noteMark, makeWay, close };
};

export type DatabaseFile = ReturnType<typeof openedFile>;

/** True if SQLite finds no damage. */
export const isIntact = (connection: DatabaseSync): boolean =>
  connection.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'] === 'ok';
