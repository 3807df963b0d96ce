import type { PublishedTopicChange, PublishedTopics } from '../../ports.ts';
import { CLEARED } from './largeText.ts';

/** No bridge counts this far: another program wrote a larger number on the topic. */
const FURTHEST = 2 ** 52;

/** True if the value can be a checkpoint number of a bridge. */
export const isCheckpointId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < FURTHEST;

/**
 * What the broker is known to hold. A checkpoint is a numbered message (`beat` in `bridge/health`). If the
 * broker shows its number, it holds what the database records, except for later publications. The database
 * only records that there were later publications, not which.
 */
export const brokerCheckpoint = (topics: PublishedTopics) => {
  /** Topics that may differ from the database, with the broker's digest: `CLEARED`, or undefined: unknown. */
  const changed = new Map<string, string | undefined>();
  /** The number of the checkpoint; undefined if there is none. */
  let id = topics.checkpointId;
  /** The number published after it; undefined once that one is acknowledged. */
  let pendingId = id === undefined ? undefined : topics.lastCheckpointId;
  /** The last number that the broker showed. A restored data folder is older than the broker. */
  let shownId: number | undefined;
  /** Topics that were not in flight at that checkpoint and were not published since. */
  let settled = new Set<string>();

  /** The broker shows this number, or none. Returns false if it may hold anything. */
  const connected = (shown: number | undefined): boolean => {
    const { held } = topics;
    shownId = shown;
    if (shown !== undefined && shown === pendingId) confirm(shown);
    const isKnown = shown !== undefined && shown === id;
    if (!isKnown) id = undefined;
    for (const topic of isKnown ? changed.keys() : [...changed.keys(), ...held.keys()]) changed.set(topic, undefined);
    return isKnown;
  };

  /** No checkpoint is valid until the next one: the broker may hold anything. */
  const forget = (): void => {
    id = undefined;
    pendingId = undefined;
  };

  /** Digest of what the broker holds on the topic: `CLEARED` if empty, undefined if unknown. */
  const digestOn = (topic: string): string | undefined => (changed.has(topic) ? changed.get(topic) : topics.held.get(topic)?.hash);

  /** Before publishing: marks the database as outdated and records the owners. `wanted`: all topics. */
  const sending = (names: readonly string[], wanted: ReadonlyMap<string, { readonly owner: string }>): void => {
    const isUnnamed = (topic: string): boolean => wanted.has(topic) && topics.held.get(topic)?.owner !== wanted.get(topic)?.owner;
    // All other unrecorded topics are recorded in the same transaction.
    const unnamed = names.some(isUnnamed) ? [...wanted].filter(([topic]) => isUnnamed(topic)) : [];
    const lines: PublishedTopicChange[] = unnamed.map(([topic, { owner }]) => ({ kind: 'sending', topic, owner }));
    // The database no longer records their content.
    for (const [topic] of unnamed) changed.set(topic, digestOn(topic));
    if (topics.checkpointId !== undefined) lines.push({ kind: 'checkpoint', id: undefined });
    if (lines.length > 0) topics.write(lines);
    for (const topic of names) markUnknown(topic);
  };

  /** The broker may hold anything on the topic. */
  const markUnknown = (topic: string): void => {
    changed.set(topic, undefined);
    settled.delete(topic);
  };

  /** The broker has acknowledged a payload with this digest. */
  const acknowledged = (topic: string, hash: string): void => void changed.set(topic, hash);

  /** The next checkpoint number, about to be published and never reused. Topics in flight are excluded. */
  const nextId = (isUnderWay: (topic: string) => boolean): number => {
    const next = Math.max(0, ...[topics.lastCheckpointId, shownId].filter(isCheckpointId)) + 1;
    topics.write([{ kind: 'nextCheckpoint', id: next }]);
    pendingId = next;
    settled = new Set([...changed.keys()].filter((topic) => !isUnderWay(topic)));
    return next;
  };

  /** The broker has the checkpoint. The database records it if nothing else was published meanwhile. */
  const confirm = (taken: number): void => {
    const lines = [...settled].flatMap((topic) => lineOf(topic));
    for (const topic of settled) changed.delete(topic);
    if (changed.size === 0) lines.push({ kind: 'checkpoint', id: taken });
    topics.write(lines);
    id = taken;
    pendingId = undefined;
    settled.clear();
  };

  const lineOf = (topic: string): readonly PublishedTopicChange[] => {
    const owner = topics.held.get(topic)?.owner;
    const hash = changed.get(topic);
    if (owner === undefined) return [];
    if (hash === undefined) return [{ kind: 'sending', topic, owner }];
    return [hash === CLEARED ? { kind: 'gone', topic } : { kind: 'held', topic, owner, hash }];
  };

  /** True if something was published since the checkpoint. */
  const isOutdated = (): boolean => changed.size > 0;

  return { connected, forget, digestOn, sending, markUnknown, acknowledged, nextId, confirm, isOutdated };
};
