import * as z from 'zod/mini';
import type { Held, PublishedTopicChange, PublishedTopics } from '../bridge/ports.ts';
import type { Database } from './database.ts';
import { deleteRow, putRow, type RowChange, setMeta } from './rowChange.ts';

/** The maximum number of remembered cleared topics, for brokers that restore an older state. */
const MOST_CLEARED = 500;

/** The `hash` of a cleared topic. */
const CLEARED = '';

const topicRow = z.object({ topic: z.string(), owner: z.string(), hash: z.nullable(z.string()) });

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/**
 * The bridge's retained topics, and the broker's content at the last checkpoint (none if changes may be
 * missing). A topic name is written before the topic is published, everything else in batches.
 */
export const publishedTopicRepository = (database: Database): PublishedTopics => {
  /** `isBehind`: the row is not yet written. A separate set would use 10 kB for each heating. */
  const held = new Map<string, { -readonly [K in keyof Held]: Held[K] } & { isBehind: boolean }>();
  /** Latest last. */
  const cleared = new Map<string, string>();
  /** Topics that are no longer held, whose rows are not yet written. */
  const goneBehind = new Set<string>();
  let lastCheckpointId = numberOf(database.meta('last_checkpoint_id')) ?? 0;
  let checkpointId = database.missing === 'nothing' ? numberOf(database.meta('checkpoint_id')) : undefined;

  /** Returns the changes to `meta`. The row of the named topic is not yet written. */
  const apply = (line: PublishedTopicChange): readonly RowChange[] => {
    switch (line.kind) {
      case 'sending':
      case 'held':
        put(line.topic, line.owner, line.kind === 'held' ? line.hash : undefined);
        return [];
      case 'gone':
        clear(line.topic);
        return [];
      case 'nextCheckpoint':
        lastCheckpointId = line.id;
        return [setMeta('last_checkpoint_id', String(line.id))];
      case 'checkpoint':
        checkpointId = line.id;
        return [setMeta('checkpoint_id', line.id?.toString())];
      case 'behind':
        return [setMeta('search_broker', '')];
      default:
        return line satisfies never;
    }
  };

  const put = (topic: string, owner: string, hash: string | undefined): void => {
    const known = held.get(topic);
    // Updated in place, because it changes twice per message.
    if (known) Object.assign(known, { owner, hash, isBehind: true });
    else held.set(topic, { owner, hash, isBehind: true });
    cleared.delete(topic);
    goneBehind.delete(topic);
  };

  const clear = (topic: string): void => {
    const owner = held.get(topic)?.owner ?? cleared.get(topic) ?? '';
    held.delete(topic);
    cleared.delete(topic);
    cleared.set(topic, owner);
    const tooMany = [...cleared.keys()].slice(0, Math.max(0, cleared.size - MOST_CLEARED));
    for (const oldest of tooMany) cleared.delete(oldest);
    // The latest is written last.
    goneBehind.delete(topic);
    for (const changed of [topic, ...tooMany]) goneBehind.add(changed);
  };

  const row = (topic: string): RowChange => {
    const known = held.get(topic);
    if (known) return putRow('published_topics', { topic }, { owner: known.owner, hash: known.hash ?? null });
    const owner = cleared.get(topic);
    const gone = deleteRow('published_topics', { topic });
    if (owner === undefined) return gone;
    // A new row gets the last rowid.
    return {
      ...gone,
      sql: 'INSERT OR REPLACE INTO published_topics (topic, owner, hash) VALUES (?, ?, ?)',
      values: [topic, owner, CLEARED],
    };
  };

  /** The unwritten row of a held topic, if any. */
  const takeRow = (topic: string): readonly RowChange[] => {
    const known = held.get(topic);
    if (!known?.isBehind) return [];
    known.isBehind = false;
    return [row(topic)];
  };

  database.waits(() => {
    const rows = [...[...held.keys()].flatMap(takeRow), ...[...goneBehind].map(row)];
    goneBehind.clear();
    return rows;
  });
  for (const { topic, owner, hash } of database.rows(topicRow, 'SELECT topic, owner, hash FROM published_topics ORDER BY rowid'))
    if (hash === CLEARED) cleared.set(topic, owner);
    else held.set(topic, { owner, hash: hash ?? undefined, isBehind: false });
  return {
    held,
    cleared,
    get lastCheckpointId() {
      return lastCheckpointId;
    },
    get checkpointId() {
      return checkpointId;
    },
    write: (lines) => {
      const isUrgent = (line: PublishedTopicChange): boolean =>
        line.kind === 'behind' || (line.kind === 'sending' && held.get(line.topic)?.owner !== line.owner);
      const { urgent = [], others = [] } = Object.groupBy(lines, (line) => (isUrgent(line) ? 'urgent' : 'others'));
      const changes = urgent.flatMap(apply);
      database.write([...changes, ...urgent.flatMap((line) => ('topic' in line ? takeRow(line.topic) : []))]);
      database.write(others.flatMap(apply), 'waiting');
    },
  };
};
