import type { SQLInputValue } from 'node:sqlite';
import type * as z from 'zod/mini';

/** A change of one row (or all rows of a table). `row` is its id: a later change replaces a pending one. */
export type RowChange = { readonly row: string; readonly sql: string; readonly values?: readonly SQLInputValue[] };

/** `durable` survives a power cut; `soon` the end of the process; `waiting` a clean end or `flush` only. */
export type Durability = 'durable' | 'soon' | 'waiting';

/** Possible losses of the previous run: none; pending changes (kill); also the last commits. */
export type Missing = 'nothing' | 'waiting' | 'committed';

type Columns = Readonly<Record<string, SQLInputValue>>;

/** Unique: only the last value of a key is free text; the others contain no blanks. */
const rowOf = (table: string, key: readonly SQLInputValue[]): string => `${table} ${key.join(' ')}`;

/** Inserts or updates the row with this key; does not write an unchanged row. */
export const putRow = (table: string, key: Columns, columns: Columns): RowChange => {
  const names = Object.keys(columns);
  const place = `${table} ${names}`;
  const sql = upserts.get(place) ?? upsert(table, [...Object.keys(key), ...names], names);
  upserts.set(place, sql);
  const values = Object.values(key);
  return { row: rowOf(table, values), sql, values: values.concat(Object.values(columns)) };
};

/** Cached SQL by table and columns: a statement is prepared once per text. */
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

/** The boot id at the opening of the database; empty after a clean end without missing changes. */
export const openedIn = (boot: string): RowChange => setMeta('opened_in', boot);

/** Pending changes must not grow with each change of the same row. */
export const lastOfEachRow = (changes: readonly RowChange[]): RowChange[] => {
  const last = new Map<string, RowChange>();
  for (const change of changes) {
    last.delete(change.row);
    last.set(change.row, change);
  }
  return [...last.values()];
};

/** The length of a text whose statement is not cached. */
const LONG_TEXT = 10_000;

/** A cached statement keeps its last bound values, for example a document of some hundred kB. */
export const isLong = (values: readonly SQLInputValue[]): boolean =>
  values.some((value) => typeof value === 'string' && value.length > LONG_TEXT);

/** The rows that match the schema. */
export const fitting = <T>(schema: z.ZodMiniType<T>, rows: readonly unknown[]): T[] =>
  rows.flatMap((row) => {
    const parsed = schema.safeParse(row);
    return parsed.success ? [parsed.data] : [];
  });
