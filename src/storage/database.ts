import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import * as z from 'zod/mini';
import type { Committed } from '../bridge/ports.ts';
import { isSqliteError, systemCode } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { DatabaseFollower } from './backup/databaseCopy.ts';
import { BUSY_MS, type DatabaseFile, isDamage, isRefusedByTable, openedFile, WHAT_HAPPENED } from './databaseFile.ts';
import { type Durability, fitting, isLong, lastOfEachRow, type Missing, openedIn, type RowChange } from './rowChange.ts';

/** With so many changes the write-ahead log is moved into the main file, which takes time: 2 MB, or 50 where each has a transaction of its own. */
const MOST_IN_LOG = 3000;
/** With so many it is moved at once: a client that floods the bridge with commands must not fill the disk. */
const MOST_AT_ALL = 12_000;

const metaRow = z.object({ value: z.string() });

/** What opening the database found, and how to open it again. */
type DatabaseOptions = {
  readonly file: string;
  /** Undefined where the disk is too full to make it; writing tries `connect` again. */
  readonly connection: DatabaseSync | undefined;
  readonly connect: () => DatabaseSync;
  readonly missing: Missing;
  /** What is written first into a database that begins anew, as the content of the one before is lost. */
  readonly readAnew: readonly RowChange[];
  /** Called when changes begin to be missing on disk, and when none is missing any more. */
  readonly onBehind: (isBehind: boolean) => void;
  /** False where another process has the data folder now, so that the file is that one's. */
  readonly isAlone: () => boolean;
  /** Keeps a copy elsewhere. */
  readonly follower?: DatabaseFollower | undefined;
  readonly log: Log;
};

/**
 * The connection to the database. What cannot be written, as on a full disk, is kept in memory and written with the next change for
 * which there is room, so that the bridge goes on.
 */
