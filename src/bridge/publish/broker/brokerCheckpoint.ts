import type { PublishedTopicChange, PublishedTopics } from '../../ports.ts';
import { CLEARED } from './topicOwnership.ts';

/** No bridge counts this far: a larger number on the topic was written by something else. */
const FURTHEST = 2 ** 52;

/** True for a beat that a bridge may have counted. */
export const isBeat = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < FURTHEST;

/**
 * What the broker holds, as far as that is certain. A checkpoint is a numbered message, the beat: where the broker shows it, it holds what
 * the database tells, but for what was published since. The database tells nothing of what was published since: it tells that something
 * was.
 */
export class BrokerCheckpoint {
  readonly #topics: PublishedTopics;
  /** Digests of what the broker holds, by topic; of a topic that was cleared since the checkpoint `CLEARED`. */
  readonly #digests = new Map<string, string>();
  /** Topics on which the broker may hold something else than the database tells. */
  readonly #changed = new Set<string>();
  /** The beat of the checkpoint; undefined where there is none. */
  #sealed: number | undefined;
  /** The beat that was published after it; undefined where that was acknowledged. */
  #pending: number | undefined;
  /** The beat that the broker showed last. A data folder that was put back from a copy knows less than the broker. */
  #shown: number | undefined;
  /** Topics that were not under way at that beat, and that were not published since. */
  #sealing = new Set<string>();

  constructor(topics: PublishedTopics) {
    this.#topics = topics;
    this.#sealed = topics.sealed;
    if (topics.sealed !== undefined) this.#pending = topics.beat;
  }

  /** The broker shows this beat, or none; false where it may hold anything. */
  connected(shown: number | undefined): boolean {
    const { held } = this.#topics;
    this.#shown = shown;
    if (shown !== undefined && shown === this.#pending) this.seal(shown);
    const isKnown = shown !== undefined && shown === this.#sealed;
    if (!isKnown) {
      this.#sealed = undefined;
      for (const topic of held.keys()) this.#changed.add(topic);
    }
    this.#digests.clear();
    for (const [topic, { hash }] of held) if (hash !== undefined && !this.#changed.has(topic)) this.#digests.set(topic, hash);
    return isKnown;
  }

  /** Digest of what the broker holds on the topic, `CLEARED` for nothing; undefined where that is not certain. */
  digestOn(topic: string): string | undefined {
    return this.#digests.get(topic);
  }

  /** Before these topics are published: the database has to know that it differs from the broker, and, with `names`, which topics these are. */
  sending(topics: readonly string[], names: readonly PublishedTopicChange[]): void {
    const isSealed = this.#topics.sealed !== undefined;
    if (isSealed || names.length > 0) this.#topics.write(isSealed ? [...names, { kind: 'sealed', beat: undefined }] : names);
    for (const topic of topics) this.markUnknown(topic);
  }

  /** The broker may hold anything on the topic. */
  markUnknown(topic: string): void {
    this.#digests.delete(topic);
    this.#changed.add(topic);
    this.#sealing.delete(topic);
  }

  /** The broker has taken what has this digest. */
  acknowledged(topic: string, hash: string): void {
    this.#digests.set(topic, hash);
  }

  /** The number of the next checkpoint, which is about to be published; none is used twice. What is under way meanwhile is not sealed. */
  nextBeat(isUnderWay: (topic: string) => boolean): number {
    const beat = Math.max(0, ...[this.#topics.beat, this.#shown].filter(isBeat)) + 1;
    this.#topics.write([{ kind: 'beat', beat }]);
    this.#pending = beat;
    this.#sealing = new Set([...this.#changed].filter((topic) => !isUnderWay(topic)));
    return beat;
  }

  /** The broker has the beat. In the database it counts where nothing else was published meanwhile. */
  seal(beat: number): void {
    const lines = [...this.#sealing].flatMap((topic) => this.#lineOf(topic));
    for (const topic of this.#sealing) this.#changed.delete(topic);
    if (this.#changed.size === 0) lines.push({ kind: 'sealed', beat });
    this.#topics.write(lines);
    this.#sealed = beat;
    this.#pending = undefined;
    this.#sealing.clear();
  }

  #lineOf(topic: string): readonly PublishedTopicChange[] {
    const owner = this.#topics.held.get(topic)?.owner;
    const hash = this.#digests.get(topic);
    if (owner === undefined) return [];
    if (hash === undefined) return [{ kind: 'sending', topic, owner }];
    return [hash === CLEARED ? { kind: 'gone', topic } : { kind: 'held', topic, owner, hash }];
  }

  /** True where something was published since the checkpoint. */
  isUnsealed(): boolean {
    return this.#changed.size > 0;
  }
}
