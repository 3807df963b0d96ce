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
export class BrokerCheckpoint {
  readonly #topics: PublishedTopics;
  /** Digests of what the broker holds, by topic; of a topic that was cleared since the checkpoint `CLEARED`. */
  readonly #digests = new Map<string, string>();
  /** Topics on which the broker may hold something else than the database tells. */
  readonly #changed = new Set<string>();
  /** The number of the checkpoint; undefined where there is none. */
  #id: number | undefined;
  /** The number that was published after it; undefined where that was acknowledged. */
  #pendingId: number | undefined;
  /** The number that the broker showed last. A data folder that was put back from a copy knows less than the broker. */
  #shownId: number | undefined;
  /** Topics that were not under way at that checkpoint, and that were not published since. */
  #settled = new Set<string>();

  constructor(topics: PublishedTopics) {
    this.#topics = topics;
    this.#id = topics.checkpointId;
    if (topics.checkpointId !== undefined) this.#pendingId = topics.lastCheckpointId;
  }

  /** The broker shows this number, or none; false where it may hold anything. */
  connected(shown: number | undefined): boolean {
    const { held } = this.#topics;
    this.#shownId = shown;
    if (shown !== undefined && shown === this.#pendingId) this.confirm(shown);
    const isKnown = shown !== undefined && shown === this.#id;
    if (!isKnown) {
      this.#id = undefined;
      for (const topic of held.keys()) this.#changed.add(topic);
    }
    this.#digests.clear();
    for (const [topic, { hash }] of held) if (hash !== undefined && !this.#changed.has(topic)) this.#digests.set(topic, hash);
    return isKnown;
  }

  /** No checkpoint counts until the next one: the broker may hold anything. */
  forget(): void {
    this.#id = undefined;
    this.#pendingId = undefined;
  }

  /** Digest of what the broker holds on the topic, `CLEARED` for nothing; undefined where that is not certain. */
  digestOn(topic: string): string | undefined {
    return this.#digests.get(topic);
  }

  /** Before these topics are published: the database has to know that it differs from the broker, and, with `names`, which topics these are. */
  sending(topics: readonly string[], names: readonly PublishedTopicChange[]): void {
    const hasCheckpoint = this.#topics.checkpointId !== undefined;
    if (hasCheckpoint || names.length > 0) this.#topics.write(hasCheckpoint ? [...names, { kind: 'checkpoint', id: undefined }] : names);
    for (const topic of topics) this.markUnknown(topic);
  }

  /** The broker may hold anything on the topic. */
  markUnknown(topic: string): void {
    this.#digests.delete(topic);
    this.#changed.add(topic);
    this.#settled.delete(topic);
  }

  /** The broker has taken what has this digest. */
  acknowledged(topic: string, hash: string): void {
    this.#digests.set(topic, hash);
  }

  /** The number of the next checkpoint, which is about to be published; none is used twice. It does not tell what is under way meanwhile. */
  nextId(isUnderWay: (topic: string) => boolean): number {
    const id = Math.max(0, ...[this.#topics.lastCheckpointId, this.#shownId].filter(isCheckpointId)) + 1;
    this.#topics.write([{ kind: 'nextCheckpoint', id }]);
    this.#pendingId = id;
    this.#settled = new Set([...this.#changed].filter((topic) => !isUnderWay(topic)));
    return id;
  }

  /** The broker has the checkpoint. In the database it counts where nothing else was published meanwhile. */
  confirm(id: number): void {
    const lines = [...this.#settled].flatMap((topic) => this.#lineOf(topic));
    for (const topic of this.#settled) this.#changed.delete(topic);
    if (this.#changed.size === 0) lines.push({ kind: 'checkpoint', id });
    this.#topics.write(lines);
    this.#id = id;
    this.#pendingId = undefined;
    this.#settled.clear();
  }

  #lineOf(topic: string): readonly PublishedTopicChange[] {
    const owner = this.#topics.held.get(topic)?.owner;
    const hash = this.#digests.get(topic);
    if (owner === undefined) return [];
    if (hash === undefined) return [{ kind: 'sending', topic, owner }];
    return [hash === CLEARED ? { kind: 'gone', topic } : { kind: 'held', topic, owner, hash }];
  }

  /** True where something was published since the checkpoint. */
  isOutdated(): boolean {
    return this.#changed.size > 0;
  }
}
