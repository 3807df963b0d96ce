import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import * as z from 'zod/mini';
import type { Committed } from '../bridge/ports.ts';
import { isSqliteError, systemCode } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { DatabaseFollower } from './backup/databaseCopy.ts';
import { BUSY_MS, type DatabaseFile, isDamage, isRefusedByTable, openedFile, WHAT_HAPPENED } from './databaseFile.ts';
import { type Durability, fitting, isLong, lastOfEachRow, type Missing, openedIn, type RowChange } from './rowChange.ts';

/** The change count for a slow checkpoint of the log: 2 MB, or 50 MB with one transaction per change. */
const MOST_IN_LOG = 3000;
/** The count for an immediate checkpoint: a flood of commands must not fill the disk. */
const MOST_AT_ALL = 12_000;

const metaRow = z.object({ value: z.string() });

/** The findings from opening the database, and how to open it again. */
type DatabaseOptions = {
  readonly file: string;
  /** Undefined if the disk is too full to create it; the next write tries `connect` again. */
  readonly connection: DatabaseSync | undefined;
  readonly connect: () => DatabaseSync;
  readonly missing: Missing;
  /** The first changes for a new database after the loss of the previous content. */
  readonly readAnew: readonly RowChange[];
  /** Called when changes start to be missing on disk, and when none are missing any more. */
  readonly onBehind: (isBehind: boolean) => void;
  /** False if another process uses the data folder now and owns the file. */
  readonly isAlone: () => boolean;
  /** Keeps a copy elsewhere. */
  readonly follower?: DatabaseFollower | undefined;
  readonly log: Log;
};

/**
 * The connection to the database. Changes that cannot be written (disk full) stay in memory until the next
 * successful write, so the bridge continues.
 */
export class Database {
  readonly missing: Missing;
  readonly #options: DatabaseOptions;
  #connection: DatabaseSync | undefined;
  #isOpen = true;
  #isBehind = false;
  /** A pending change must survive a power cut. */
  #isDurable = false;
  #isJoining = false;
  #file: DatabaseFile | undefined;
  #changesInLog = 0;
  /** SQLite found content that this process did not write. */
  #isDamaged = false;
  /** The overwritten database was recreated in this run, without the optional rows. */
  #lacksRows = false;
  /** The essential rows that the repositories know. */
  readonly #known: (() => readonly RowChange[])[] = [];
  readonly #statements = new Map<string, StatementSync>();
  /** Statements that had a rejected change. */
  readonly #leftOut = new Set<string>();
  /** In write order. */
  #unwritten: RowChange[] = [];
  /** The last change of each row that is written in batches, because each commit writes whole pages. */
  readonly #waiting = new Map<string, RowChange>();
  /** Functions that return further pending rows. */
  readonly #behind: (() => readonly RowChange[])[] = [];

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#connection = options.connection;
    if (options.connection) this.#follow(options.connection);
    this.missing = options.missing;
  }

  /**
   * The rows that match the schema; others are left out. If another program has overwritten the file, it is
   * recreated and read then. The statement is not cached: most run once, at the start. Throws SQLite's error
   * if the disk cannot be read.
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

  /** A fact about the database; undefined if `meta` does not have it. */
  meta(name: string): string | undefined {
    return this.rows(metaRow, 'SELECT value FROM meta WHERE name = ?', name)[0]?.value;
  }

  /** `rows` returns a repository's essential rows, to recreate an overwritten file. */
  keepsKnown(rows: () => readonly RowChange[]): void {
    this.#known.push(rows);
  }

  /** `rows` returns, once, the pending rows for `flush`. One change object for each would use more memory. */
  readonly waits = (rows: () => readonly RowChange[]): unknown => this.#behind.push(rows);

  /**
   * Recreates the database if another program has deleted, replaced or overwritten its file since the last
   * check. Checkpoints a long log here, because a command or a start would have to wait for it.
   */
  ensureFile(): void {
    if (!this.#isOpen) return;
    if (this.#changesInLog >= MOST_IN_LOG) this.moveLog();
    else this.#tried((connection) => void this.#current(connection));
  }

  /**
   * Writes the changes in one transaction. False if the disk refuses them: this is logged once, and the next
   * write includes them.
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
    // A deleted file would lose the change. A checkpoint would make overwritten content look like our own.
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

  /** Writes the pending changes. */
  flush(): void {
    this.write([...this.#waiting.values(), ...this.#behind.flatMap((rows) => rows())]);
  }

  /** Writes the changes of `work` in one transaction (one disk sync); nested calls join the outer one. */
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

  /** Closes the connection; further changes are ignored. */
  close(): void {
    this.flush();
    // Closing the last connection checkpoints the write-ahead log.
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
   * Checkpoints the write-ahead log, so that a main file without its log is recognized as an unclean end.
   * SQLite does the rest of a partial checkpoint later.
   */
  moveLog(): void {
    this.#tried((connection) => this.#moveLog(this.#current(connection)));
  }

  /** False if the disk refuses it. */
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

  /** A connection to the current file in `data_dir`: the open one, or a new one to a recreated file. */
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
    // The next start must not trust a recreated database: features are written when they change.
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
    // The mark is now in the main file. Note it before another program may overwrite it.
    this.#file?.noteMark();
  }

  /** Writes the unwritten changes in one transaction. */
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

  /** A row that its table rejects is a bug. Retries would block all other changes. */
  #leaveOut(sql: string, cause: unknown): void {
    if (!isRefusedByTable(cause)) throw cause;
    if (this.#leftOut.has(sql)) return;
    this.#leftOut.add(sql);
    this.#options.log.error({ why: cause.message }, 'the database rejected a row, which is not stored; please report it');
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
    // Waiting blocks everything else: wait only once until a write succeeds.
    this.#connection?.exec('PRAGMA busy_timeout = 0');
    this.#options.onBehind(true);
    this.#options.log.warn(
      { file: this.#options.file, cause: cause instanceof Error ? cause.message : String(cause) },
      'the database could not be written: free disk space, or end the program that locks it; the bridge continues, but a restart would lose all changes since then',
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
