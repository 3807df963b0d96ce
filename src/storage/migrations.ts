import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { copyDatabase } from './databaseFile.ts';

/** The tables of JSON objects by key in the first version; a later table is a migration of its own. */
const JSON_TABLES = [
  ...['composites', 'documents', 'inventory', 'logins', 'running_totals', 'last_answers', 'account_refusals', 'faults'],
  ...['performance', 'past', 'frozen', 'frozen_told', 'seasons', 'plans', 'devices'],
];

/**
 * Each entry migrates the database from the version of its index to the next. Never change released entries.
 * Instants are epoch milliseconds. Devices are named by the bridge's device key.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE published_topics (topic TEXT PRIMARY KEY, owner TEXT NOT NULL, hash TEXT) STRICT;
  CREATE TABLE features (
    device TEXT NOT NULL, name TEXT NOT NULL, record TEXT, offered TEXT, PRIMARY KEY (device, name)
  ) STRICT;
  CREATE TABLE foreign_calls (
    at INTEGER NOT NULL, window TEXT NOT NULL, until INTEGER NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (at, window)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE pause (id INTEGER PRIMARY KEY CHECK (id = 1), until INTEGER NOT NULL, at INTEGER) STRICT;
  CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE points (
    series INTEGER NOT NULL, slot INTEGER NOT NULL, at INTEGER NOT NULL, value ANY, PRIMARY KEY (series, slot)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE writes (
    key INTEGER PRIMARY KEY, at INTEGER NOT NULL, device TEXT NOT NULL, feature TEXT NOT NULL,
    facts TEXT NOT NULL, live INTEGER NOT NULL, listed INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX writes_live ON writes (key) WHERE live = 1;
  CREATE INDEX writes_at ON writes (at);
  CREATE INDEX writes_feature ON writes (device, feature, key);
  -- With quotes, as in the folders of today: a start compares the text.
  CREATE TABLE "calls" (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, poll INTEGER NOT NULL, cause TEXT) STRICT;
  ${JSON_TABLES.map((table) => `CREATE TABLE ${table} (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;`).join('')}
  `,
];

/** `PRAGMA user_version` of a database without migrations. Databases with a lower one were never released. */
const NO_VERSION = 18;

/** The `user_version` after this number of migrations. */
export const userVersionFor = (version: number): number => NO_VERSION + version;

/** The version for a `user_version`: the number of applied migrations. */
export const versionFor = (userVersion: unknown): number => Math.max(0, Number(userVersion ?? 0) - NO_VERSION);

/** The version of the database. */
export const versionOf = (database: DatabaseSync): number => versionFor(database.prepare('PRAGMA user_version').get()?.['user_version']);

const COPY_MS = 30 * 86_400_000;

/** Removes copies of earlier versions, except the last one for 30 days. `isNew`: it was made now. */
export const tidyCopies = (file: string, nowMs: number, isNew: boolean): void => {
  const prefix = `${basename(file)}.version-`;
  try {
    const versions = readdirSync(dirname(file))
      .flatMap((name) => (name.startsWith(prefix) ? [Number(name.slice(prefix.length))] : []))
      .filter(Number.isInteger);
    const last = Math.max(...versions);
    for (const version of versions) {
      const copy = `${file}.version-${version}`;
      if (version !== last || (!isNew && nowMs - statSync(copy).mtimeMs > COPY_MS)) rmSync(copy, { force: true });
    }
  } catch {
    // An extra copy is harmless.
  }
};

/** Migrates `file` to the last version. First copies existing data to `<file>.version-<its version>`. */
export const migrate = (database: DatabaseSync, file: string, migrations: readonly string[]): void => {
  const before = versionOf(database);
  for (const [version, sql] of [...migrations.entries()].slice(before)) {
    if (before > 0 && version === before) copyDatabase(database, `${file}.version-${version}`);
    database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${userVersionFor(version + 1)}; COMMIT`);
  }
};
