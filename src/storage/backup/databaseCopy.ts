import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, Session, SQLInputValue } from 'node:sqlite';
import * as z from 'zod/mini';
import { isSqliteError } from '../../shared/errors.ts';
import { markComplete } from '../completeFile.ts';
import { isIntact, partsOf, withConnection } from '../databaseFile.ts';
import { DATABASE_NAME } from '../dataDir.ts';
import { MIGRATIONS, migrate, userVersionFor, versionFor, versionOf } from '../migrations.ts';

/** Chart data: large, and not needed by other functions. */
const NOT_COPIED: ReadonlySet<string> = new Set(['series', 'points']);

// https://sqlite.org/session/c_changeset_abort.html; importing them loads the module, and Node 22 warns.
const [CHANGESET_OMIT, CHANGESET_REPLACE] = [0, 1];
const [CHANGESET_DATA, CHANGESET_CONFLICT] = [1, 3];

/** Keeps a copy of a database elsewhere. */
export type DatabaseFollower = {
  /** This is the connection from now on. It may use another file. */
  opened(connection: DatabaseSync): void;
  /** Changes have been written. */
  committed(): void;
  /** Changes wait in memory because the disk refuses them, or none wait any more. */
  behind(isBehind: boolean): void;
  /** The connection closes; everything has been written. */
  closing(): void;
};

/** All rows of a database by table, and its `user_version`. Changes are SQLite changesets in base64. */
type DatabaseRows = { readonly version: number; readonly tables: Readonly<Record<string, readonly object[]>> };

const rowsSchema = z.object({
  version: z.number().check(z.minimum(userVersionFor(1))),
  tables: z.record(z.string(), z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])))),
});

const tablesOf = (connection: DatabaseSync): readonly string[] =>
  connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !NOT_COPIED.has(name));

/** Records row changes (https://sqlite.org/sessionintro.html), to keep a copy up to date. */
export const rowChanges = (connection: DatabaseSync) => {
  const tables = tablesOf(connection);
  const begin = (): readonly Session[] => tables.map((table) => connection.createSession({ table }));
  let sessions = begin();

  /** The changes since the last call, one changeset per table; empty without changes. */
  const take = (): readonly string[] => {
    if (!connection.isOpen) return [];
    const sets = sessions.map((session) => session.changeset()).filter((set) => set.length > 0);
    if (sets.length > 0) {
      for (const session of sessions) session.close();
      sessions = begin();
    }
    return sets.map((set) => Buffer.from(set).toString('base64'));
  };

  /** All rows, including the changes until now. */
  const all = (): DatabaseRows => {
    take();
    const rows = tables.map((table) => [table, connection.prepare(`SELECT * FROM ${table}`).all()] as const);
    return { version: userVersionFor(versionOf(connection)), tables: Object.fromEntries(rows) };
  };

  return { take, all };
};

export type RowChanges = ReturnType<typeof rowChanges>;

/** The row version of this bridge version, which also reads earlier ones: the `user_version` of its databases. */
export const rowsVersion = (): number => userVersionFor(MIGRATIONS.length);

/** Replaces the database in the folder with a copy and later changes. Throws for an invalid copy. */
export const rebuildDatabase = (dir: string, rows: unknown, changesets: readonly string[]): void => {
  const { version, tables } = rowsSchema.parse(rows);
  const file = removeDatabase(dir);
  const isClean = withConnection(file, {}, (connection) => {
    // No durability needed: until the folder is used, the copy still exists.
    connection.exec('PRAGMA synchronous = OFF');
    migrate(connection, file, MIGRATIONS.slice(0, versionFor(version)));
    connection.exec('BEGIN');
    for (const [table, all] of Object.entries(tables)) {
      connection.exec(`DELETE FROM ${table}`);
      for (const row of all) insert(connection, table, row);
    }
    connection.exec('COMMIT');
    for (const set of changesets) connection.applyChangeset(Buffer.from(set, 'base64'), { onConflict });
    return (connection.prepare("SELECT value FROM meta WHERE name = 'opened_in'").get()?.['value'] ?? '') === '';
  });
  // After a clean end, the previous process left no lost changes.
  markComplete(file, isClean);
};

const insert = (connection: DatabaseSync, table: string, row: Readonly<Record<string, SQLInputValue>>): void => {
  const names = Object.keys(row);
  connection.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`).run(...Object.values(row));
};

// Existing or different rows are replaced by the newer change.
const onConflict = (kind: number): number => (kind === CHANGESET_DATA || kind === CHANGESET_CONFLICT ? CHANGESET_REPLACE : CHANGESET_OMIT);

/** Removes the database in the folder and returns its path. */
export const removeDatabase = (dir: string): string => {
  const file = join(dir, DATABASE_NAME);
  markComplete(file, false);
  for (const part of partsOf(file)) rmSync(part, { force: true });
  return file;
};

/** True if the folder has a database that SQLite finds intact. Does not change it. */
export const hasDatabase = (dir: string): boolean => {
  const file = join(dir, DATABASE_NAME);
  if (!existsSync(file)) return false;
  try {
    return withConnection(file, { readOnly: true }, isIntact);
  } catch (cause) {
    if (isSqliteError(cause)) return false;
    throw cause;
  }
};
