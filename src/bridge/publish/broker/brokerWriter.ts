import { EventEmitter } from 'node:events';
import type { Log } from '../../../shared/log.ts';
import type { Outgoing } from '../../../shared/message.ts';
import { type Connection, isRefusal } from '../../ports.ts';
import { type RejectedMessages, rejectedMessages } from './rejectedMessages.ts';
import { type QueueItem, type SendOptions, SendQueue } from './sendQueue.ts';

/** What publishing needs of the connection. */
export type Broker = Pick<Connection, 'publish' | 'window'>;

const topicOf = (item: QueueItem): string => (typeof item === 'string' ? item : item.message.topic);

/** Sends what waits, in the order in which it was asked for, paced by the broker's acknowledgements. What a topic needs its subclass tells. */
export abstract class BrokerWriter<Events extends Record<keyof Events, unknown[]>> extends EventEmitter<Events> {
  /** Messages acknowledged since the start. */
  published = 0;
  protected isConnected = false;
  protected readonly rejections: RejectedMessages;
  readonly #broker: Broker;
  readonly #queue: SendQueue;
  /** By topic: what is under way, also on an earlier connection that has not said yet what became of it. */
  readonly #underWay = new Map<string, Outgoing>();
  /** Messages of this connection that wait for their acknowledgement. */
  #inFlight = new Set<Outgoing>();
  /** A suspect is under way: nothing else goes out beside it. */
  #isAlone = false;
  /** Answers that the broker did not take. */
  #refusedAnswers = 0;
  #pumping = false;
  #idle: (() => void)[] = [];
  #delivered: (() => void)[] = [];
  #pumped: (() => void)[] = [];

  constructor(broker: Broker, log: Log) {
    super();
    this.#broker = broker;
    this.#queue = new SendQueue(log);
    this.rejections = rejectedMessages(log);
  }

  /** The message for a retained topic; `held` where there is nothing to send. */
  protected abstract next(topic: string): Outgoing | 'held';

  /** Called before these retained messages are sent. */
  protected abstract sending(messages: readonly Outgoing[]): void;

  protected abstract acknowledged(message: Outgoing): void;

  /** A message on this retained topic was not acknowledged: it is unknown what the broker holds. */
  protected abstract failed(topic: string): void;

  /** These retained topics may differ from what is wanted there. */
  protected add(topics: Iterable<string>): void {
    for (const topic of topics) this.#queue.add(topic);
    this.#pumpSoon();
  }

  /** Sends an answer, which is not kept. A bounded number of answers waits for the broker (`SendQueue`). */
  send(message: Outgoing, options: SendOptions = {}): void {
    if (this.rejections.takes(message.topic)) this.#queue.answer({ ...options, message });
    else options.onDelivered?.();
    this.#pumpSoon();
  }

  /** False where an answer that refuses a message would have no room; counted as given up. */
  takesRejection(): boolean {
    return this.#queue.takesRejection();
  }

  /** Answers that were given up since the start: they had no room, or the broker did not take them. */
  get droppedAnswers(): number {
    return this.#queue.dropped + this.#refusedAnswers;
  }

  protected isUnderWay(topic: string): boolean {
    return this.#underWay.has(topic);
  }

  protected opened(): void {
    this.isConnected = true;
    this.#queue.opened();
  }

  disconnected(): void {
    if (!this.isConnected) return;
    this.isConnected = false;
    this.rejections.connectionEnded([...this.#inFlight]);
    this.#inFlight = new Set();
    this.#settle();
  }

  /** Resolves when nothing waits, with true, or the connection is gone, with false. */
  async flushed(): Promise<boolean> {
    if (!this.#isIdle) await new Promise<void>((resolve) => this.#idle.push(resolve));
    return this.isConnected;
  }

  /** Resolves when a broker has taken everything that waits, also where there is no connection now. */
  async delivered(): Promise<void> {
    if (this.isConnected && this.#isIdle) return;
    await new Promise<void>((resolve) => this.#delivered.push(resolve));
  }

  /** Resolves when none of these topics waits any more, also where the broker is away now: it has each, or does not take it. */
  async taken(topics: readonly string[]): Promise<void> {
    while (topics.some((topic) => this.#queue.has(topic) || this.#underWay.has(topic)))
      await new Promise<void>((resolve) => this.#pumped.push(resolve));
  }

  /** Publishes past the queue; rejects where the broker does not acknowledge. */
  protected async publishNow(message: Outgoing): Promise<void> {
    const inFlight = this.#inFlight.add(message);
    try {
      await this.#broker.publish(message);
    } finally {
      inFlight.delete(message);
      // The next one is another message.
      this.rejections.taken(message.topic);
      this.#pumpSoon();
    }
    this.published += 1;
  }

  // Acknowledgements come in groups, and a read brings many topics: what one turn of the loop brought goes out together.
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (!this.isConnected || (this.#isAlone && this.#inFlight.size > 0)) return;
    this.#isAlone = false;
    const batch: (readonly [QueueItem, Outgoing])[] = [];
    for (const item of this.#queue) {
      const isSuspect = this.rejections.isSuspect(topicOf(item));
      // A suspect goes alone, when everything before it has been acknowledged.
      if (this.#isAlone || this.#inFlight.size + batch.length >= (isSuspect ? 1 : this.#broker.window)) break;
      // Never two of one topic under way: the order of their acknowledgements would decide what is believed to be held.
      if (typeof item === 'string' && this.#underWay.has(item)) continue;
      const next = typeof item === 'string' ? this.next(item) : item.message;
      this.#queue.delete(item);
      if (next === 'held') continue;
      if (this.rejections.isDropped(next)) this.#giveUp(item);
      else {
        batch.push([item, next]);
        this.#isAlone = isSuspect;
      }
    }
    const retained = batch.flatMap(([item, message]) => (typeof item === 'string' ? [message] : []));
    if (retained.length > 0) this.sending(retained);
    for (const [item, message] of batch) void this.#publish(item, message);
    for (const resolve of this.#pumped.splice(0)) resolve();
    this.#settle();
  }

  /** The broker does not take it. A retained topic waits for another payload. */
  #giveUp(item: QueueItem): void {
    if (typeof item === 'string') return;
    this.#refusedAnswers += 1;
    item.onDelivered?.();
  }

  async #publish(item: QueueItem, message: Outgoing): Promise<void> {
    const { topic } = message;
    const inFlight = this.#inFlight.add(message);
    this.#underWay.set(topic, message);
    try {
      await this.#broker.publish(message);
      this.published += 1;
      this.rejections.taken(topic);
      if (typeof item === 'string') this.acknowledged(message);
      else item.onDelivered?.();
    } catch (cause) {
      this.#failed(item, message, inFlight, cause);
    }
    this.#underWay.delete(topic);
    inFlight.delete(message);
    this.#pumpSoon();
  }

  #failed(item: QueueItem, message: Outgoing, inFlight: ReadonlySet<Outgoing>, cause: unknown): void {
    if (typeof item === 'string') this.failed(item);
    if (isRefusal(cause)) {
      this.rejections.refused(message, cause.message);
      this.#giveUp(item);
      return;
    }
    // Before any of what was under way waits again.
    if (inFlight === this.#inFlight) this.disconnected();
    if (typeof item === 'string') this.#queue.add(item);
    else this.#queue.again(item);
  }

  get #isIdle(): boolean {
    return !this.isConnected || (this.#queue.size === 0 && this.#inFlight.size === 0);
  }

  #settle(): void {
    if (!this.#isIdle) return;
    if (this.isConnected) for (const resolve of this.#delivered.splice(0)) resolve();
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
