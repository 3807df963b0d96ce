import * as z from 'zod/mini';
import type { Held, PublishedTopicChange, PublishedTopics } from '../bridge/ports.ts';
import type { Database } from './database.ts';
import { deleteRow, putRow, type RowChange, setMeta } from './rowChange.ts';

/** So many topics that were cleared are remembered, for brokers that fall back to an older state. */
const MOST_CLEARED = 500;

const heldRow = z.object({ topic: z.string(), owner: z.string(), hash: z.nullable(z.string()), seal: z.number() });
const clearedRow = z.object({ topic: z.string(), seal: z.number() });

/**
 * Which retained topics are ours and what the broker holds on them. Steps are written before and after each publish, so that a killed
 * process leaves the truth behind; where the last changes may be missing, no hash is believed.
 */
export class PublishedTopicRepository implements PublishedTopics {
  readonly held = new Map<string, Held>();
  /** Topics that were cleared, the latest last, each with the beat that seals it. */
  readonly cleared = new Map<string, number>();
  beat: number;
  pendingBeat: number;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    const isBelieved = !database.mayLackChanges;
    this.beat = isBelieved ? Number(database.meta('beat') ?? 0) : 0;
    this.pendingBeat = Number(database.meta('pending_beat') ?? 0);
    // What no beat was sent for was perhaps never acknowledged; the next beat must not seal it, also where the disk does not take this now.
    database.write([
      { row: 'unsealed topics', sql: 'UPDATE published_topics SET hash = NULL, seal = 0 WHERE seal > ?', values: [this.pendingBeat] },
    ]);
    for (const { topic, owner, hash, seal } of database.rows(
      heldRow,
      'SELECT topic, owner, hash, seal FROM published_topics ORDER BY rowid',
    ))
      this.held.set(
        topic,
        hash !== null && isBelieved && seal <= this.pendingBeat ? { owner, hash, seal } : { owner, hash: undefined, seal: 0 },
      );
    for (const { topic, seal } of database.rows(clearedRow, 'SELECT topic, seal FROM cleared_topics ORDER BY rowid'))
      this.cleared.set(topic, seal);
  }

  write(lines: readonly PublishedTopicChange[]): void {
    this.#database.write(lines.flatMap((line) => this.#apply(line)));
  }

  #apply(line: PublishedTopicChange): readonly RowChange[] {
    switch (line.kind) {
      case 'sending':
        return this.#put(line.topic, { owner: line.owner, hash: undefined, seal: 0 });
      case 'held':
        return this.#put(line.topic, { owner: line.owner, hash: line.hash, seal: line.seal });
      case 'gone':
        return this.#clear(line.topic, line.seal);
      case 'beat':
        this.pendingBeat = line.beat;
        if (!line.acknowledged) return [setMeta('pending_beat', String(line.beat))];
        this.beat = line.beat;
        return [setMeta('pending_beat', String(line.beat)), setMeta('beat', String(line.beat))];
      default:
        return line satisfies never;
    }
  }

  #put(topic: string, held: Held): readonly RowChange[] {
    this.held.set(topic, held);
    const put = putRow('published_topics', { topic }, { owner: held.owner, hash: held.hash ?? null, seal: held.seal });
    return this.cleared.delete(topic) ? [put, deleteRow('cleared_topics', { topic })] : [put];
  }

  #clear(topic: string, seal: number): readonly RowChange[] {
    this.held.delete(topic);
    this.cleared.delete(topic);
    this.cleared.set(topic, seal);
    const tooMany = [...this.cleared.keys()].slice(0, Math.max(0, this.cleared.size - MOST_CLEARED));
    for (const oldest of tooMany) this.cleared.delete(oldest);
    return [
      deleteRow('published_topics', { topic }),
      // A new row stands behind all others.
      {
        ...deleteRow('cleared_topics', { topic }),
        sql: 'INSERT OR REPLACE INTO cleared_topics (topic, seal) VALUES (?, ?)',
        values: [topic, seal],
      },
      ...tooMany.map((oldest) => deleteRow('cleared_topics', { topic: oldest })),
    ];
  }
}
