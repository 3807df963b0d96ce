import type { SQLInputValue } from 'node:sqlite';

/** A change of one row (or of all rows of a table). `row` names it: a later change of the same row takes the place of one that is not written yet. */
export type RowChange = { readonly row: string; readonly sql: string; readonly values?: readonly SQLInputValue[] };

type Columns = Readonly<Record<string, SQLInputValue>>;

const rowOf = (table: string, key: Columns): string => JSON.stringify([table, ...Object.values(key)]);

/** Inserts a row, or changes the columns of the row with this key; a row that has these values already is not written. */
export const putRow = (table: string, key: Columns, columns: Columns): RowChange => {
  const all = { ...key, ...columns };
  const names = Object.keys(columns);
  const sql =
    `INSERT INTO ${table} (${Object.keys(all)}) VALUES (${Object.keys(all).fill('?')}) ` +
    `ON CONFLICT DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`)} ` +
    `WHERE ${names.map((name) => `${name} IS NOT excluded.${name}`).join(' OR ')}`;
  return { row: rowOf(table, key), sql, values: Object.values(all) };
};

/** Deletes the row with this key. */
export const deleteRow = (table: string, key: Columns): RowChange => {
  const where = Object.keys(key).map((name) => `${name} = ?`);
  return { row: rowOf(table, key), sql: `DELETE FROM ${table} WHERE ${where.join(' AND ')}`, values: Object.values(key) };
};

/** Sets a fact about the database in `meta`; undefined deletes it. */
export const setMeta = (name: string, value: string | undefined): RowChange =>
  value === undefined ? deleteRow('meta', { name }) : putRow('meta', { name }, { value });
