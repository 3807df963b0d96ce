import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isSqliteError, UsageError } from '../../shared/errors.ts';
import { takeFileLock, writeSynced } from '../../shared/plainFile.ts';
import { completeOf } from '../completeFile.ts';
import { BUSY_MS, copyDatabase, partsOf, withConnection } from '../databaseFile.ts';
import { DATABASE_NAME } from '../dataDir.ts';
import { lockOf } from '../lock.ts';
import { MIGRATIONS, versionOf } from '../migrations.ts';
import { isSound } from '../openDatabase.ts';
import { type Backup, newerBackup, noBackup } from './backupFile.ts';
import { copySynced, makeFolderOf, NEW, REPLACED, replaceAll } from './replaceAll.ts';

/** A copy of the database, even of a running bridge; undefined if missing. Throws SQLite or system errors. */
export const databaseIn = (dir: string): Buffer | undefined => {
  const file = join(dir, DATABASE_NAME);
  if (!existsSync(file)) return undefined;
  const copy = `${file}.backup`;
  try {
    withConnection(file, { readOnly: true, timeout: BUSY_MS }, (connection) => copyDatabase(connection, copy));
    return readFileSync(copy);
  } finally {
    rmSync(copy, { force: true });
  }
};

/**
 * A restore never executes earlier changes: it removes unsent writes and the ends of temporary writes that
 * have passed, because a person may have chosen the current value.
 */
const CLOSE_WRITES = [
  "DELETE FROM writes WHERE facts ->> '$.state' IN ('queued', 'waiting')",
  "UPDATE writes SET facts = json_remove(facts, '$.end') WHERE facts ->> '$.end.untilMs' <= ?",
];

/** Writes and checks the database of a backup. Throws BackupError, or the system's error. */
const prepareDatabase = (file: string, bytes: Uint8Array, nowMs: number): void => {
  try {
    writeSynced(file, bytes);
    withConnection(file, {}, (connection) => {
      const version = versionOf(connection);
      if (version > MIGRATIONS.length) throw newerBackup();
      // A trigger would run with every later write.
      const [foreign] = connection.prepare("SELECT name FROM sqlite_schema WHERE type IN ('trigger', 'view')").all();
      if (foreign || version === 0 || !isSound(connection, MIGRATIONS.slice(0, version))) throw noBackup('its database is damaged');
      for (const sql of CLOSE_WRITES) connection.prepare(sql).run(...(sql.endsWith('?') ? [nowMs] : []));
    });
  } catch (cause) {
    throw isSqliteError(cause) ? noBackup('its database is damaged', cause) : cause;
  }
};

/** Keeps calls of the last day, foreign calls and a 429 pause: a restore must not exceed the quota. */
const CARRY_CALLS = [
  'ATTACH ? AS present',
  `INSERT INTO calls (id, at, poll, cause) SELECT row_number() OVER () + (SELECT coalesce(max(id), 0) FROM main.calls), at, poll, cause
    FROM present.calls WHERE at NOT IN (SELECT at FROM main.calls)`,
  'INSERT OR IGNORE INTO foreign_calls (at, window, until, calls) SELECT at, window, until, calls FROM present.foreign_calls',
  'INSERT OR REPLACE INTO pause (id, until, at) SELECT id, until, at FROM present.pause',
];

/** A damaged current database has no readable calls. */
const carryCalls = (from: string, to: string): void => {
  try {
    withConnection(to, {}, (connection) => {
      for (const sql of CARRY_CALLS) connection.prepare(sql).run(...(sql.includes('?') ? [from] : []));
    });
  } catch (cause) {
    if (!isSqliteError(cause)) throw cause;
  }
};

type Places = { readonly texts: readonly string[]; readonly databases: readonly string[] };

/**
 * Checks a backup and writes its files to `restore` in `data_dir`. Returns a function that moves them into
 * place while no bridge runs, after a copy of the current files to `before-restore`. It returns the undo
 * function; if it throws a system error, nothing has changed. After a kill, `endCutRestore` leaves all old or
 * all new files. `places`: all texts and databases in `dir` to replace. Throws BackupError, or the system's
 * error.
 */
export const prepareRestore = (dir: string, places: Places, { texts, database, databases }: Backup, nowMs: number): (() => () => void) => {
  const [folder, aside] = [join(dir, NEW), join(dir, REPLACED)];
  const given = Object.entries({ ...(database ? { [DATABASE_NAME]: database } : {}), ...databases });
  // Without its `.complete` file, a database counts as older than the broker and the platform.
  const filesOf = (path: string): readonly string[] => [...partsOf(join(dir, path)), completeOf(join(dir, path))];
  const all = [...places.texts, ...places.databases.flatMap(filesOf).map((path) => relative(dir, path))];
  rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
    for (const [path, text] of Object.entries(texts)) writeSynced(makeFolderOf(join(folder, path)), text);
    for (const [path, bytes] of given) prepareDatabase(makeFolderOf(join(folder, path)), bytes, nowMs);
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw cause;
  }
  const takeBack = (): void => alone(dir, () => replaceAll(dir, REPLACED, all));
  const keep = (): void => {
    rmSync(aside, { recursive: true, force: true });
    mkdirSync(aside, { mode: 0o700 });
    for (const name of all) if (existsSync(join(dir, name))) copySynced(join(dir, name), join(aside, name));
  };
  return () => {
    alone(dir, () => {
      try {
        keep();
        for (const [path] of given) if (existsSync(join(dir, path))) carryCalls(join(dir, path), join(folder, path));
      } catch (cause) {
        rmSync(folder, { recursive: true, force: true });
        throw cause;
      }
      try {
        replaceAll(dir, NEW, all);
      } catch (cause) {
        replaceAll(dir, REPLACED, all);
        throw cause;
      }
    });
    return takeBack;
  };
};

/** Locks the folder, so that no other process starts with it. */
const alone = (dir: string, work: () => void): void => {
  const lock = takeFileLock(lockOf(dir), 0);
  if (!lock) throw new UsageError('other_runs', `another heating2mqtt is running with data_dir ${dir}; stop it first`);
  try {
    work();
  } finally {
    lock.release();
  }
};
