import type { Log } from '../../shared/log.ts';
import { shortTopic, topicMistake } from '../../shared/topicName.ts';
import { isRefusal, type Outgoing } from '../ports.ts';
import { LogOnce } from './logOnce.ts';
import { OversizedMessages } from './oversizedMessages.ts';
import { type QueueItem, topicOf } from './sendQueue.ts';

/** Messages that the broker does not take: they are left out, and logged once. */
export class RejectedMessages {
  readonly #log: Log;
  readonly #logged = new LogOnce();
  /** Retained payloads that this connection refused, by topic. */
  readonly #refused = new Map<string, string>();
  readonly #suspects = new OversizedMessages();

  constructor(log: Log) {
    this.#log = log;
  }

  /** False where not every broker takes the topic, whatever is published there. */
  takes(topic: string): boolean {
    const why = topicMistake(topic);
    if (why === undefined) return true;
    if (this.#logged.isFirst(topic)) this.#log.warn({ topic: shortTopic(topic), why }, 'not every broker takes this topic; it is left out');
    return false;
  }

  /** True where the item goes out alone, since the connection may fall at it. */
  isSuspect(item: QueueItem): boolean {
    return this.#suspects.isSuspect(topicOf(item));
  }

  /** True for a message that is known not to be taken. */
  isLeftOut(item: QueueItem, { topic, payload }: Outgoing): boolean {
    if (typeof item !== 'string') return this.#suspects.isAnswerLeftOut(topic, payload);
    return this.#refused.get(topic) === payload || this.#suspects.isLeftOut(topic, payload);
  }

  taken(topic: string): void {
    this.#suspects.taken(topic);
    this.#logged.forget(topic);
  }

  /** The broker stands, but does not take the message; false where `cause` says that the connection ended. */
  isRefused(item: QueueItem, message: Outgoing, cause: unknown): boolean {
    if (!isRefusal(cause)) return false;
    const { topic, payload } = message;
    if (typeof item === 'string') this.#refused.set(topic, payload);
    const at = this.#logged.isFirst(topic) ? 'warn' : 'debug';
    this.#log[at]({ ...factsOf(message), cause: cause.message }, `the broker does not take this message; it is left out${until(item)}`);
    return true;
  }

  /** The connection fell with this message under way, `alone` or with others; false where the message is left out from now on. */
  mayReturn(item: QueueItem, message: Outgoing, alone: boolean): boolean {
    const found = this.#suspects.fell(message.topic, message.payload, alone);
    if (found === 'certain')
      this.#log.warn(
        factsOf(message),
        `the connection fell twice with this message alone under way, as if the broker did not take it; it is left out${until(item)}`,
      );
    return found === 'suspect';
  }

  /** Something else is wanted on the topic. */
  changed(topic: string): void {
    this.#refused.delete(topic);
  }

  /** What one connection refused, another one may take. */
  reconnected(): void {
    this.#refused.clear();
  }

  /** The connection has proved good: gives the topics that are tried once more. */
  proved(): string[] {
    return this.#suspects.proved();
  }

  /** Everything is tried again. */
  forgive(): void {
    this.#refused.clear();
    this.#suspects.forgive();
  }
}

const factsOf = ({ topic, payload }: Outgoing): object => ({ topic: shortTopic(topic), bytes: Buffer.byteLength(payload) });

const until = (item: QueueItem): string => (typeof item === 'string' ? ' until it changes' : '');
