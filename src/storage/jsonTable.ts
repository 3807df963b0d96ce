import * as z from 'zod/mini';
import { isDeeperThan, jsonObject } from '../shared/json.ts';
import type { Database } from './database.ts';
import { deleteRow, putRow } from './rowChange.ts';

/** The platform's values have 4 levels; some thousands would take the whole stack of a function that walks through them. */
const DEEPEST = 200;

/** A column that holds a JSON object. */
export const jsonColumn = z.pipe(
  z.string(),
  z.transform((text: string, context): Readonly<Record<string, unknown>> => {
    const value = jsonObject(text);
    if (value && !isDeeperThan(value, DEEPEST)) return value;
    context.issues.push({ code: 'custom', message: 'no JSON object', input: text });
    return z.NEVER;
  }),
);

/** A column that is 0 or 1. */
export const flagColumn = z.pipe(
  z.number(),
  z.transform((value: number) => value !== 0),
);

const keyedRow = z.object({ key: z.string(), value: jsonColumn });

/** Selects everything of a table. */
export const allOf = (table: string): string => `SELECT key, value FROM ${table} ORDER BY rowid`;

/** The values of such rows by their keys; a row whose value is no JSON object is left out. */
export const jsonRows = (rows: readonly unknown[]): ReadonlyMap<string, unknown> =>
  new Map(
    rows.flatMap((row) => {
      const parsed = keyedRow.safeParse(row);
      return parsed.success ? [[parsed.data.key, parsed.data.value] as const] : [];
    }),
  );

/** A table of JSON objects by key: overrides, undo, composites, documents, inventory or logins. `durable`: each change survives a power cut. */
export class JsonTable {
  readonly #database: Database;
  readonly #table: string;
  readonly #durable: boolean;

  constructor(database: Database, table: string, { durable = false } = {}) {
    this.#database = database;
    this.#table = table;
    this.#durable = durable;
  }

  read(): ReadonlyMap<string, unknown> {
    return jsonRows(this.#database.rows(z.unknown(), allOf(this.#table)));
  }

  /** False where it is not on disk: what was written last is there then. */
  write(key: string, value: object | undefined): boolean {
    const change = value === undefined ? deleteRow(this.#table, { key }) : putRow(this.#table, { key }, { value: JSON.stringify(value) });
    return this.#database.write([change], { durable: this.#durable });
  }
}
