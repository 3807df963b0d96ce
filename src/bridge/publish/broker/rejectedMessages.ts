import type { Log } from '../../../shared/log.ts';
import type { Outgoing } from '../../../shared/message.ts';
import { shortTopic, topicMistake } from '../../../shared/topicName.ts';
import { isRefusal } from '../../ports.ts';
import { LogOnce } from './logOnce.ts';
import type { QueueItem } from './sendQueue.ts';
import { digest } from './topicOwnership.ts';

/** So often a connection falls with a message alone under way before it is left out. */
const FALLS = 2;
/** More are never under way at one time; what is forgotten is found again. */
const MOST_SUSPECTS = 1000;

type Suspect = {
  /** How often the connection fell with a message of this topic alone under way. */
  falls: number;
  /** The message that is left out. */
  leftOut?: { readonly hash: string; readonly bytes: number } | undefined;
  /** It was tried once more after the connection had proved good. */
  isRetried?: boolean;
};

/**
 * Messages that the broker does not take: they are left out, and logged once. A broker refuses a message, or drops the connection at it, as
 * some do where a message is too long for them or its topic is none that they take. What was under way when the connection fell is suspect
 * and is sent alone from then on; where the connection falls twice with it alone under way it is left out. Since brokers also fall for
 * other reasons, it is tried once more when the connection has proved good.
 */
export class RejectedMessages {
  readonly #log: Log;
  readonly #logged = new LogOnce();
  /** Retained payloads that this connection refused, by topic. */
  readonly #refused = new Map<string, string>();
  /** By topic. */
  readonly #suspects = new Map<string, Suspect>();

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

  /** True where a message on the topic goes out alone, since the connection may fall at it. */
  isSuspect(topic: string): boolean {
    return this.#suspects.has(topic);
  }

  /** True for a message that is known not to be taken. Another retained payload is tried; of answers no two are alike, so a shorter one is. */
  isLeftOut(item: QueueItem, { topic, payload }: Outgoing): boolean {
    const leftOut = this.#suspects.get(topic)?.leftOut;
    if (typeof item !== 'string') return leftOut !== undefined && Buffer.byteLength(payload) >= leftOut.bytes;
    return this.#refused.get(topic) === payload || (leftOut !== undefined && leftOut.hash === digest(payload));
  }

  taken(topic: string): void {
    this.#refused.delete(topic);
    this.#suspects.delete(topic);
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
    const { topic, payload } = message;
    const suspect = this.#suspects.get(topic) ?? { falls: 0 };
    this.#suspects.delete(topic);
    this.#suspects.set(topic, suspect);
    const [oldest] = this.#suspects.keys();
    if (oldest !== undefined && this.#suspects.size > MOST_SUSPECTS) this.#suspects.delete(oldest);
    if (alone) suspect.falls += 1;
    if (!alone || suspect.falls < FALLS) return true;
    suspect.leftOut = { hash: digest(payload), bytes: Buffer.byteLength(payload) };
    if (suspect.falls === FALLS)
      this.#log.warn(
        factsOf(message),
        `the connection fell twice with this message alone under way, as if the broker did not take it; it is left out${until(item)}`,
      );
    return false;
  }

  /** What one connection refused, another one may take. */
  reconnected(): void {
    this.#refused.clear();
  }

  /** The connection has proved good: gives the topics that are tried once more. */
  proved(): string[] {
    const retried = [...this.#suspects].filter(([, { leftOut, isRetried }]) => leftOut && !isRetried);
    for (const [, suspect] of retried) Object.assign(suspect, { leftOut: undefined, isRetried: true });
    return retried.map(([topic]) => topic);
  }

  /** Everything is tried again. */
  forgive(): void {
    this.#refused.clear();
    this.#suspects.clear();
  }
}

const factsOf = ({ topic, payload }: Outgoing): object => ({ topic: shortTopic(topic), bytes: Buffer.byteLength(payload) });

const until = (item: QueueItem): string => (typeof item === 'string' ? ' until it changes' : '');
