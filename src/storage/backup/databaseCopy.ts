import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, Session, SQLInputValue } from 'node:sqlite';
import * as z from 'zod/mini';
import { isSqliteError } from '../../shared/errors.ts';
import { markComplete } from '../completeFile.ts';
import { isIntact, partsOf, withConnection } from '../databaseFile.ts';
import { DATABASE_NAME } from '../dataDir.ts';
import { MIGRATIONS, migrate, versionOf } from '../migrations.ts';

/** Charts: they are large, and nothing depends on them. */
const NOT_COPIED: ReadonlySet<string> = new Set(['series', 'points']);

// https://sqlite.org/session/c_changeset_abort.html; a value from the module would load it at each start, which Node 22 warns of.
const [CHANGESET_OMIT, CHANGESET_REPLACE] = [0, 1];
const [CHANGESET_DATA, CHANGESET_CONFLICT] = [1, 3];

/** What follows a database, as a copy of it is kept elsewhere. */
export type DatabaseFollower = {
  /** From now on this is the connection; the file may be another one. */
  opened(connection: DatabaseSync): void;
  /** Changes have been written. */
  committed(): void;
  /** Changes wait in memory from now on, as the disk does not take them, or none does any more. */
  behind(isBehind: boolean): void;
  /** The connection ends; everything has been written. */
  closing(): void;
};

/** All rows of a database by table, and its version. Changes are SQLite's changesets, as base64. */
type DatabaseRows = { readonly version: number; readonly tables: Readonly<Record<string, readonly object[]>> };

const rowsSchema = z.object({
  version: z.number(),
  tables: z.record(z.string(), z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])))),
});

const tablesOf = (connection: DatabaseSync): readonly string[] =>
  connection
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !NOT_COPIED.has(name));

/** Collects which rows change (https://sqlite.org/sessionintro.html), so that a copy can be kept in step. */
export const rowChanges = (connection: DatabaseSync) => {
  const tables = tablesOf(connection);
  const begin = (): readonly Session[] => tables.map((table) => connection.createSession({ table }));
  let sessions = begin();

  /** What has changed since the last time, a changeset for each table; empty where nothing has. */
  const take = (): readonly string[] => {
    if (!connection.isOpen) return [];
    const sets = sessions.map((session) => session.changeset()).filter((set) => set.length > 0);
    if (sets.length > 0) {
      for (const session of sessions) session.close();
      sessions = begin();
    }
    return sets.map((set) => Buffer.from(set).toString('base64'));
  };

  /** Everything. What has changed until now is part of it. */
  const all = (): DatabaseRows => {
    take();
    const rows = tables.map((table) => [table, connection.prepare(`SELECT * FROM ${table}`).all()] as const);
    return { version: versionOf(connection), tables: Object.fromEntries(rows) };
  };

  return { take, all };
};

export type RowChanges = ReturnType<typeof rowChanges>;

/** The version of the rows that this version of the bridge writes; it reads those and earlier ones. */
export const rowsVersion = (): number => MIGRATIONS.length;

/** Makes the database in the folder anew from a copy and the changes after it; what lies there goes. Throws where the copy is none. */
export const rebuildDatabase = (dir: string, rows: unknown, changesets: readonly string[]): void => {
  const { version, tables } = rowsSchema.parse(rows);
  const file = removeDatabase(dir);
  const isClean = withConnection(file, {}, (connection) => {
    // Nothing needs to survive a power cut yet: until the folder is used, the copy is there.
    connection.exec('PRAGMA synchronous = OFF');
    migrate(connection, file, MIGRATIONS.slice(0, version));
    connection.exec('BEGIN');
    for (const [table, all] of Object.entries(tables)) {
      connection.exec(`DELETE FROM ${table}`);
      for (const row of all) insert(connection, table, row);
    }
    connection.exec('COMMIT');
    for (const set of changesets) connection.applyChangeset(Buffer.from(set, 'base64'), { onConflict });
    return (connection.prepare("SELECT value FROM meta WHERE name = 'opened_in'").get()?.['value'] ?? '') === '';
  });
  // After a clean end nothing has been lost with the process before.
  markComplete(file, isClean);
};

const insert = (connection: DatabaseSync, table: string, row: Readonly<Record<string, SQLInputValue>>): void => {
  const names = Object.keys(row);
  connection.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`).run(...Object.values(row));
};

// A row that is there, or was another one before, gets what the newer change says.
const onConflict = (kind: number): number => (kind === CHANGESET_DATA || kind === CHANGESET_CONFLICT ? CHANGESET_REPLACE : CHANGESET_OMIT);

/** Removes the database in the folder; gives its file. */
export const removeDatabase = (dir: string): string => {
  const file = join(dir, DATABASE_NAME);
  markComplete(file, false);
  for (const part of partsOf(file)) rmSync(part, { force: true });
  return file;
};

/** True where the folder holds a database that SQLite finds no damage in. It stays as it is. */
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
