import type { SQLInputValue } from 'node:sqlite';
import type * as z from 'zod/mini';

/** A change of one row (or of all rows of a table). `row` names it: a later change of the same row takes the place of one that is not written yet. */
export type RowChange = { readonly row: string; readonly sql: string; readonly values?: readonly SQLInputValue[] };

/** `durable`: the changes also survive a power cut; `soon`: the end of the process; `waiting`: only a clean end, and what `flush` writes. */
export type Durability = 'durable' | 'soon' | 'waiting';

/** What the run before may have lost: nothing after a clean end; what waited, where it was killed; also what was committed last. */
export type Missing = 'nothing' | 'waiting' | 'committed';

type Columns = Readonly<Record<string, SQLInputValue>>;

/** No two rows have the same: only the last value of a key is any text, the others have no blanks. */
const rowOf = (table: string, key: readonly SQLInputValue[]): string => `${table} ${key.join(' ')}`;

/** Inserts a row, or changes the columns of the row with this key; a row that has these values already is not written. */
export const putRow = (table: string, key: Columns, columns: Columns): RowChange => {
  const names = Object.keys(columns);
  const place = `${table} ${names}`;
  const sql = upserts.get(place) ?? upsert(table, [...Object.keys(key), ...names], names);
  upserts.set(place, sql);
  const values = Object.values(key);
  return { row: rowOf(table, values), sql, values: values.concat(Object.values(columns)) };
};

/** Statements by table and columns: the same text each time, as a statement is prepared once for each text. */
const upserts = new Map<string, string>();

const upsert = (table: string, all: readonly string[], names: readonly string[]): string =>
  `INSERT INTO ${table} (${all}) VALUES (${all.map(() => '?')}) ` +
  `ON CONFLICT DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`)} ` +
  `WHERE ${names.map((name) => `${name} IS NOT excluded.${name}`).join(' OR ')}`;

/** Deletes the row with this key. */
export const deleteRow = (table: string, key: Columns): RowChange => {
  const where = Object.keys(key).map((name) => `${name} = ?`);
  const values = Object.values(key);
  return { row: rowOf(table, values), sql: `DELETE FROM ${table} WHERE ${where.join(' AND ')}`, values };
};

/** Sets a fact about the database in `meta`; undefined deletes it. */
export const setMeta = (name: string, value: string | undefined): RowChange =>
  value === undefined ? deleteRow('meta', { name }) : putRow('meta', { name }, { value });

/** In which start of the machine the database was opened; empty after an end at which no change is missing on disk. */
export const openedIn = (boot: string): RowChange => setMeta('opened_in', boot);

/** What waits for room on the disk must not grow with each change of the same row. */
export const lastOfEachRow = (changes: readonly RowChange[]): RowChange[] => {
  const last = new Map<string, RowChange>();
  for (const change of changes) {
    last.delete(change.row);
    last.set(change.row, change);
  }
  return [...last.values()];
};

/** Characters of a text that is not kept with its statement. */
const LONG_TEXT = 10_000;

/** A statement keeps what was bound to it last, as the text of a document with some hundred kilobytes. */
export const isLong = (values: readonly SQLInputValue[]): boolean =>
  values.some((value) => typeof value === 'string' && value.length > LONG_TEXT);

/** The rows that fit. */
export const fitting = <T>(schema: z.ZodMiniType<T>, rows: readonly unknown[]): T[] =>
  rows.flatMap((row) => {
    const parsed = schema.safeParse(row);
    return parsed.success ? [parsed.data] : [];
  });
