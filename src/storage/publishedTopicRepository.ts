import * as z from 'zod/mini';
import type { Held, PublishedTopicChange, PublishedTopics } from '../bridge/ports.ts';
import type { Database } from './database.ts';
import { deleteRow, putRow, type RowChange, setMeta } from './rowChange.ts';

/** So many topics that were cleared are remembered, for brokers that fall back to an older state. */
const MOST_CLEARED = 500;

/** The `hash` of a topic that was cleared. */
const CLEARED = '';

const topicRow = z.object({ topic: z.string(), owner: z.string(), hash: z.nullable(z.string()) });

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** Which retained topics are ours, and what the broker held on them at the last checkpoint; there is none where the last changes may be missing. */
export class PublishedTopicRepository implements PublishedTopics {
  readonly held = new Map<string, Held>();
  /** The latest last. */
  readonly cleared = new Map<string, string>();
  beat: number;
  sealed: number | undefined;
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
    this.beat = numberOf(database.meta('beat')) ?? 0;
    this.sealed = database.mayLackChanges ? undefined : numberOf(database.meta('sealed_beat'));
    for (const { topic, owner, hash } of database.rows(topicRow, 'SELECT topic, owner, hash FROM published_topics ORDER BY rowid'))
      if (hash === CLEARED) this.cleared.set(topic, owner);
      else this.held.set(topic, { owner, hash: hash ?? undefined });
  }

  write(lines: readonly PublishedTopicChange[]): void {
    this.#database.write(lines.flatMap((line) => this.#apply(line)));
  }

  #apply(line: PublishedTopicChange): readonly RowChange[] {
    switch (line.kind) {
      case 'sending':
        return this.#put(line.topic, { owner: line.owner, hash: undefined });
      case 'held':
        return this.#put(line.topic, { owner: line.owner, hash: line.hash });
      case 'gone':
        return this.#clear(line.topic);
      case 'beat':
        this.beat = line.beat;
        return [setMeta('beat', String(line.beat))];
      case 'sealed':
        this.sealed = line.beat;
        return [setMeta('sealed_beat', line.beat?.toString())];
      case 'behind':
        return [setMeta('search_broker', '')];
      default:
        return line satisfies never;
    }
  }

  #put(topic: string, held: Held): readonly RowChange[] {
    this.held.set(topic, held);
    this.cleared.delete(topic);
    return [putRow('published_topics', { topic }, { owner: held.owner, hash: held.hash ?? null })];
  }

  #clear(topic: string): readonly RowChange[] {
    const owner = this.held.get(topic)?.owner ?? this.cleared.get(topic) ?? '';
    this.held.delete(topic);
    this.cleared.delete(topic);
    this.cleared.set(topic, owner);
    const tooMany = [...this.cleared.keys()].slice(0, Math.max(0, this.cleared.size - MOST_CLEARED));
    for (const oldest of tooMany) this.cleared.delete(oldest);
    return [
      // A new row stands behind all others.
      {
        ...deleteRow('published_topics', { topic }),
        sql: 'INSERT OR REPLACE INTO published_topics (topic, owner, hash) VALUES (?, ?, ?)',
        values: [topic, owner, CLEARED],
      },
      ...tooMany.map((oldest) => deleteRow('published_topics', { topic: oldest })),
    ];
  }
}
