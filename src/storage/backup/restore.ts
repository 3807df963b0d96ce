import { closeSync, copyFileSync, existsSync, fsyncSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isSqliteError } from '../../shared/errors.ts';
import { openFresh, openSqlite, replaceFile } from '../../shared/plainFile.ts';
import { completeOf } from '../completeFile.ts';
import { BUSY_MS } from '../database.ts';
import { copyDatabase, partsOf } from '../databaseFile.ts';
import { DATABASE_NAME } from '../dataDir.ts';
import { MIGRATIONS, versionOf } from '../migrations.ts';
import { isSound } from '../openDatabase.ts';
import { type Backup, newerBackup, noBackup } from './backupFile.ts';

/** The folder in `data_dir` that keeps what the last restore has replaced. */
export const REPLACED = 'before-restore';

/** A copy of the database, also of a running bridge; undefined where there is none. Throws SQLite's or the system's error. */
export const databaseIn = (dir: string): Buffer | undefined => {
  const file = join(dir, DATABASE_NAME);
  if (!existsSync(file)) return undefined;
  const copy = `${file}.backup`;
  const connection = openSqlite(file, { readOnly: true, timeout: BUSY_MS });
  try {
    copyDatabase(connection, copy);
    return readFileSync(copy);
  } finally {
    connection.close();
    rmSync(copy, { force: true });
  }
};

/**
 * A restore never carries out a change of the time before it: those that were not sent yet are removed, and the ends of temporary writes that
 * have passed since, as what the device shows now may be somebody's choice.
 */
const CLOSE_WRITES = [
  "DELETE FROM writes WHERE facts ->> '$.state' IN ('queued', 'waiting')",
  "UPDATE writes SET facts = json_remove(facts, '$.end') WHERE facts ->> '$.end.untilMs' <= ?",
];

/** Writes the database of a backup beside that in `data_dir`, checked. Gives its name. Throws BackupError, or the system's error. */
const prepareDatabase = (dir: string, bytes: Uint8Array, nowMs: number): string => {
  const file = join(dir, `${DATABASE_NAME}.restored`);
  try {
    for (const part of partsOf(file)) rmSync(part, { force: true });
    const fd = openFresh(file);
    writeFileSync(fd, bytes);
    // What SQLite does not change of it below has to be on the disk too before it is put in place.
    fsyncSync(fd);
    closeSync(fd);
    const connection = openSqlite(file);
    try {
      const version = versionOf(connection);
      if (version > MIGRATIONS.length) throw newerBackup();
      if (version === 0 || !isSound(connection, MIGRATIONS.slice(0, version))) throw noBackup('its database is damaged');
      for (const sql of CLOSE_WRITES) connection.prepare(sql).run(...(sql.endsWith('?') ? [nowMs] : []));
    } finally {
      connection.close();
    }
    return file;
  } catch (cause) {
    for (const part of partsOf(file)) rmSync(part, { force: true });
    throw isSqliteError(cause) ? noBackup('its database is damaged', cause) : cause;
  }
};

/** The calls of the last day, what others have spent, and a pause after a 429 count on: a restore gives no calls that the platform does not allow. */
const CARRY_CALLS = [
  'ATTACH ? AS present',
  `INSERT INTO calls (id, at, poll, cause) SELECT row_number() OVER () + (SELECT coalesce(max(id), 0) FROM main.calls), at, poll, cause
    FROM present.calls WHERE at NOT IN (SELECT at FROM main.calls)`,
  'INSERT OR IGNORE INTO foreign_calls (at, window, until, calls) SELECT at, window, until, calls FROM present.foreign_calls',
  'INSERT OR REPLACE INTO pause (id, until, at) SELECT id, until, at FROM present.pause',
];

/** A database in place that is damaged tells of no calls. */
const carryCalls = (from: string, to: string): void => {
  const connection = openSqlite(to);
  try {
    for (const sql of CARRY_CALLS) connection.prepare(sql).run(...(sql.includes('?') ? [from] : []));
  } catch (cause) {
    if (!isSqliteError(cause)) throw cause;
  } finally {
    connection.close();
  }
};

/**
 * Checks the database of a backup, and writes it beside that in `data_dir`. Gives what puts the backup in its place, for when no bridge runs
 * there: what was there is copied into `before-restore` first. That in turn gives what takes it back, and throws the system's error with
 * everything as it was. `names` are those of all texts that a backup can have. Throws BackupError, or the system's error.
 */
export const prepareRestore = (dir: string, names: readonly string[], { texts, database }: Backup, nowMs: number): (() => () => void) => {
  const prepared = database && prepareDatabase(dir, database, nowMs);
  const file = join(dir, DATABASE_NAME);
  const aside = join(dir, REPLACED);
  // Without the file that calls it complete, a database counts as older than what the broker and the platform have.
  const ofDatabase = [...partsOf(file), completeOf(file)];
  const all = [...names.map((name) => join(dir, name)), ...ofDatabase];
  const keptOf = (path: string): string => join(aside, basename(path));
  const takeBack = (): void => {
    for (const path of all) {
      if (existsSync(keptOf(path))) renameSync(keptOf(path), path);
      else rmSync(path, { force: true });
    }
    rmSync(aside, { recursive: true, force: true });
    for (const part of prepared ? partsOf(prepared) : []) rmSync(part, { force: true });
  };
  return () => {
    rmSync(aside, { recursive: true, force: true });
    mkdirSync(aside, { mode: 0o700 });
    for (const path of all) if (existsSync(path)) copyFileSync(path, keptOf(path));
    try {
      if (prepared && existsSync(file)) carryCalls(file, prepared);
      for (const path of ofDatabase.filter((one) => one !== file || !prepared)) rmSync(path, { force: true });
      if (prepared) renameSync(prepared, file);
      for (const name of names) {
        const text = texts[name];
        if (text === undefined) rmSync(join(dir, name), { force: true });
        else replaceFile(join(dir, name), text);
      }
      return takeBack;
    } catch (cause) {
      takeBack();
      throw cause;
    }
  };
};
