import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { CALL_CAUSES, type CallCause, type CallHistory, type CallRecord } from '../bridge/ports.ts';
import { openSqlite } from '../shared/plainFile.ts';
import { BUSY_MS, type Database } from './database.ts';
import { flagColumn } from './jsonTable.ts';
import { askHolder } from './lock.ts';
import { DATABASE_NAME } from './openDatabase.ts';
import { putRow, type RowChange, setMeta } from './rowChange.ts';

/** A power cut can swallow the calls of some seconds; at an answer in 100 ms no more fit into them. */
const LOST_IN_A_POWER_CUT = 10;
/** The platform's longest window. */
const COUNTS_MS = 86_400_000;
/** What others have spent is looked at for a week. */
const FOREIGN_COUNTS_MS = 7 * COUNTS_MS;
/** So many calls that could not be written are kept in memory. */
const MOST_UNWRITTEN = 2000;

const callRow = z.object({ kind: z.literal('call'), at: z.number(), poll: flagColumn, cause: z.nullable(z.string()) });
const foreignRow = z.object({
  kind: z.literal('foreign'),
  at: z.number(),
  until: z.number(),
  calls: z.number(),
});
const pauseRow = z.object({ kind: z.literal('pause'), until: z.number(), at: z.number() });

/** The calls to the platform, each written before it is made, what others have spent, and the pause after a 429. */
export class CallRepository implements CallHistory {
  readonly kept: readonly CallRecord[];
  /** Calls that may have been made and are not written. */
  readonly lost: number;
  readonly #database: Database;
  /** What is on disk, for a database that another program has overwritten. */
  #lines: readonly CallRecord[];
  #written = 0;

  constructor(database: Database) {
    this.#database = database;
    database.keepsKnown(() => this.#rewritten());
    this.lost = database.mayLackChanges || database.meta('lost_calls') !== undefined ? LOST_IN_A_POWER_CUT : 0;
    this.kept = [
      ...database
        .rows(callRow, "SELECT 'call' AS kind, at, poll, cause FROM calls ORDER BY at")
        .map((row): CallRecord => ({ ...row, cause: CALL_CAUSES.find((one) => one === row.cause) ?? (row.poll ? 'poll' : 'earlier') })),
      ...database.rows(foreignRow, "SELECT 'foreign' AS kind, at, until, calls FROM foreign_calls WHERE window = 'day' ORDER BY at"),
      ...database.rows(pauseRow, "SELECT 'pause' AS kind, until, at FROM pause"),
    ];
    this.#lines = this.kept;
  }

  append(line: CallRecord): void {
    this.#lines = [...this.#lines.filter(({ kind, at }) => at > line.at - (kind === 'call' ? COUNTS_MS : FOREIGN_COUNTS_MS)), line];
    this.#database.write([this.#insert(line), ...tooOld(line)]);
  }

  rewrite(lines: readonly CallRecord[]): void {
    const clear = ['calls', 'foreign_calls', 'pause'].map((table) => ({ row: table, sql: `DELETE FROM ${table}` }));
    // The lines hold the lost calls too.
    const unlost = setMeta('lost_calls', undefined);
    this.#lines = lines;
    this.#database.write([...clear, unlost, ...this.#rewritten()]);
  }

  #rewritten(): readonly RowChange[] {
    return this.#lines.map((line, index) => ({ ...this.#insert(line), row: `rewritten call ${index}` }));
  }

  #insert(line: CallRecord): RowChange {
    switch (line.kind) {
      case 'call': {
        this.#written += 1;
        const row = `call ${this.#written % MOST_UNWRITTEN}`;
        return { row, sql: 'INSERT INTO calls (at, poll, cause) VALUES (?, ?, ?)', values: [line.at, Number(line.poll), line.cause] };
      }
      case 'foreign':
        return putRow('foreign_calls', { at: line.at, window: 'day' }, { until: line.until, calls: line.calls });
      case 'pause':
        return putRow('pause', { id: 1 }, { until: line.until, at: line.at });
      default:
        return line satisfies never;
    }
  }
}

/** Removes what counts no more at the time of a new line, so that the tables stay as long as their windows. */
const tooOld = (line: CallRecord): readonly RowChange[] => {
  if (line.kind === 'pause') return [];
  const [table, ms] = line.kind === 'call' ? ['calls', COUNTS_MS] : ['foreign_calls', FOREIGN_COUNTS_MS];
  return [{ row: `old ${table}`, sql: `DELETE FROM ${table} WHERE at < ?`, values: [line.at - Number(ms)] }];
};

/**
 * Counts a call that a command or the page has made beside the bridge, for its next start. A bridge that runs counts the call of a login when
 * it takes the login up. Never rejects: the call was made.
 */
export const countBeside = async (dir: string, atMs: number, cause: CallCause): Promise<void> => {
  try {
    const file = join(dir, DATABASE_NAME);
    if (!existsSync(file) || (await askHolder(dir)) !== undefined) return;
    const connection = openSqlite(file, { timeout: BUSY_MS });
    try {
      connection.prepare('INSERT INTO calls (at, poll, cause) VALUES (?, 0, ?)').run(Math.round(atMs), cause);
    } finally {
      connection.close();
    }
  } catch {
    // A holder that does not answer, or a database of another version: one call more or less.
  }
};
