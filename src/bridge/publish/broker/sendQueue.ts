import type { Log } from '../../../shared/log.ts';
import type { Outgoing } from '../../../shared/message.ts';

/** So many answers wait for the broker at most, with so many bytes. */
const MOST_ANSWERS = 1000;
const MOST_BYTES = 16_777_216;
/** Of them so many that refuse a message: refusals of invalid messages must not take the room of answers to writes. */
const MOST_REJECTIONS = 500;

/** `isInterim`: another answer follows this one. `isRejection`: it refuses a message. `onDelivered` is called when the broker has it, or does not take it. */
export type SendOptions = { readonly onDelivered?: (() => void) | undefined; readonly isInterim?: boolean; readonly isRejection?: boolean };

/** An answer on its way. `turn` counts answers in the order in which they were given. */
export type WaitingAnswer = SendOptions & { readonly message: Outgoing; readonly bytes: number; readonly turn: number };

/** A retained topic that is to be brought to what is wanted there, or an answer. */
export type QueueItem = string | WaitingAnswer;

const bytesOf = ({ topic, payload, correlationData }: Outgoing): number =>
  Buffer.byteLength(topic) + Buffer.byteLength(payload) + (correlationData?.length ?? 0);

/**
 * What waits for its turn to be published, in the order in which it was asked for. Topics wait once each; of answers a bounded number is
 * kept: over it those go first that another one follows, then the oldest.
 */
export class SendQueue extends Set<QueueItem> {
  /** Answers that had no room, since the start. */
  dropped = 0;
  readonly #log: Log;
  readonly #answers = new Set<WaitingAnswer>();
  /** Those of them that another one follows. */
  readonly #interim = new Set<WaitingAnswer>();
  #rejections = 0;
  #bytes = 0;
  #turn = 0;
  /** The number of dropped answers in the log. */
  #logged = 0;

  constructor(log: Log) {
    super();
    this.#log = log;
  }

  /** False, and counted as dropped, where too many messages were refused lately to answer one more. */
  takesRejection(): boolean {
    if (this.#rejections < MOST_REJECTIONS) return true;
    this.#drop('too many messages are refused to answer each; the rest has no answer');
    return false;
  }

  /** There is always room for the newest. `turn` is that of one that had waited before. */
  answer({ message, turn = ++this.#turn, ...options }: SendOptions & { readonly message: Outgoing; readonly turn?: number }): void {
    const answer: WaitingAnswer = { ...options, message, bytes: bytesOf(message), turn };
    this.add(answer);
    this.#answers.add(answer);
    if (answer.isInterim) this.#interim.add(answer);
    if (answer.isRejection) this.#rejections += 1;
    this.#bytes += answer.bytes;
    while (this.#answers.size > 1 && (this.#answers.size > MOST_ANSWERS || this.#bytes > MOST_BYTES)) this.#dropOne();
  }

  /** An answer that was under way waits again, before those given after it. */
  again(answer: WaitingAnswer): void {
    const later = [...this.#answers].filter(({ turn }) => turn > answer.turn);
    for (const one of later) this.delete(one);
    for (const one of [answer, ...later]) this.answer(one);
  }

  /** What waits goes out again: the log gets the number of those that had no room meanwhile. */
  opened(): void {
    const dropped = this.dropped - this.#logged;
    this.#logged = this.dropped;
    if (dropped > 0) this.#log.warn({ dropped }, 'so many answers were dropped while they waited for the broker');
  }

  override delete(item: QueueItem): boolean {
    if (typeof item !== 'string' && this.#answers.delete(item)) {
      this.#interim.delete(item);
      if (item.isRejection) this.#rejections -= 1;
      // The flood is over.
      if (item.isRejection && this.#rejections === 0) this.opened();
      this.#bytes -= item.bytes;
    }
    return super.delete(item);
  }

  #dropOne(): void {
    const [oldest] = this.#answers;
    const [first = oldest] = this.#interim;
    if (!first) return;
    this.delete(first);
    this.#drop('too many answers wait for the broker; those that another one follows are dropped, then the oldest');
  }

  /** The first drop is logged at once, the number of all of them when the broker is there again. */
  #drop(sentence: string): void {
    if (this.dropped === this.#logged) this.#log.warn({ waiting: this.#answers.size }, sentence);
    this.dropped += 1;
  }
}
