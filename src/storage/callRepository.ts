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
 * So many calls are written together, before the last of them is made, as each commit writes a whole page. More would save little, and a
 * bridge that is killed every ten minutes would have no call left for reads.
 */
const BLOCK = 6;
/** A power cut can swallow the calls of some seconds; at an answer in 100 ms no more fit into them. */
const LOST_IN_A_POWER_CUT = 10;
const MOST_LOST: { readonly [K in Missing]: number } = { nothing: 0, waiting: BLOCK - 1, committed: BLOCK - 1 + LOST_IN_A_POWER_CUT };
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
const lastRow = z.object({ id: z.number() });

/** The calls to the platform, what others have spent, and the pause after a 429. After a kill as many calls count as were perhaps not written. */
export const callRepository = (database: Database): CallHistory => {
  let lastId = database.rows(lastRow, 'SELECT max(0, coalesce(max(id), 0)) AS id FROM calls')[0]?.id ?? 0;
  /** Calls that wait for others. */
  let block: readonly RowChange[] = [];

  const writeBlock = (): void => {
    database.write(block);
    block = [];
  };

  return {
    // Read when it is asked for, at the start: held, it would stay as long as the bridge.
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
      // In place of a removal by age that waits, too: its time is by the clock before.
      const clear = ['calls', 'foreign_calls', 'pause'].flatMap((table) =>
        [table, `old ${table}`].map((row) => ({ row, sql: `DELETE FROM ${table}` })),
      );
      // What waits is cleared, too. The lines hold the lost calls.
      writeBlock();
      lastId += lines.length;
      database.write([...clear, setMeta('lost_calls', undefined), ...changesOf(lines, lastId)]);
    },
    holds: (lines) => database.keepsKnown(() => changesOf(lines(), lastId)),
  };
};

/** The last of the calls has the last id: those that wait have theirs then. */
const changesOf = (lines: readonly CallRecord[], lastId: number): readonly RowChange[] => {
  let id = lastId - lines.filter(({ kind }) => kind === 'call').length;
  return lines.map((line) => changeOf(line, line.kind === 'call' ? ++id : 0));
};

/** `id`: that of a call. */
const changeOf = (line: CallRecord, id: number): RowChange => {
  switch (line.kind) {
    case 'call':
      // While nothing can be written, so many of them are kept in memory.
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

/** Calls that are missing count until they are counted as others are; another kill before that loses more. */
export const lostCalls = (missing: Missing): RowChange => ({
  ...setMeta('lost_calls', String(MOST_LOST[missing])),
  sql: 'INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value',
});

/** Removes what counts no more at the time of a new line, so that the tables stay as long as their windows. */
const tooOld = (line: CallRecord): readonly RowChange[] => {
  if (line.kind === 'pause') return [];
  const [table, ms] = line.kind === 'call' ? ['calls', COUNTS_MS] : ['foreign_calls', FOREIGN_COUNTS_MS];
  return [{ row: `old ${table}`, sql: `DELETE FROM ${table} WHERE at < ?`, values: [line.at - Number(ms)] }];
};

/**
 * Counts the call of a login that a command or the page has made beside the bridge, for its next start. A bridge that runs counts it when it
 * takes the login up. Never rejects: the call was made.
 */
export const countBeside = async (dir: string, atMs: number): Promise<void> => {
  try {
    const file = join(dir, DATABASE_NAME);
    if (!existsSync(file) || (await askHolder(dir)) !== undefined) return;
    // A bridge counts upwards from 1, also for calls that wait: its ids are never taken here.
    const sql = "INSERT INTO calls (id, at, poll, cause) SELECT min(coalesce(min(id), 0), 0) - 1, ?, 0, 'identity' FROM calls";
    withConnection(file, { timeout: BUSY_MS }, (connection) => connection.prepare(sql).run(Math.round(atMs)));
  } catch {
    // A holder that does not answer, or a database of another version: one call more or less.
  }
};
