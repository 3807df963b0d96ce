import { accessSync, closeSync, constants, existsSync, lstatSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isSqliteError, primaryCode, systemCode, UsageError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { openFresh, openSqlite } from '../shared/plainFile.ts';
import type { DatabaseFollower } from './backup/databaseCopy.ts';
import { lostCalls } from './callRepository.ts';
import { bootId, isComplete, markComplete, touchComplete } from './completeFile.ts';
import { Database } from './database.ts';
import { BUSY_MS, isDamage, isIntact, partsOf, withConnection } from './databaseFile.ts';
import { DATABASE_NAME, dataDirFault, StorageError } from './dataDir.ts';
import { allOf, jsonRows } from './jsonTable.ts';
import { MIGRATIONS, migrate, tidyCopies, versionFor, versionOf } from './migrations.ts';
import { type Missing, openedIn, type RowChange, setMeta } from './rowChange.ts';

/** The first bytes of a database, and the offset of `user_version` (https://sqlite.org/fileformat.html). */
const MAGIC = 'SQLite format 3\0';
const VERSION_OFFSET = 60;
/** Bytes 21 to 23 are the same in every database. */
const PAYLOAD_FRACTIONS = Buffer.from([64, 32, 32]);
const HEADER_BYTES = 100;
// Primary result codes (https://sqlite.org/rescode.html).
const [ERROR, BUSY, CORRUPT, NOTADB] = [1, 5, 11, 26];
const NO_ROOM: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

const DAMAGED = 'the database is damaged; at its next start the bridge renames the file and creates a new database';

/** An earlier run may have left topics on the broker that are not in the database. */
const SEARCH = setMeta('search_broker', '');

/** Resets the state of broker and platform values from an earlier run: changes may be missing. */
const readAnew = (missing: Missing): readonly RowChange[] => [
  ...[
    // Discovery data stays, so that no entity disappears while the values are read again.
    'UPDATE features SET offered = coalesce(offered, record), record = NULL',
    'DELETE FROM devices',
    // More than can be pending, including before the first write: no id is used twice.
    "INSERT INTO meta (name, value) VALUES ('last_checkpoint_id', '1000') ON CONFLICT DO UPDATE SET value = value + 1000",
  ].map((sql) => ({ row: sql, sql })),
  setMeta('checkpoint_id', undefined),
  // Until the calls are counted and the broker is searched. Topic names are never pending.
  lostCalls(missing),
  ...(missing === 'committed' ? [SEARCH] : []),
  openedIn(bootId()),
];

/**
 * Opens `heating2mqtt.db` in the folder, or creates it; a damaged one is set aside. On a full disk the bridge
 * starts with the readable data and writes when there is space. Throws UsageError for a newer version,
 * StorageError if the disk is unreadable or another program holds the database, and the system's error
 * without permissions.
 */
export const openDatabase = (
  dir: string,
  log: Log,
  migrations: readonly string[],
  isAlone = (): boolean => true,
  follower?: DatabaseFollower,
): Database => {
  const file = join(dir, DATABASE_NAME);
  const connect = (): DatabaseSync => connected(file, migrations);
  let isLost = !isUsable(file) && setAside(file, log);
  const version = versionIn(file);
  if (version > migrations.length) throw newer(file);
  const isNew = !existsSync(file);
  const hadLog = existsSync(`${file}-wal`);
  let connection = firstConnection(file, connect, migrations);
  if (connection === 'damaged') {
    isLost = setAside(file, log);
    connection = firstConnection(file, connect, migrations);
  }
  if (connection === 'damaged') throw new StorageError('storage', `${file} cannot be used now: a new database was damaged immediately`);
  const before = connection?.prepare("SELECT value FROM meta WHERE name = 'opened_in'").get()?.['value'] ?? '';
  const wasKilled = before !== '';
  const lacksCommitted = isLost || (!isNew && !isComplete(file)) || (wasKilled && !(hadLog && before === bootId()));
  const missing: Missing = lacksCommitted ? 'committed' : wasKilled ? 'waiting' : 'nothing';
  const onBehind = (isBehind: boolean): void => {
    if (isAlone()) markComplete(file, !isBehind);
  };
  tidyCopies(file, Date.now(), version < migrations.length);
  const database = new Database({ file, connection, connect, missing, readAnew: readAnew('committed'), onBehind, isAlone, follower, log });
  const first = missing === 'nothing' ? [openedIn(bootId()), ...(isNew ? [SEARCH] : [])] : readAnew(missing);
  if (database.write(first, 'durable')) {
    database.moveLog();
    onBehind(false);
    touchComplete(file);
  }
  return database;
};

/** A JSON table of a running bridge's database; empty without one. UsageError, StorageError: unreadable. */
export const readBeside = (
  dir: string,
  table: 'inventory' | 'faults' | 'performance' | 'past' | 'frozen_told' | 'account_refusals',
): ReadonlyMap<string, unknown> => jsonRows(rowsBeside(dir, allOf(table)));

/** The rows of a query on a running bridge's database. Empty and errors as in `readBeside`. */
export const rowsBeside = (dir: string, sql: string, ...values: readonly string[]): readonly unknown[] => {
  const file = join(dir, DATABASE_NAME);
  try {
    // Without permissions, `existsSync` would return false.
    if (!statSync(file, { throwIfNoEntry: false })) return [];
    if (versionIn(file) > MIGRATIONS.length) throw newer(file);
    return withConnection(file, { readOnly: true, timeout: BUSY_MS }, (connection) => connection.prepare(sql).all(...values));
  } catch (cause) {
    throw isSqliteError(cause) ? unreadable(file, cause) : dataDirFault(dir, cause);
  }
};

const connected = (file: string, migrations: readonly string[]): DatabaseSync => {
  const isNew = !existsSync(file);
  // SQLite gives the accompanying files the same permissions.
  if (isNew) closeSync(openFresh(file));
  accessSync(file, constants.R_OK | constants.W_OK);
  try {
    return prepared(file, 'NORMAL', migrations);
  } catch (cause) {
    // The shared-memory file needs space. Exclusive mode does not need it, so a full disk can be read.
    try {
      if (isSqliteError(cause) && ![ERROR, CORRUPT, NOTADB].includes(primaryCode(cause))) return prepared(file, 'EXCLUSIVE', migrations);
      throw cause;
    } catch (last) {
      if (isNew) for (const part of partsOf(file)) rmSync(part, { force: true });
      throw last;
    }
  }
};

const prepared = (file: string, locking: 'NORMAL' | 'EXCLUSIVE', migrations: readonly string[]): DatabaseSync => {
  const connection = openSqlite(file, { timeout: BUSY_MS });
  try {
    // Set locking_mode first: the next statements read the file, and NORMAL mode needs space for the
    // shared-memory file. The database is read at the start and then written. The initial cache of 90 kB is
    // released here, and after each commit.
    connection.exec(
      `PRAGMA locking_mode = ${locking}; PRAGMA cache_size = 8; PRAGMA shrink_memory; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY`,
    );
    const version = versionOf(connection);
    if (version > migrations.length) throw newer(file);
    // New database: the steps share the disk sync of the durable change that follows (nine syncs fewer).
    if (version === 0) connection.exec('PRAGMA synchronous = NORMAL');
    migrate(connection, file, migrations);
    connection.exec('PRAGMA synchronous = NORMAL');
    return connection;
  } catch (cause) {
    connection[Symbol.dispose]();
    throw cause;
  }
};

/** Undefined if there is no space to create the database. */
const firstConnection = (
  file: string,
  connect: () => DatabaseSync,
  migrations: readonly string[],
): DatabaseSync | 'damaged' | undefined => {
  const isNew = !existsSync(file);
  let connection: DatabaseSync | undefined;
  try {
    connection = connect();
    if (isNew || isSound(connection, migrations)) return connection;
    connection[Symbol.dispose]();
    return 'damaged';
  } catch (cause) {
    connection?.[Symbol.dispose]();
    if (isNew && NO_ROOM.has(systemCode(cause))) return undefined;
    if (!isSqliteError(cause)) throw cause;
    const code = primaryCode(cause);
    // The first migration fails only if tables already exist.
    if (code === CORRUPT || code === NOTADB || (code === ERROR && versionIn(file) === 0)) return 'damaged';
    // An error in a migration.
    if (code === ERROR) throw cause;
    if (isNew) return undefined;
    throw unreadable(file, cause);
  }
};

/** True if SQLite finds no damage and all migrated tables exist. Additional tables are allowed. */
export const isSound = (connection: DatabaseSync, migrations: readonly string[]): boolean => {
  const schema = (database: DatabaseSync): ReadonlySet<string> =>
    new Set(
      database
        .prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'")
        .all()
        .map((row) => JSON.stringify(row)),
    );
  const wanted = withConnection(':memory:', {}, (model) => {
    migrate(model, ':memory:', migrations.length === 0 ? [] : [migrations.join(';')]);
    return schema(model);
  });
  const found = schema(connection);
  // With the log of another file (restore, kill), indexes alone may differ. quick_check skips indexes.
  return [...wanted].every((row) => found.has(row)) && isIntact(connection);
};

/**
 * False if a database file is no plain file (SQLite would follow a link or wait for a pipe), or if the
 * database is empty, which never happens in normal operation.
 */
const isUsable = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.size !== 0 &&
  partsOf(file).every((part) => lstatSync(part, { throwIfNoEntry: false })?.isFile() ?? true);

const setAside = (file: string, log: Log): true => {
  const aside = `${file}.damaged-${Date.now()}`;
  for (const part of partsOf(file)) if (lstatSync(part, { throwIfNoEntry: false })) renameSync(part, part.replace(file, aside));
  log.warn(
    { file: aside },
    'the database is damaged; its file was renamed and a new one created. The login stays and values are read again, but ends of temporary writes and changes to undo are lost',
  );
  return true;
};

/** The version in the file header, without opening the database; 0 if there is none. */
const versionIn = (file: string): number => {
  if (!existsSync(file)) return 0;
  const fd = openSync(file, constants.O_RDONLY);
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    readSync(fd, header, 0, HEADER_BYTES, 0);
    const isHeader = header.toString('latin1', 0, MAGIC.length) === MAGIC && header.subarray(21, 24).equals(PAYLOAD_FRACTIONS);
    return isHeader ? versionFor(header.readUInt32BE(VERSION_OFFSET)) : 0;
  } finally {
    closeSync(fd);
  }
};

const unreadable = (file: string, cause: Error & { readonly errcode: number }): StorageError => {
  const why = primaryCode(cause) === BUSY ? 'another program has it open' : isDamage(cause) ? DAMAGED : cause.message;
  return new StorageError('storage', `data_dir ${dirname(file)} cannot be used now: ${why} (${basename(file)})`, { cause });
};

const newer = (file: string): UsageError =>
  new UsageError(
    'newer_database',
    `data_dir ${dirname(file)} cannot be used: ${basename(file)} was written by a newer version of heating2mqtt; run that version, or move the file away`,
  );
