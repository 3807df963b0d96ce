import * as z from 'zod/mini';
import type { KeyedStore, PerformanceStore } from '../bridge/ports.ts';
import { isDeeperThan, jsonObject } from '../shared/json.ts';
import type { Database } from './database.ts';
import { type Durability, deleteRow, fitting, putRow } from './rowChange.ts';

/** The platform's values have 4 levels. Some thousands would overflow the stack of a recursive function. */
const DEEPEST = 200;

/** A column with a JSON object. */
export const jsonColumn = z.pipe(
  z.string(),
  z.transform((text: string, context): Readonly<Record<string, unknown>> => {
    const value = jsonObject(text);
    if (value && !isDeeperThan(value, DEEPEST)) return value;
    context.issues.push({ code: 'custom', message: 'no JSON object', input: text });
    return z.NEVER;
  }),
);

/** A column with 0 or 1. */
export const flagColumn = z.pipe(
  z.number(),
  z.transform((value: number) => value !== 0),
);

const keyedRow = z.object({ key: z.string(), value: jsonColumn });

/** Selects all rows of a table. */
export const allOf = (table: string): string => `SELECT key, value FROM ${table} ORDER BY rowid`;

/** The values of the rows by key; a row without a JSON object is left out. */
export const jsonRows = (rows: readonly unknown[]): ReadonlyMap<string, unknown> =>
  new Map(fitting(keyedRow, rows).map(({ key, value }) => [key, value]));

/** A table of JSON objects by key: composites, documents, inventory and running totals. */
export const jsonTable = (database: Database, table: string, durability: Durability = 'soon'): KeyedStore => ({
  read: () => jsonRows(database.rows(z.unknown(), allOf(table))),
  write: (key, value) =>
    database.write([value ? putRow(table, { key }, { value: JSON.stringify(value) }) : deleteRow(table, { key })], durability),
});

/** The performance table. It grows for years: only the requested rows are read. */
export const performanceTable = (database: Database): PerformanceStore => ({
  read: (prefix, from = prefix) =>
    jsonRows(
      database.rows(z.unknown(), 'SELECT key, value FROM performance WHERE key >= ? AND key < ? ORDER BY key', from, `${prefix}\uffff`),
    ),
  write: (rows, waits) => {
    const changes = [...rows].map(([key, value]) => putRow('performance', { key }, { value: JSON.stringify(value) }));
    database.write(changes, waits ? 'waiting' : 'soon');
  },
});

/** A table for essential data (logins). It survives a power cut and the loss of the file during a run. */
export const durableTable = (database: Database, table: string): KeyedStore => {
  const { read, write } = jsonTable(database, table, 'durable');
  const known = new Map<string, object>();
  for (const [key, value] of read()) if (typeof value === 'object' && value !== null) known.set(key, value);
  database.keepsKnown(() => [...known].map(([key, value]) => putRow(table, { key }, { value: JSON.stringify(value) })));
  return {
    read,
    write: (key, value) => {
      if (value) known.set(key, value);
      else known.delete(key);
      return write(key, value);
    },
  };
};
