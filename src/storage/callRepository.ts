import * as z from 'zod/mini';
import type { QuotaLine, QuotaMemory } from '../bridge/ports.ts';
import { type Database, type RowChange, withoutMeta } from './database.ts';

/** A power cut can swallow the calls of some seconds; at an answer in 100 ms no more fit into them. */
const LOST_IN_A_POWER_CUT = 10;
/** The platform's longest window. */
const COUNTS_MS = 86_400_000;
/** What others have spent is looked at for a week. */
const FOREIGN_COUNTS_MS = 7 * COUNTS_MS;
/** So many calls that could not be written are kept in memory. */
const MOST_UNWRITTEN = 2000;

const callRow = z.object({ at: z.number(), poll: z.number() });
const foreignRow = z.object({ at: z.number(), until: z.number(), window: z.enum(['day', 'ten']), calls: z.number() });
const pauseRow = z.object({ until: z.number(), at: z.nullable(z.number()) });

/** The calls to the platform, each written before it is made, what others have spent, and the pause after a 429. */
export class CallRepository implements QuotaMemory {
  readonly kept: readonly QuotaLine[];
  /** Calls that may have been made and are not written. */
  readonly lost: number;
  readonly #database: Database;
  #written = 0;

  constructor(database: Database) {
    this.#database = database;
    this.lost = database.mayLackChanges || database.hasMeta('lost_calls') ? LOST_IN_A_POWER_CUT : 0;
    this.kept = [
      ...database
        .rows(callRow, 'SELECT at, poll FROM calls ORDER BY at')
        .map(({ at, poll }) => ({ kind: 'call' as const, at, poll: poll !== 0 })),
      ...database
        .rows(foreignRow, 'SELECT at, until, window, calls FROM foreign_calls ORDER BY at')
        .map((foreign) => ({ kind: 'foreign' as const, ...foreign })),
      ...database
        .rows(pauseRow, 'SELECT until, at FROM pause')
        .map(({ until, at }) => ({ kind: 'pause' as const, until, ...(at === null ? {} : { at }) })),
    ];
  }

  append(line: QuotaLine): void {
    this.#database.write([this.#insert(line), ...tooOld(line)]);
  }

  rewrite(lines: readonly QuotaLine[]): void {
    const clear = ['calls', 'foreign_calls', 'pause'].map((table) => ({ row: table, sql: `DELETE FROM ${table}` }));
    // The lines hold the lost calls too.
    this.#database.write([
      ...clear,
      withoutMeta('lost_calls'),
      ...lines.map((line, index) => ({ ...this.#insert(line), row: `rewritten call ${index}` })),
    ]);
  }

  #insert(line: QuotaLine): RowChange {
    switch (line.kind) {
      case 'call': {
        this.#written += 1;
        const row = `call ${this.#written % MOST_UNWRITTEN}`;
        return { row, sql: 'INSERT INTO calls (at, poll) VALUES (?, ?)', values: [line.at, Number(line.poll)] };
      }
      case 'foreign': {
        const sql = 'INSERT OR REPLACE INTO foreign_calls (at, window, until, calls) VALUES (?, ?, ?, ?)';
        return { row: `foreign ${line.at} ${line.window}`, sql, values: [line.at, line.window, line.until, line.calls] };
      }
      case 'pause': {
        const sql = 'INSERT OR REPLACE INTO pause (id, until, at) VALUES (1, ?, ?)';
        return { row: 'pause row', sql, values: [line.until, line.at ?? null] };
      }
      default:
        return line satisfies never;
    }
  }
}

/** Removes what counts no more at the time of a new line, so that the tables stay as long as their windows. */
const tooOld = (line: QuotaLine): readonly RowChange[] => {
  if (line.kind === 'pause') return [];
  const [table, ms] = line.kind === 'call' ? ['calls', COUNTS_MS] : ['foreign_calls', FOREIGN_COUNTS_MS];
  return [{ row: `old ${table}`, sql: `DELETE FROM ${table} WHERE at < ?`, values: [line.at - Number(ms)] }];
};
