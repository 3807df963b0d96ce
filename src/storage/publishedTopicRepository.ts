import * as z from 'zod/mini';
import type { Held, Ledger, LedgerLine } from '../bridge/ports.ts';
import type { Database, RowChange } from './database.ts';

/** So many topics that were cleared are remembered, for brokers that fall back to an older state. */
const MOST_CLEARED = 500;

const heldRow = z.object({ topic: z.string(), owner: z.string(), hash: z.nullable(z.string()), seal: z.number() });
const clearedRow = z.object({ topic: z.string(), seal: z.number() });
const beatRow = z.object({ value: z.string() });

const PUT =
  'INSERT INTO published_topics (topic, owner, hash, seal) VALUES (?, ?, ?, ?) ' +
  'ON CONFLICT DO UPDATE SET owner = excluded.owner, hash = excluded.hash, seal = excluded.seal';

/**
 * Which retained topics are ours and what the broker holds on them. Steps are written before and after each publish, so that a killed
 * process leaves the truth behind; where the last changes may be missing, no hash is believed.
 */
export class PublishedTopicRepository implements Ledger {
  readonly held = new Map<string, Held>();
  /** Topics that were cleared, the latest last, each with the beat that seals it. */
  readonly cleared = new Map<string, number>();
  beat: number;
  pendingBeat: number;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    const isBelieved = !database.mayLackChanges;
    for (const { topic, owner, hash, seal } of database.rows(
      heldRow,
      'SELECT topic, owner, hash, seal FROM published_topics ORDER BY rowid',
    ))
      this.held.set(topic, hash !== null && isBelieved ? { owner, hash, seal } : { owner, hash: undefined, seal: 0 });
    for (const { topic, seal } of database.rows(clearedRow, 'SELECT topic, seal FROM cleared_topics ORDER BY rowid'))
      this.cleared.set(topic, seal);
    this.beat = isBelieved ? this.#beat('beat') : 0;
    this.pendingBeat = this.#beat('pending_beat');
  }

  write(lines: readonly LedgerLine[]): void {
    this.#database.write(lines.flatMap((line) => this.#apply(line)));
  }

  #apply(line: LedgerLine): readonly RowChange[] {
    switch (line.kind) {
      case 'sending':
        return this.#put(line.topic, { owner: line.owner, hash: undefined, seal: 0 });
      case 'held':
        return this.#put(line.topic, { owner: line.owner, hash: line.hash, seal: line.seal });
      case 'gone':
        return this.#clear(line.topic, line.seal);
      case 'beat':
        this.pendingBeat = line.beat;
        if (!line.acknowledged) return [beatIs('pending_beat', line.beat)];
        this.beat = line.beat;
        return [beatIs('pending_beat', line.beat), beatIs('beat', line.beat)];
      default:
        return line satisfies never;
    }
  }

  #put(topic: string, held: Held): readonly RowChange[] {
    this.held.set(topic, held);
    const put: RowChange = { row: `held ${topic}`, sql: PUT, values: [topic, held.owner, held.hash ?? null, held.seal] };
    return this.cleared.delete(topic) ? [put, notCleared(topic)] : [put];
  }

  #clear(topic: string, seal: number): readonly RowChange[] {
    this.held.delete(topic);
    this.cleared.delete(topic);
    this.cleared.set(topic, seal);
    const tooMany = [...this.cleared.keys()].slice(0, Math.max(0, this.cleared.size - MOST_CLEARED));
    for (const oldest of tooMany) this.cleared.delete(oldest);
    return [
      { row: `held ${topic}`, sql: 'DELETE FROM published_topics WHERE topic = ?', values: [topic] },
      // A new row stands behind all others.
      { row: `cleared ${topic}`, sql: 'INSERT OR REPLACE INTO cleared_topics (topic, seal) VALUES (?, ?)', values: [topic, seal] },
      ...tooMany.map(notCleared),
    ];
  }

  #beat(name: 'beat' | 'pending_beat'): number {
    return Number(this.#database.rows(beatRow, 'SELECT value FROM meta WHERE name = ?', name)[0]?.value ?? 0);
  }
}

const notCleared = (topic: string): RowChange => ({
  row: `cleared ${topic}`,
  sql: 'DELETE FROM cleared_topics WHERE topic = ?',
  values: [topic],
});

const beatIs = (name: 'beat' | 'pending_beat', beat: number): RowChange => ({
  row: name,
  sql: `INSERT OR REPLACE INTO meta (name, value) VALUES ('${name}', ?)`,
  values: [String(beat)],
});
