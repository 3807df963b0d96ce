import * as z from 'zod/mini';
import type { Held, PublishedTopicChange, PublishedTopics } from '../bridge/ports.ts';
import type { Database } from './database.ts';
import { deleteRow, putRow, type RowChange, setMeta, takeRows } from './rowChange.ts';

/** So many topics that were cleared are remembered, for brokers that fall back to an older state. */
const MOST_CLEARED = 500;

/** The `hash` of a topic that was cleared. */
const CLEARED = '';

const topicRow = z.object({ topic: z.string(), owner: z.string(), hash: z.nullable(z.string()) });

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/**
 * Which retained topics are ours, and what the broker held on them at the last checkpoint; there is none where changes may be missing. The
 * name of a topic is written before the topic is published, everything else in bunches.
 */
export class PublishedTopicRepository implements PublishedTopics {
  readonly held = new Map<string, { -readonly [K in keyof Held]: Held[K] }>();
  /** The latest last. */
  readonly cleared = new Map<string, string>();
  lastCheckpointId: number;
  checkpointId: number | undefined;
  readonly #database: Database;
  /** Topics whose rows are not written yet. */
  readonly #behind = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
    database.waits(takeRows(this.#behind, (topic) => this.#row(topic)));
    const isComplete = database.missing === 'nothing';
    this.lastCheckpointId = numberOf(database.meta('last_checkpoint_id')) ?? 0;
    this.checkpointId = isComplete ? numberOf(database.meta('checkpoint_id')) : undefined;
    for (const { topic, owner, hash } of database.rows(topicRow, 'SELECT topic, owner, hash FROM published_topics ORDER BY rowid'))
      if (hash === CLEARED) this.cleared.set(topic, owner);
      else this.held.set(topic, { owner, hash: hash ?? undefined });
  }

  write(lines: readonly PublishedTopicChange[]): void {
    const isUrgent = (line: PublishedTopicChange): boolean =>
      line.kind === 'behind' || (line.kind === 'sending' && this.held.get(line.topic)?.owner !== line.owner);
    const urgent = lines.filter(isUrgent);
    const others = lines.filter((line) => !urgent.includes(line));
    this.#database.write([
      ...urgent.flatMap((line) => this.#apply(line)),
      ...urgent.flatMap((line) => ('topic' in line && this.#behind.delete(line.topic) ? [this.#row(line.topic)] : [])),
    ]);
    this.#database.write(
      others.flatMap((line) => this.#apply(line)),
      'waiting',
    );
  }

  /** Gives what it changes in `meta`; the topic that it names is behind. */
  #apply(line: PublishedTopicChange): readonly RowChange[] {
    switch (line.kind) {
      case 'sending':
        return this.#put(line.topic, line.owner, undefined);
      case 'held':
        return this.#put(line.topic, line.owner, line.hash);
      case 'gone':
        return this.#clear(line.topic);
      case 'nextCheckpoint':
        this.lastCheckpointId = line.id;
        return [setMeta('last_checkpoint_id', String(line.id))];
      case 'checkpoint':
        this.checkpointId = line.id;
        return [setMeta('checkpoint_id', line.id?.toString())];
      case 'behind':
        return [setMeta('search_broker', '')];
      default:
        return line satisfies never;
    }
  }

  #put(topic: string, owner: string, hash: string | undefined): readonly RowChange[] {
    const known = this.held.get(topic);
    // In place, as it is changed twice for each message.
    if (known) Object.assign(known, { owner, hash });
    else this.held.set(topic, { owner, hash });
    this.cleared.delete(topic);
    this.#behind.add(topic);
    return [];
  }

  #clear(topic: string): readonly RowChange[] {
    const owner = this.held.get(topic)?.owner ?? this.cleared.get(topic) ?? '';
    this.held.delete(topic);
    this.cleared.delete(topic);
    this.cleared.set(topic, owner);
    const tooMany = [...this.cleared.keys()].slice(0, Math.max(0, this.cleared.size - MOST_CLEARED));
    for (const oldest of tooMany) this.cleared.delete(oldest);
    // The latest is written last.
    this.#behind.delete(topic);
    for (const changed of [topic, ...tooMany]) this.#behind.add(changed);
    return [];
  }

  #row(topic: string): RowChange {
    const held = this.held.get(topic);
    if (held) return putRow('published_topics', { topic }, { owner: held.owner, hash: held.hash ?? null });
    const owner = this.cleared.get(topic);
    const gone = deleteRow('published_topics', { topic });
    if (owner === undefined) return gone;
    // A new row stands behind all others.
    return {
      ...gone,
      sql: 'INSERT OR REPLACE INTO published_topics (topic, owner, hash) VALUES (?, ?, ?)',
      values: [topic, owner, CLEARED],
    };
  }
}
