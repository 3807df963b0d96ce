import type { Log } from '../../shared/log.ts';
import type { Broker, Outgoing } from '../ports.ts';
import { RejectedMessages } from './rejectedMessages.ts';
import { type QueueItem, SendQueue, type WaitingAnswer } from './sendQueue.ts';

/** What the writer brings the broker to. */
export type TopicSource = {
  /** The message for a retained topic; `held` where there is nothing to send, a promise until it is known whether the topic may be written. */
  next(topic: string): Outgoing | 'held' | Promise<void>;
  /** To be called before a message on these topics is sent. */
  sending(topics: readonly string[]): void;
  acknowledged(message: Outgoing): void;
  /** Nothing is under way. */
  idle(): void;
};

export type SendOptions = { readonly heard?: (() => void) | undefined; readonly isInterim?: boolean };

/** Sends what waits, in the order in which it was asked for, paced by the broker's acknowledgements. */
export class BrokerWriter {
  /** Messages acknowledged since the start. */
  published = 0;
  readonly rejections: RejectedMessages;
  readonly #broker: Broker;
  readonly #source: TopicSource;
  readonly #queue: SendQueue;
  readonly #underWay = new Set<string>();
  #inFlight = 0;
  /** A suspect is under way: nothing else goes out beside it. */
  #lone = false;
  /** Answers that the broker did not take. */
  #refusedAnswers = 0;
  /** How many were under way when the last connection fell. */
  #fellWith = 0;
  #pumping = false;
  #connected = false;
  #connection = 0;
  #idle: (() => void)[] = [];
  #pumped: (() => void)[] = [];

  constructor(broker: Broker, source: TopicSource, log: Log) {
    this.#broker = broker;
    this.#source = source;
    this.#queue = new SendQueue(log);
    this.rejections = new RejectedMessages(log);
  }

  get isConnected(): boolean {
    return this.#connected;
  }

  /** These retained topics may differ from what is wanted there. */
  add(topics: Iterable<string>): void {
    for (const topic of topics) this.#queue.add(topic);
    this.#pumpSoon();
  }

  /**
   * A message that is not kept: an answer. `isInterim`: another one follows it. `heard` is called when the broker has it, or does not take it.
   * A bounded number of answers waits for the broker (`SendQueue`).
   */
  send(message: Outgoing, { heard, isInterim = false }: SendOptions): void {
    if (this.rejections.takes(message.topic)) this.#queue.answer(message, isInterim, heard);
    else heard?.();
    this.#pumpSoon();
  }

  /** Answers that were given up since the start: they had no room, or the broker did not take them. */
  get droppedAnswers(): number {
    return this.#queue.dropped + this.#refusedAnswers;
  }

  isUnderWay(topic: string): boolean {
    return this.#underWay.has(topic);
  }

  connected(): void {
    this.#connected = true;
    this.#connection += 1;
    this.rejections.reconnected();
    this.#queue.opened();
  }

  disconnected(): void {
    if (!this.#connected) return;
    this.#connected = false;
    this.#connection += 1;
    this.#fellWith = this.#inFlight;
    this.#inFlight = 0;
    this.#settle();
  }

  /** Resolves when nothing waits or the connection is gone. */
  async flushed(): Promise<void> {
    if (!this.#connected || (this.#queue.size === 0 && this.#inFlight === 0)) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** Resolves when none of these topics waits any more, also where the broker is away now: it has each, or does not take it. */
  async taken(topics: readonly string[]): Promise<void> {
    while (topics.some((topic) => this.#queue.has(topic) || this.#underWay.has(topic)))
      await new Promise<void>((resolve) => this.#pumped.push(resolve));
  }

  /** Publishes past the queue; rejects where the broker does not acknowledge. */
  async publishNow(message: Outgoing): Promise<void> {
    const connection = this.#connection;
    this.#inFlight += 1;
    try {
      await this.#broker.publish(message);
    } finally {
      if (connection === this.#connection) this.#inFlight -= 1;
      this.#pumpSoon();
    }
    this.published += 1;
  }

  // Acknowledgements come in flocks, and a read brings many topics: what one turn of the loop brought goes out together.
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    if (!this.#connected || (this.#lone && this.#inFlight > 0)) return;
    this.#lone = false;
    const batch: (readonly [QueueItem, Outgoing])[] = [];
    for (const item of this.#inTurn()) {
      const isSuspect = this.rejections.isSuspect(item);
      // A suspect goes alone, when everything else has been acknowledged.
      if (this.#inFlight + batch.length >= (isSuspect ? 1 : this.#broker.window)) break;
      // Never two of one topic under way: the order of their acknowledgements would decide what is believed to be held.
      if (typeof item === 'string' && this.#underWay.has(item)) continue;
      const next = typeof item === 'string' ? this.#source.next(item) : item.message;
      if (next instanceof Promise) {
        void next.then(() => this.#pumpSoon());
        continue;
      }
      this.#queue.delete(item);
      if (typeof item !== 'string' && this.rejections.isLeftOut(item, item.message)) this.#giveUp(item);
      else if (next !== 'held') {
        batch.push([item, next]);
        this.#lone = isSuspect;
      }
    }
    const topics = batch.flatMap(([item]) => (typeof item === 'string' ? [item] : []));
    if (topics.length > 0) this.#source.sending(topics);
    for (const [item, message] of batch) void this.#publish(item, message, this.#connection);
    for (const resolve of this.#pumped.splice(0)) resolve();
    this.#settle();
  }

  *#inTurn(): Generator<QueueItem> {
    for (const item of this.#queue) if (!this.rejections.isSuspect(item)) yield item;
    for (const item of this.#queue) if (this.rejections.isSuspect(item)) yield item;
  }

  #giveUp(answer: WaitingAnswer): void {
    this.#refusedAnswers += 1;
    answer.heard?.();
  }

  async #publish(item: QueueItem, message: Outgoing, connection: number): Promise<void> {
    const { topic } = message;
    this.#inFlight += 1;
    this.#underWay.add(topic);
    try {
      await this.#broker.publish(message);
      this.published += 1;
      this.rejections.taken(topic);
      if (typeof item === 'string') this.#source.acknowledged(message);
      else item.heard?.();
    } catch (cause) {
      this.#failed(item, message, connection, cause);
    }
    this.#underWay.delete(topic);
    if (connection === this.#connection) this.#inFlight -= 1;
    this.#pumpSoon();
  }

  #failed(item: QueueItem, message: Outgoing, connection: number, cause: unknown): void {
    if (this.rejections.isRefused(item, message, cause)) {
      if (typeof item !== 'string') this.#giveUp(item);
      return;
    }
    // First, so that what is known of the fall is of this one.
    if (connection === this.#connection) this.disconnected();
    const mayReturn = this.rejections.mayReturn(item, message, this.#fellWith === 1);
    if (typeof item === 'string') this.#queue.add(item);
    else if (mayReturn) this.#queue.again(item);
    else this.#giveUp(item);
  }

  #settle(): void {
    if (this.#connected && (this.#queue.size > 0 || this.#inFlight > 0)) return;
    this.#source.idle();
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
