import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { copyDatabase } from './databaseFile.ts';

/**
 * Each entry migrates the database from the version of its index to the next. Never change released entries.
 * Instants are epoch milliseconds. Devices are named by the bridge's device key.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE published_topics (topic TEXT PRIMARY KEY, owner TEXT NOT NULL, hash TEXT, seal INTEGER NOT NULL) STRICT;
  CREATE TABLE cleared_topics (topic TEXT PRIMARY KEY, seal INTEGER NOT NULL) STRICT;
  CREATE TABLE features (
    device TEXT NOT NULL, name TEXT NOT NULL, record TEXT, offered TEXT, PRIMARY KEY (device, name)
  ) STRICT;
  CREATE TABLE reads (
    device TEXT NOT NULL, name TEXT NOT NULL, chosen TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (device, name)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE availability (device TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE absences (device TEXT PRIMARY KEY, features TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE journal (
    key INTEGER PRIMARY KEY AUTOINCREMENT, write TEXT NOT NULL,
    accepted INTEGER NOT NULL, answered INTEGER NOT NULL, settled INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE calls (at INTEGER NOT NULL, poll INTEGER NOT NULL) STRICT;
  CREATE INDEX calls_at ON calls (at);
  CREATE TABLE foreign_calls (
    at INTEGER NOT NULL, window TEXT NOT NULL, until INTEGER NOT NULL, calls INTEGER NOT NULL, PRIMARY KEY (at, window)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE pause (id INTEGER PRIMARY KEY CHECK (id = 1), until INTEGER NOT NULL, at INTEGER) STRICT;
  CREATE TABLE undo (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE overrides (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE composites (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE documents (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE inventory (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  CREATE TABLE logins (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `,
  `
  CREATE TABLE series (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE points (
    series INTEGER NOT NULL, slot INTEGER NOT NULL, at INTEGER NOT NULL, value ANY, PRIMARY KEY (series, slot)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE changes (
    key INTEGER PRIMARY KEY, at INTEGER NOT NULL, device TEXT NOT NULL, feature TEXT NOT NULL, facts TEXT NOT NULL
  ) STRICT;
  CREATE INDEX changes_at ON changes (at);
  CREATE INDEX changes_feature ON changes (device, feature, key);
  `,
  'ALTER TABLE calls ADD COLUMN cause TEXT',
  'CREATE TABLE drafts (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  'CREATE TABLE running_totals (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  'CREATE TABLE waiting_commands (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  `
  DROP TABLE journal; DROP TABLE undo; DROP TABLE overrides; DROP TABLE changes; DROP TABLE drafts; DROP TABLE waiting_commands;
  CREATE TABLE writes (
    key INTEGER PRIMARY KEY, at INTEGER NOT NULL, device TEXT NOT NULL, feature TEXT NOT NULL,
    facts TEXT NOT NULL, live INTEGER NOT NULL, listed INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX writes_live ON writes (key) WHERE live = 1;
  CREATE INDEX writes_at ON writes (at);
  CREATE INDEX writes_feature ON writes (device, feature, key);
  `,
  `
  DROP TABLE cleared_topics; ALTER TABLE published_topics DROP COLUMN seal; DELETE FROM meta WHERE name = 'pending_beat';
  `,
  'CREATE TABLE last_answers (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  'CREATE TABLE account_refusals (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  `
  CREATE TABLE counted_calls (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, poll INTEGER NOT NULL, cause TEXT) STRICT;
  INSERT INTO counted_calls (at, poll, cause) SELECT at, poll, cause FROM calls ORDER BY at;
  DROP TABLE calls;
  ALTER TABLE counted_calls RENAME TO calls;
  UPDATE meta SET name = 'last_checkpoint_id' WHERE name = 'beat';
  UPDATE meta SET name = 'checkpoint_id' WHERE name = 'sealed_beat';
  `,
  'CREATE TABLE faults (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  'CREATE TABLE performance (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  'CREATE TABLE past (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  // State to detect frozen data, the frozen data, and the gateways with an accepted restart.
  `CREATE TABLE frozen (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
   CREATE TABLE frozen_told (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`,
  'CREATE TABLE seasons (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  'CREATE TABLE plans (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
  // One row for a device's data besides its features. Read times are not migrated.
  `DROP TABLE reads; DROP TABLE availability; DROP TABLE absences;
   CREATE TABLE devices (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT`,
];

/** The version of the database: the number of applied migrations. */
export const versionOf = (database: DatabaseSync): number => Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);

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
    database.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${version + 1}; COMMIT`);
  }
};
