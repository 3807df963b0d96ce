import type { Log } from '../../../shared/log.ts';
import type { Outgoing, SendOptions } from '../../../shared/message.ts';

/** At most this many answers, with this many bytes, wait for the broker. */
const MOST_ANSWERS = 1000;
const MOST_BYTES = 16_777_216;
/** The limit for rejections among them: they must not take the room of answers to writes. */
const MOST_REJECTIONS = 500;

/** A waiting answer. `turn` numbers the answers in the order in which they were given. */
export type WaitingAnswer = SendOptions & { readonly message: Outgoing; readonly bytes: number; readonly turn: number };

/** A retained topic to synchronize, or an answer. */
export type QueueItem = string | WaitingAnswer;

const bytesOf = ({ topic, payload, correlationData }: Outgoing): number =>
  Buffer.byteLength(topic) + Buffer.byteLength(payload) + (correlationData?.length ?? 0);

/**
 * The queue of messages to publish, in order of request. Each topic waits once. The number of answers that
 * are not kept is bounded: above it, interim answers are dropped first, then the oldest.
 */
export class SendQueue extends Set<QueueItem> {
  /** Answers dropped for lack of room, since the start. */
  dropped = 0;
  readonly #log: Log;
  readonly #answers = new Set<WaitingAnswer>();
  /** Those that may be dropped, and the interim answers among them. */
  readonly #droppable = new Set<WaitingAnswer>();
  readonly #interim = new Set<WaitingAnswer>();
  #rejections = 0;
  #bytes = 0;
  #turn = 0;
  /** The number of dropped answers already logged. */
  #logged = 0;

  constructor(log: Log) {
    super();
    this.#log = log;
  }

  /** False, and counted as dropped, if too many rejections wait already. */
  takesRejection(): boolean {
    if (this.#rejections < MOST_REJECTIONS) return true;
    this.#drop('too many messages are rejected to answer each of them; further ones get no answer');
    return false;
  }

  /** The newest answer always has room. `turn`: the turn of an answer that waited before. */
  answer({ message, turn = ++this.#turn, ...options }: SendOptions & { readonly message: Outgoing; readonly turn?: number }): void {
    const answer: WaitingAnswer = { ...options, message, bytes: bytesOf(message), turn };
    this.add(answer);
    this.#answers.add(answer);
    if (answer.isKept) return;
    this.#droppable.add(answer);
    if (answer.isInterim) this.#interim.add(answer);
    if (answer.isRejection) this.#rejections += 1;
    this.#bytes += answer.bytes;
    while (this.#droppable.size > 1 && (this.#droppable.size > MOST_ANSWERS || this.#bytes > MOST_BYTES)) this.#dropOne();
  }

  /** An answer in flight is queued again, before all later ones. */
  again(answer: WaitingAnswer): void {
    const later = [...this.#answers].filter(({ turn }) => turn > answer.turn);
    for (const one of later) this.delete(one);
    for (const one of [answer, ...later]) this.answer(one);
  }

  /** Sending resumes: logs how many answers were dropped meanwhile. */
  opened(): void {
    const dropped = this.dropped - this.#logged;
    this.#logged = this.dropped;
    if (dropped > 0) this.#log.warn({ dropped }, 'the broker was too slow: answers that waited for it were dropped');
  }

  override delete(item: QueueItem): boolean {
    if (typeof item !== 'string' && this.#answers.delete(item) && this.#droppable.delete(item)) {
      this.#interim.delete(item);
      if (item.isRejection) this.#rejections -= 1;
      // No rejection waits any more.
      if (item.isRejection && this.#rejections === 0) this.opened();
      this.#bytes -= item.bytes;
    }
    return super.delete(item);
  }

  #dropOne(): void {
    const [oldest] = this.#droppable;
    const [first = oldest] = this.#interim;
    if (!first) return;
    this.delete(first);
    this.#drop('too many answers wait for the broker; interim answers are dropped first, then the oldest');
  }

  /** The first drop is logged at once, the total when the broker is back. */
  #drop(sentence: string): void {
    if (this.dropped === this.#logged) this.#log.warn({ waiting: this.#answers.size }, sentence);
    this.dropped += 1;
  }
}
