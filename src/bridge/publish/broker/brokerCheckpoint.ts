import type { PublishedTopicChange, PublishedTopics } from '../../ports.ts';
import { CLEARED } from './largeText.ts';

/** No bridge counts this far: a larger number on the topic was written by something else. */
const FURTHEST = 2 ** 52;

/** True for the number of a checkpoint that a bridge may have counted. */
export const isCheckpointId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < FURTHEST;

/**
 * What the broker holds, as far as that is certain. A checkpoint is a numbered message (`beat` in `bridge/health`): where the
 * broker shows its number, it holds what the database tells, but for what was published since. The database tells nothing of what was
 * published since: it tells that something was.
 */
export const brokerCheckpoint = (topics: PublishedTopics) => {
  /** Topics on which the broker may hold something else than the database tells, each with the digest of what it holds: `CLEARED` for nothing, undefined where that is not certain. */
  const changed = new Map<string, string | undefined>();
  /** The number of the checkpoint; undefined where there is none. */
  let id = topics.checkpointId;
  /** The number that was published after it; undefined where that was acknowledged. */
  let pendingId = id === undefined ? undefined : topics.lastCheckpointId;
  /** The number that the broker showed last. A data folder that was put back from a copy knows less than the broker. */
  let shownId: number | undefined;
  /** Topics that were not under way at that checkpoint, and that were not published since. */
  let settled = new Set<string>();

  /** The broker shows this number, or none; false where it may hold anything. */
  const connected = (shown: number | undefined): boolean => {
    const { held } = topics;
    shownId = shown;
    if (shown !== undefined && shown === pendingId) confirm(shown);
    const isKnown = shown !== undefined && shown === id;
    if (!isKnown) id = undefined;
    for (const topic of isKnown ? changed.keys() : [...changed.keys(), ...held.keys()]) changed.set(topic, undefined);
    return isKnown;
  };

  /** No checkpoint counts until the next one: the broker may hold anything. */
  const forget = (): void => {
    id = undefined;
    pendingId = undefined;
  };

  /** Digest of what the broker holds on the topic, `CLEARED` for nothing; undefined where that is not certain. */
  const digestOn = (topic: string): string | undefined => (changed.has(topic) ? changed.get(topic) : topics.held.get(topic)?.hash);

  /** Before these topics are published: the database has to know that it differs from the broker, and whose they are. `wanted`: all that there are. */
  const sending = (names: readonly string[], wanted: ReadonlyMap<string, { readonly owner: string }>): void => {
    const isUnnamed = (topic: string): boolean => wanted.has(topic) && topics.held.get(topic)?.owner !== wanted.get(topic)?.owner;
    // Those that follow are named with them, in one transaction.
    const unnamed = names.some(isUnnamed) ? [...wanted].filter(([topic]) => isUnnamed(topic)) : [];
    const lines: PublishedTopicChange[] = unnamed.map(([topic, { owner }]) => ({ kind: 'sending', topic, owner }));
    // The database tells no more what they hold.
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

  /** The broker has taken what has this digest. */
  const acknowledged = (topic: string, hash: string): void => void changed.set(topic, hash);

  /** The number of the next checkpoint, which is about to be published; none is used twice. It does not tell what is under way meanwhile. */
  const nextId = (isUnderWay: (topic: string) => boolean): number => {
    const next = Math.max(0, ...[topics.lastCheckpointId, shownId].filter(isCheckpointId)) + 1;
    topics.write([{ kind: 'nextCheckpoint', id: next }]);
    pendingId = next;
    settled = new Set([...changed.keys()].filter((topic) => !isUnderWay(topic)));
    return next;
  };

  /** The broker has the checkpoint. In the database it counts where nothing else was published meanwhile. */
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

  /** True where something was published since the checkpoint. */
  const isOutdated = (): boolean => changed.size > 0;

  return { connected, forget, digestOn, sending, markUnknown, acknowledged, nextId, confirm, isOutdated };
};
