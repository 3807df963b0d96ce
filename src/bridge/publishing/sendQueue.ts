import type { Log } from '../../shared/log.ts';
import type { Outgoing } from '../ports.ts';

/** So many answers wait for the broker at most, with so many bytes. */
export const MOST_ANSWERS = 1000;
export const MOST_BYTES = 16_777_216;

/** An answer on its way. `isInterim`: another one follows it. `heard` is called when the broker has it, or does not take it. */
export type WaitingAnswer = {
  readonly message: Outgoing;
  readonly isInterim: boolean;
  readonly heard: (() => void) | undefined;
  /** In which order answers were given. */
  readonly turn: number;
};

/** A retained topic that is to be brought to what is wanted there, or an answer. */
export type QueueItem = string | WaitingAnswer;

export const topicOf = (item: QueueItem): string => (typeof item === 'string' ? item : item.message.topic);

const bytesOf = ({ message: { topic, payload, correlationData } }: WaitingAnswer): number =>
  Buffer.byteLength(topic) + Buffer.byteLength(payload) + (correlationData?.length ?? 0);

/**
 * What waits for its turn to be published, in the order in which it was asked for. Topics wait once each; of answers a bounded number is
 * kept: over it those go first that another one follows, then the oldest.
 */
export class SendQueue {
  /** Answers that had no room, since the start. */
  dropped = 0;
  readonly #log: Log;
  readonly #items = new Set<QueueItem>();
  readonly #answers = new Map<WaitingAnswer, number>();
  #bytes = 0;
  #turn = 0;
  /** The number of dropped answers in the log. */
  #logged = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  get size(): number {
    return this.#items.size;
  }

  [Symbol.iterator](): IterableIterator<QueueItem> {
    return this.#items[Symbol.iterator]();
  }

  has(topic: string): boolean {
    return this.#items.has(topic);
  }

  add(topic: string): void {
    this.#items.add(topic);
  }

  /** There is always room for the newest. */
  answer(message: Outgoing, isInterim: boolean, heard: (() => void) | undefined): void {
    this.#turn += 1;
    this.#put({ message, isInterim, heard, turn: this.#turn });
  }

  /** An answer that was under way waits again, before those given after it. */
  again(answer: WaitingAnswer): void {
    const later = [...this.#answers.keys()].filter(({ turn }) => turn > answer.turn);
    for (const one of later) this.delete(one);
    for (const one of [answer, ...later]) this.#put(one);
  }

  /** What waits goes out again: the log gets the number of those that had no room meanwhile. */
  opened(): void {
    const dropped = this.dropped - this.#logged;
    this.#logged = this.dropped;
    if (dropped > 0) this.#log.warn({ dropped }, 'so many answers were dropped while they waited for the broker');
  }

  delete(item: QueueItem): void {
    this.#items.delete(item);
    if (typeof item === 'string') return;
    this.#bytes -= this.#answers.get(item) ?? 0;
    this.#answers.delete(item);
  }

  #put(answer: WaitingAnswer): void {
    const bytes = bytesOf(answer);
    this.#items.add(answer);
    this.#answers.set(answer, bytes);
    this.#bytes += bytes;
    while (this.#answers.size > 1 && (this.#answers.size > MOST_ANSWERS || this.#bytes > MOST_BYTES)) this.#dropOne();
  }

  #dropOne(): void {
    const answers = [...this.#answers.keys()];
    const first = answers.find(({ isInterim }) => isInterim) ?? answers[0];
    if (!first) return;
    if (this.dropped === this.#logged)
      this.#log.warn(
        { waiting: answers.length },
        'too many answers wait for the broker; those that another one follows are dropped, then the oldest',
      );
    this.delete(first);
    this.dropped += 1;
  }
}