export class Database {
  readonly missing: Missing;
  readonly #options: DatabaseOptions;
  #connection: DatabaseSync | undefined;
  #isOpen = true;
  #isBehind = false;
  /** A change that waits has to survive a power cut. */
  #isDurable = false;
  #isJoining = false;
  #file: DatabaseFile | undefined;
  #changesInLog = 0;
  /** SQLite has found other content than this process has written. */
  #isDamaged = false;
  /** What was overwritten began anew in this run, without what is only practical. */
  #lacksRows = false;
  /** What the repositories know of what must not be lost. */
  readonly #known: (() => readonly RowChange[])[] = [];
  readonly #statements = new Map<string, StatementSync>();
  /** Statements of which a change was left out. */
  readonly #leftOut = new Set<string>();
  /** In the order in which they have to be written. */
  #unwritten: RowChange[] = [];
  /** The last change of each row that is written in bunches, as each commit writes whole pages. */
  readonly #waiting = new Map<string, RowChange>();
  /** Gives rows that wait beside those. */
  readonly #behind: (() => readonly RowChange[])[] = [];

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#connection = options.connection;
    if (options.connection) this.#follow(options.connection);
    this.missing = options.missing;
  }

  /**
   * The rows that fit the schema; one that does not is left out. Where another program has overwritten the file, it is written anew and read
   * then. Its statement is not kept, as most are used once, at the start. Throws SQLite's error where the disk cannot be read.
   */
  rows<T>(schema: z.ZodMiniType<T>, sql: string, ...values: readonly SQLInputValue[]): T[] {
    const read = (from: DatabaseSync): T[] => fitting(schema, from.prepare(sql).all(...values));
    const connection = this.#connection;
    if (!connection) return [];
    try {
      return read(connection);
    } catch (cause) {
      this.#isDamaged ||= isDamage(cause);
      this.ensureFile();
      if (this.#connection === connection || !this.#connection) throw cause;
      return read(this.#connection);
    }
  }

  /** A fact about the database; undefined where `meta` does not have it. */
  meta(name: string): string | undefined {
    return this.rows(metaRow, 'SELECT value FROM meta WHERE name = ?', name)[0]?.value;
  }

  /** `rows` gives everything that a repository must not lose: it is written anew where another program has overwritten the file. */
  keepsKnown(rows: () => readonly RowChange[]): void {
    this.#known.push(rows);
  }

  /** `rows` gives, once, what waits for `flush` beside what was written here, where a change for each would take more memory. */
  readonly waits = (rows: () => readonly RowChange[]): unknown => this.#behind.push(rows);

  /**
   * Writes the database anew where another program has deleted, replaced or overwritten its file since the last look. A long write-ahead log is
   * moved here, as a command or a start would wait for that.
   */
  ensureFile(): void {
    if (!this.#isOpen) return;
    if (this.#changesInLog >= MOST_IN_LOG) this.moveLog();
    else this.#tried((connection) => void this.#current(connection));
  }

  /**
   * Writes the changes in one transaction. False where the disk does not take them: that is logged once, and they are written with the next
   * changes.
   */
  write(changes: readonly RowChange[], durability: Durability = 'soon'): boolean {
    if (!this.#isOpen) return false;
    for (const change of changes) {
      this.#waiting.delete(change.row);
      if (durability === 'waiting') this.#waiting.set(change.row, change);
      else this.#unwritten.push(change);
    }
    if (durability === 'waiting' || this.#unwritten.length === 0) return true;
    this.#isDurable ||= durability === 'durable';
    if (this.#isJoining) return true;
    // A file that is gone would take the change and lose it, and what was overwritten would look as our own after a checkpoint.
    const isDone = this.#tried((connection) => this.#commit(this.#current(connection), this.#isDurable));
    this.#changesInLog += this.#unwritten.length;
    this.#unwritten = isDone ? [] : lastOfEachRow(this.#unwritten);
    if (!isDone) return false;
    this.#isDurable = false;
    this.#recovered();
    this.#options.follower?.committed();
    if (this.#changesInLog >= MOST_AT_ALL) this.moveLog();
    return true;
  }

  /** Writes what waits. */
  flush(): void {
    this.write([...this.#waiting.values(), ...this.#behind.flatMap((rows) => rows())]);
  }

  /** Writes what `work` changes in one transaction, so that it waits for the disk only once; within another one with that. */
  together<T>(work: () => T): Committed<T> {
    if (this.#isJoining) return { result: work(), isKept: true };
    this.#isJoining = true;
    let result: T;
    try {
      result = work();
    } finally {
      this.#isJoining = false;
      this.write([]);
    }
    return { result, isKept: this.#isOpen && this.#unwritten.length === 0 };
  }

  /** Ends the connection; further changes are ignored. */
  close(): void {
    this.flush();
    // The end of the last connection moves the write-ahead log into the main file.
    if (this.#unwritten.length === 0) this.write([openedIn('')], 'durable');
    this.#isOpen = false;
    this.#statements.clear();
    this.#options.follower?.closing();
    try {
      this.#connection?.close();
    } catch (cause) {
      this.#failed(cause);
    }
    this.#connection = undefined;
    this.#file = this.#file?.close();
  }

  /**
   * Moves what the write-ahead log holds into the main file, so that a main file without its log is known as that of a run without an end.
   * What cannot be moved now is moved later by SQLite.
   */
  moveLog(): void {
    this.#tried((connection) => this.#moveLog(this.#current(connection)));
  }

  /** False where the disk does not take it. */
  #tried(work: (connection: DatabaseSync) => void): boolean {
    try {
      work(this.#connection ?? this.#connect());
      return true;
    } catch (cause) {
      if (!isSqliteError(cause) && systemCode(cause) === undefined) throw cause;
      this.#isDamaged ||= isDamage(cause);
      this.#failed(cause);
      return false;
    }
  }

  #connect(): DatabaseSync {
    const connection = this.#options.connect();
    this.#connection = connection;
    this.#follow(connection);
    return connection;
  }

  #follow(connection: DatabaseSync): void {
    this.#options.follower?.opened(connection);
    this.#file = openedFile(this.#options.file, this.#options.isAlone);
  }

  /** A connection to the file that lies in `data_dir` now: the one that is open, or one to a file that is written anew. */
  #current(connection: DatabaseSync): DatabaseSync {
    const state = this.#isDamaged ? 'overwritten' : (this.#file?.state() ?? 'same');
    if (state === 'same') return connection;
    const { file, log, readAnew, onBehind } = this.#options;
    this.#file?.makeWay(state, connection);
    log.error({ file, aside: `${file}.replaced` }, WHAT_HAPPENED[state]);
    this.#statements.clear();
    this.#connection = undefined;
    connection.close();
    this.#file = this.#file?.close();
    this.#isDamaged = false;
    if (state === 'overwritten') this.#unwritten.unshift(...readAnew, ...this.#known.flatMap((rows) => rows()));
    // The next start must not believe what begins anew: features are written as they change.
    if (state === 'overwritten') this.#lacksRows = true;
    const renewed = this.#connect();
    this.#commit(renewed, true);
    this.#moveLog(renewed);
    this.#unwritten = [];
    onBehind(this.#lacksRows);
    this.#recovered();
    return renewed;
  }

  #moveLog(connection: DatabaseSync): void {
    this.#changesInLog = 0;
    this.#file?.mark(connection);
    this.#statement(connection, 'PRAGMA wal_checkpoint(PASSIVE)').all();
    // The mark is in the main file now: it may be overwritten before anything looks at it again.
    this.#file?.noteMark();
  }

  /** Writes in one transaction what is not written yet. */
  #commit(connection: DatabaseSync, isDurable: boolean): void {
    if (isDurable) connection.exec('PRAGMA synchronous = FULL');
    try {
      this.#statement(connection, 'BEGIN IMMEDIATE').run();
      for (const { sql, values = [] } of this.#unwritten) {
        try {
          (isLong(values) ? connection.prepare(sql) : this.#statement(connection, sql)).run(...values);
        } catch (cause) {
          this.#leaveOut(sql, cause);
        }
      }
      this.#statement(connection, 'COMMIT').run();
    } catch (cause) {
      if (connection.isTransaction) this.#statement(connection, 'ROLLBACK').run();
      throw cause;
    } finally {
      connection.exec(`PRAGMA shrink_memory${isDurable ? '; PRAGMA synchronous = NORMAL' : ''}`);
    }
  }

  /** What a table refuses is a fault of the bridge: tried again and again, it would keep all other changes from the disk. */
  #leaveOut(sql: string, cause: unknown): void {
    if (!isRefusedByTable(cause)) throw cause;
    if (this.#leftOut.has(sql)) return;
    this.#leftOut.add(sql);
    this.#options.log.error({ why: cause.message }, 'something that the database cannot hold is not kept');
  }

  #statement(connection: DatabaseSync, sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #failed(cause: unknown): void {
    if (this.#isBehind) return;
    this.#isBehind = true;
    this.#options.follower?.behind(true);
    // Waiting stops everything else: once is enough until a write has worked again.
    this.#connection?.exec('PRAGMA busy_timeout = 0');
    this.#options.onBehind(true);
    this.#options.log.warn(
      { file: this.#options.file, cause: cause instanceof Error ? cause.message : String(cause) },
      'the database could not be written (disk full, or locked by another program?); the bridge goes on, and would forget what has happened since at a restart',
    );
  }

  #recovered(): void {
    if (!this.#isBehind) return;
    this.#isBehind = false;
    this.#options.follower?.behind(false);
    this.#connection?.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    this.#options.onBehind(this.#lacksRows);
    this.#options.log.info({ file: this.#options.file }, 'the database can be written again');
  }
}
