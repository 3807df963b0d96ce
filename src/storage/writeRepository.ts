import * as z from 'zod/mini';
import type { Committed, StoredWrite, WhichWrites, WriteStore } from '../bridge/ports.ts';
import type { Database } from './database.ts';
import { jsonColumn } from './jsonTable.ts';
import { rowsBeside } from './openDatabase.ts';
import { deleteRow, fitting, putRow, type RowChange } from './rowChange.ts';

const YEAR_MS = 366 * 86_400_000;
/** The maximum number of stored writes, regardless of age. */
const MOST_WRITES = 5000;
/** More than each write adds. Limits the loss while a clock is temporarily wrong. */
const MOST_REMOVED = 10;
/** The maximum number of closed, unwritten writes in memory. */
const MOST_UNWRITTEN = 500;

const writeRow = z.object({ key: z.number(), at: z.number(), device: z.string(), feature: z.string(), facts: jsonColumn });
const keyRow = z.object({ key: z.number() });
const COLUMNS = 'key, at, device, feature, facts';

/**
 * The table `writes`: open writes, and the results of the others for a year. The others are read from disk on
 * demand, because only people ask for them. If the file is lost during a run, open writes are written again.
 */
export const writeRepository = (database: Database) => {
  const left = database.rows(writeRow, `SELECT ${COLUMNS} FROM writes WHERE live = 1 ORDER BY key`);
  const lastKey = database.rows(keyRow, 'SELECT key FROM writes ORDER BY key DESC LIMIT 1')[0]?.key ?? 0;
  const live = new Map<number, RowChange>();

  const put = (write: StoredWrite, isDurable: boolean): void => {
    const { key, at, device, feature, facts, isLive, isListed } = write;
    const flags = { live: Number(isLive), listed: Number(isListed) };
    const row = putRow('writes', { key }, { at, device, feature, facts: JSON.stringify(facts), ...flags });
    if (isLive) live.set(key, row);
    else live.delete(key);
    // While the disk is full, a pending open write must not be written after its result.
    const changes = isLive ? [row] : [deleteRow('writes', { key }), { ...row, row: `write ${key % MOST_UNWRITTEN}` }];
    if (isListed && isLive) {
      // By an index and a count, because the accepted write waits: a full scan takes milliseconds.
      const old = `SELECT key FROM writes WHERE live = 0 AND at < ? ORDER BY at LIMIT ${MOST_REMOVED}`;
      changes.push({ row: 'old writes', sql: `DELETE FROM writes WHERE key IN (${old})`, values: [at - YEAR_MS] });
      const tooMany = `SELECT key FROM writes ORDER BY key LIMIT max(0, (SELECT count(*) FROM writes) - ${MOST_WRITES})`;
      changes.push({ row: 'too many writes', sql: `DELETE FROM writes WHERE live = 0 AND key IN (${tooMany})` });
    }
    database.write(changes, isDurable ? 'durable' : 'soon');
  };

  const remove = (key: number): void => {
    live.delete(key);
    database.write([deleteRow('writes', { key })]);
  };

  const newest = ({ before = Number.MAX_SAFE_INTEGER, device, feature }: WhichWrites, most: number): ReturnType<WriteStore['newest']> => {
    const select = (where: string): string =>
      `SELECT ${COLUMNS} FROM writes WHERE listed = 1 AND ${where}key < ? ORDER BY key DESC LIMIT ?`;
    if (device === undefined) return database.rows(writeRow, select(''), before, most);
    if (feature === undefined) return database.rows(writeRow, select('device = ? AND '), device, before, most);
    return database.rows(writeRow, select('device = ? AND feature = ? AND '), device, feature, before, most);
  };

  const together = <T>(work: () => T): Committed<T> => database.together(work);
  for (const { key, facts, ...place } of left)
    live.set(key, putRow('writes', { key }, { ...place, facts: JSON.stringify(facts), live: 1, listed: 1 }));
  database.keepsKnown(() => [...live.values()]);
  return { left, lastKey, put, remove, newest, together };
};

/** The listed writes of a feature on any device, newest first. Throws like `rowsBeside`. */
export const readWritesBeside = (dir: string, feature: string): ReturnType<WriteStore['newest']> =>
  fitting(writeRow, rowsBeside(dir, `SELECT ${COLUMNS} FROM writes WHERE listed = 1 AND feature = ? ORDER BY key DESC`, feature));
