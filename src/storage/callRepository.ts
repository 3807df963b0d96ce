import { existsSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { CALL_CAUSES, type CallHistory, type CallRecord } from '../bridge/ports.ts';
import type { Database } from './database.ts';
import { BUSY_MS, withConnection } from './databaseFile.ts';
import { DATABASE_NAME } from './dataDir.ts';
import { flagColumn } from './jsonTable.ts';
import { askHolder } from './lock.ts';
import { type Missing, putRow, type RowChange, setMeta } from './rowChange.ts';

/**
 * Calls per write, made before the last of them is sent, because each commit writes a whole page. A larger
 * block saves little, and a bridge that is killed every ten minutes would have no call left for reads.
 */
const BLOCK = 6;
/** A power cut can lose the calls of some seconds; at 100 ms per answer these are at most 10. */
const LOST_IN_A_POWER_CUT = 10;
const MOST_LOST: { readonly [K in Missing]: number } = { nothing: 0, waiting: BLOCK - 1, committed: BLOCK - 1 + LOST_IN_A_POWER_CUT };
/** The platform's longest window. */
const COUNTS_MS = 86_400_000;
/** Foreign calls are used for a week. */
const FOREIGN_COUNTS_MS = 7 * COUNTS_MS;
/** The maximum number of unwritten calls in memory. */
const MOST_UNWRITTEN = 2000;

const callRow = z.object({ kind: z.literal('call'), at: z.number(), poll: flagColumn, cause: z.nullable(z.string()) });
const foreignRow = z.object({
  kind: z.literal('foreign'),
  at: z.number(),
  until: z.number(),
  calls: z.number(),
});
const pauseRow = z.object({ kind: z.literal('pause'), until: z.number(), at: z.number() });
const lastRow = z.object({ id: z.number() });

/** Calls, foreign calls and the 429 pause. After a kill, the possibly unwritten calls are added. */
export const callRepository = (database: Database): CallHistory => {
  let lastId = database.rows(lastRow, 'SELECT max(0, coalesce(max(id), 0)) AS id FROM calls')[0]?.id ?? 0;
  /** Calls that wait for a full block. */
  let block: readonly RowChange[] = [];

  const writeBlock = (): void => {
    database.write(block);
    block = [];
  };

  return {
    // Read on demand at the start: stored, it would use memory for the whole run.
    get kept() {
      const calls = database.rows(callRow, "SELECT 'call' AS kind, at, poll, cause FROM calls ORDER BY at, id");
      return [
        ...calls.map((row) => ({ ...row, cause: CALL_CAUSES.find((one) => one === row.cause) ?? (row.poll ? 'poll' : 'earlier') })),
        ...database.rows(foreignRow, "SELECT 'foreign' AS kind, at, until, calls FROM foreign_calls WHERE window = 'day' ORDER BY at"),
        ...database.rows(pauseRow, "SELECT 'pause' AS kind, until, at FROM pause"),
      ];
    },
    lost: Math.max(MOST_LOST[database.missing], Number(database.meta('lost_calls') ?? 0)),
    append: (line) => {
      database.write(tooOld(line), 'waiting');
      if (line.kind !== 'call') return void database.write([changeOf(line, 0)]);
      lastId += 1;
      const change = changeOf(line, lastId);
      block = [...block, change];
      if (block.length < BLOCK) database.write([change], 'waiting');
      else writeBlock();
    },
    rewrite: (lines) => {
      // Replaces a pending removal by age, which uses the time of the previous clock.
      const clear = ['calls', 'foreign_calls', 'pause'].flatMap((table) =>
        [table, `old ${table}`].map((row) => ({ row, sql: `DELETE FROM ${table}` })),
      );
      // Pending changes are cleared too. The lines include the lost calls.
      writeBlock();
      lastId += lines.length;
      database.write([...clear, setMeta('lost_calls', undefined), ...changesOf(lines, lastId)]);
    },
    holds: (lines) => database.keepsKnown(() => changesOf(lines(), lastId)),
  };
};

/** The last call gets the last id. Pending calls get their ids here. */
const changesOf = (lines: readonly CallRecord[], lastId: number): readonly RowChange[] => {
  let id = lastId - lines.filter(({ kind }) => kind === 'call').length;
  return lines.map((line) => changeOf(line, line.kind === 'call' ? ++id : 0));
};

/** `id`: the id of a call. */
const changeOf = (line: CallRecord, id: number): RowChange => {
  switch (line.kind) {
    case 'call':
      // Limits the calls in memory while nothing can be written.
      return {
        ...putRow('calls', { id }, { at: line.at, poll: Number(line.poll), cause: line.cause }),
        row: `call ${id % MOST_UNWRITTEN}`,
      };
    case 'foreign':
      return putRow('foreign_calls', { at: line.at, window: 'day' }, { until: line.until, calls: line.calls });
    case 'pause':
      return putRow('pause', { id: 1 }, { until: line.until, at: line.at });
    default:
      return line satisfies never;
  }
};

/** Missing calls count until they are recorded as normal calls. Another kill before that adds more. */
export const lostCalls = (missing: Missing): RowChange => ({
  ...setMeta('lost_calls', String(MOST_LOST[missing])),
  sql: 'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value',
});

/** Removes expired rows at the time of a new line, so the tables do not exceed their windows. */
const tooOld = (line: CallRecord): readonly RowChange[] => {
  if (line.kind === 'pause') return [];
  const [table, ms] = line.kind === 'call' ? ['calls', COUNTS_MS] : ['foreign_calls', FOREIGN_COUNTS_MS];
  return [{ row: `old ${table}`, sql: `DELETE FROM ${table} WHERE at < ?`, values: [line.at - Number(ms)] }];
};

/**
 * Counts a login call that a command or the page made without the bridge, for its next start. A running
 * bridge counts it when it adopts the login. Never rejects, because the call was made.
 */
export const countBeside = async (dir: string, atMs: number): Promise<void> => {
  try {
    const file = join(dir, DATABASE_NAME);
    if (!existsSync(file) || (await askHolder(dir)) !== undefined) return;
    // The bridge's ids count upwards from 1, including pending calls. These ids are below 1.
    const sql = "INSERT INTO calls (id, at, poll, cause) SELECT min(coalesce(min(id), 0), 0) - 1, ?, 0, 'identity' FROM calls";
    withConnection(file, { timeout: BUSY_MS }, (connection) => connection.prepare(sql).run(Math.round(atMs)));
  } catch {
    // The holder does not answer, or the database has another version. One uncounted call is acceptable.
  }
};
