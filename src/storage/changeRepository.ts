import * as z from 'zod/mini';
import type { Change, ChangeStore } from '../bridge/ports.ts';
import type { Database } from './database.ts';
import { jsonColumn } from './jsonTable.ts';
import { putRow } from './rowChange.ts';

const YEAR_MS = 366 * 86_400_000;
/** So many are kept, however young they are. */
const MOST_CHANGES = 5000;
/** With each change more goes than comes; a clock that is wrong for a while takes little with it. */
const MOST_REMOVED = 10;
/** So many that could not be written are kept in memory. */
const MOST_UNWRITTEN = 500;

const changeRow = z.object({ key: z.number(), at: z.number(), device: z.string(), feature: z.string(), facts: jsonColumn });
const COLUMNS = 'key, at, device, feature, facts';

/** What the bridge has changed, for a year. A row is looked up on disk alone, as only people ask for it. */
export class ChangeRepository implements ChangeStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  put({ key, at, device, feature, facts }: Change): void {
    const row = putRow('changes', { key }, { at, device, feature, facts: JSON.stringify(facts) });
    const tooOld = {
      row: 'old changes',
      sql: `DELETE FROM changes WHERE key IN (SELECT key FROM changes WHERE at < ? ORDER BY key LIMIT ${MOST_REMOVED})`,
      values: [at - YEAR_MS],
    };
    const tooMany = {
      row: 'too many changes',
      sql: `DELETE FROM changes WHERE key <= (SELECT key FROM changes ORDER BY key DESC LIMIT 1 OFFSET ${MOST_CHANGES})`,
    };
    this.#database.write([{ ...row, row: `change ${key % MOST_UNWRITTEN}` }, tooOld, tooMany]);
  }

  find(key: number): Change | undefined {
    return this.#database.rows(changeRow, `SELECT ${COLUMNS} FROM changes WHERE key = ?`, key)[0];
  }

  newest({ before = Number.MAX_SAFE_INTEGER, device, feature }: Parameters<ChangeStore['newest']>[0], most: number): readonly Change[] {
    const select = (where: string): string => `SELECT ${COLUMNS} FROM changes WHERE ${where}key < ? ORDER BY key DESC LIMIT ?`;
    if (device === undefined) return this.#database.rows(changeRow, select(''), before, most);
    if (feature === undefined) return this.#database.rows(changeRow, select('device = ? AND '), device, before, most);
    return this.#database.rows(changeRow, select('device = ? AND feature = ? AND '), device, feature, before, most);
  }
}
