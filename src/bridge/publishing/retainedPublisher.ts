import { EventEmitter } from 'node:events';
import type { Log } from '../../shared/log.ts';
import type { Message } from '../../shared/message.ts';
import type { Broker, Ledger, Outgoing } from '../ports.ts';
import { BrokerCheckpoint } from './brokerCheckpoint.ts';
import { RejectedMessages } from './rejectedMessages.ts';
import { type Item, SendQueue, type Waiting } from './sendQueue.ts';
import { digest, TopicOwnership } from './topicOwnership.ts';

export type SendOptions = { readonly heard?: (() => void) | undefined; readonly isInterim?: boolean };

export type PublisherEvents = {
  /** The broker has taken a retained message. */
  held: [topic: string, owner: string];
  /** Topics of an earlier run were found on the broker. */
  found: [];
};

/** Who else has a say in retained topics. */
export type TopicGuard = {
  /** Whether this retained topic may be published on, or with `clears` cleared; a promise that resolves when that is known. */
  allows(topic: string, owner: string, clears: boolean): boolean | Promise<void>;
  /** Another connection has begun, or everything is published again. */
  reset(): void;
  /** Everything of the owner is published again. */
  doubt(owner: string): void;
};

/**
 * Brings the broker to what is wanted there, and no further: a retained topic is published only where its payload differs from
 * what the broker holds, cleared when nobody wants it any more, and everything in the order it was asked for, paced by the
 * broker's acknowledgements. Each topic has one owner (a device's feature, its document …), who always names all of his topics at once.
 */
export class RetainedPublisher extends EventEmitter<PublisherEvents> {
  /** Messages acknowledged since the start. */
  published = 0;
  readonly #broker: Broker;
  readonly #ledger: BrokerCheckpoint;
  readonly #guard: TopicGuard | undefined;
  readonly #claims: TopicOwnership;
  /** Digest of what the broker holds, as far as it is certain. */
  #certain = new Map<string, string>();
  readonly #queue: SendQueue;
  readonly #rejections: RejectedMessages;
  /** Topics that were cleared, but that the broker may hold again after it fell back to an older state. */
  #risen = new Set<string>();
  readonly #underWay = new Set<string>();
  #inFlight = 0;
  /** A suspect is under way: nothing else goes out beside it. */
  #lone = false;
  /** Answers that the broker did not take. */
  #refusedAnswers = 0;
  /** Beats that the present connection has taken. */
  #beats = 0;
  /** How many were under way when the last connection fell. */
  #fellWith = 0;
  #pumping = false;
  #connected = false;
  #connection = 0;
  #idle: (() => void)[] = [];
  #pumped: (() => void)[] = [];

  constructor(broker: Broker, ledger: Ledger, log: Log, guard?: TopicGuard) {
    super();
    this.#broker = broker;
    this.#guard = guard;
    this.#ledger = new BrokerCheckpoint(ledger);
    this.#queue = new SendQueue(log);
    this.#rejections = new RejectedMessages(log);
    this.#claims = new TopicOwnership(ledger.held);
  }

  /** All retained topics of an owner from now on; those that it had and that are not named are cleared. */
  assign(owner: string, messages: readonly Message[]): void {
    const usable = messages.filter(({ topic }) => this.#rejections.takes(topic));
    for (const topic of this.#claims.assign(owner, usable)) {
      this.#rejections.changed(topic);
      this.#queue.add(topic);
    }
    this.#pumpSoon();
  }

  /** The one topic of an owner that is published past this queue: the ledger has to know it, and one that he had before is cleared. */
  adopt(owner: string, topic: string): void {
    for (const before of this.#claims.adopt(owner, topic)) this.#queue.add(before);
  }

  /** What lies on the broker from an earlier run that the ledger does not know, by topic with its owner: cleared where nobody wants it. */
  find(left: ReadonlyMap<string, string>): void {
    for (const [topic, owner] of left) {
      if (this.isOurs(topic)) continue;
      this.#ledger.write({ is: 'sending', topic, owner });
      if (this.#claims.find(topic, owner)) this.#queue.add(topic);
    }
    this.#pumpSoon();
    this.emit('found');
  }

  /** Every owner that has topics, wanted or left over from an earlier run. */
  owners(): string[] {
    return this.#claims.owners();
  }

  /** The retained topics of an owner, wanted or left over from an earlier run. */
  topicsOf(owner: string): readonly string[] {
    return this.#claims.topicsOf(owner);
  }

  /**
   * A message that is not kept: an answer. `isInterim`: another one follows it. `heard` is told when the broker has it, or does not take it.
   * Of those that wait for the broker a bounded number is kept (`Outbox`).
   */
  send(message: Outgoing, { heard, isInterim = false }: SendOptions = {}): void {
    if (this.#rejections.takes(message.topic)) this.#queue.answer(message, isInterim, heard);
    else heard?.();
    this.#pumpSoon();
  }

  /** Answers that were given up since the start: they had no room, or the broker did not take them. */
  get droppedAnswers(): number {
    return this.#queue.dropped + this.#refusedAnswers;
  }

  /** Publishes the present value of a topic once more, for those who ran ahead of it. */
  show(topic: string): void {
    if (!this.#claims.wanted.has(topic)) return;
    this.#certain.delete(topic);
    this.#queue.add(topic);
    this.#pumpSoon();
  }

  /** Publishes everything again, of one owner or of all. */
  showAll(owner?: string): void {
    if (owner === undefined) {
      this.#rejections.forgive();
      this.#guard?.reset();
    } else this.#guard?.doubt(owner);
    for (const [topic, wanted] of this.#claims.wanted) if (owner === undefined || wanted.owner === owner) this.show(topic);
  }

  /** What the broker holds is not what it took: it is published again, or when somebody wants it. */
  doubt(topic: string): void {
    this.#certain.delete(topic);
    this.show(topic);
  }

  /** Digest of what the broker surely holds on the topic; undefined where that is not known, also while it is changed. */
  holds(topic: string): string | undefined {
    return this.#underWay.has(topic) ? undefined : this.#certain.get(topic);
  }

  isWanted(topic: string): boolean {
    return this.#claims.wanted.has(topic);
  }

  /** How many bytes the topic shall hold; 0 where nobody wants it. */
  bytesOn(topic: string): number {
    return Buffer.byteLength(this.#claims.wanted.get(topic)?.payload ?? '');
  }

  /** False where nothing can lie on the broker: this is the first run, or its ledger was lost. */
  get mayHoldTopics(): boolean {
    return this.#ledger.held.size > 0;
  }

  /** True where what is retained on the topic is ours: wanted now, or left from an earlier run. */
  isOurs(topic: string): boolean {
    return this.#claims.wanted.has(topic) || this.#ledger.held.has(topic);
  }

  /** `shownBeat`: the beat on the retained `bridge/health`, by which a broker shows how much it remembers; undefined for none. */
  connected(shownBeat: number | undefined): void {
    // Told twice, what is under way belongs to the connection before.
    this.disconnected();
    this.#connected = true;
    this.#connection += 1;
    this.#beats = 0;
    this.#certain = this.#ledger.shown(shownBeat);
    this.#rejections.reconnected();
    this.#guard?.reset();
    this.#noteAdopted();
    this.#risen = new Set(this.#ledger.risen().filter((topic) => !this.#claims.wanted.has(topic)));
    for (const topic of this.#risen) this.#queue.add(topic);
    this.#queue.opened();
    for (const [topic, { owner }] of this.#ledger.held) if (!this.#claims.isClaimed(topic, owner)) this.#queue.add(topic);
    for (const topic of this.#claims.wanted.keys()) this.#queue.add(topic);
    this.#pumpSoon();
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

  /**
   * Seals what was published before: `topic` gets `payload(beat)` with the next number, which the ledger keeps too. False
   * while there is no broker.
   */
  async beat(topic: string, payload: (beat: number) => string): Promise<boolean> {
    if (!this.#connected) return false;
    const beat = this.#ledger.nextBeat();
    this.#ledger.write({ is: 'beat', beat, acknowledged: false });
    const connection = this.#connection;
    this.#inFlight += 1;
    try {
      await this.#broker.publish({ topic, payload: payload(beat), retain: true });
    } finally {
      if (connection === this.#connection) this.#inFlight -= 1;
      this.#pumpSoon();
    }
    this.published += 1;
    this.#ledger.write({ is: 'beat', beat, acknowledged: true });
    this.#beats += 1;
    // The first comes at once, a further one a minute later or more: the connection is a good one.
    if (this.#beats > 1) for (const topic of this.#rejections.proved()) this.show(topic);
    return true;
  }

  /** True where something was published that no beat has sealed yet. */
  unsealed(): boolean {
    return this.#ledger.isUnsealed();
  }

  #noteAdopted(): void {
    for (const [topic, owner] of this.#claims.adopted)
      if (!this.#ledger.held.has(topic)) this.#ledger.write({ is: 'sending', topic, owner });
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
    const batch: (readonly [Item, Outgoing])[] = [];
    for (const item of this.#queue) {
      if (this.#inFlight + batch.length >= this.#broker.window) break;
      if (!this.#rejections.isSuspect(item)) this.#take(item, batch);
    }
    // Everything else has been taken: a suspect may go.
    this.#lone = this.#inFlight + batch.length === 0;
    for (const item of this.#lone ? this.#queue : []) {
      if (batch.length > 0) break;
      this.#take(item, batch);
    }
    this.#lone &&= batch.length > 0;
    const topics = batch.flatMap(([item]) => (typeof item === 'string' ? [item] : []));
    if (topics.length > 0) this.#ledger.write(...topics.map((topic) => ({ is: 'sending' as const, topic, owner: this.#ownerOf(topic) })));
    for (const [item, message] of batch) void this.#publish(item, message, this.#connection);
    for (const resolve of this.#pumped.splice(0)) resolve();
    this.#settle();
  }

  /** Takes an item that is due into the batch; one that is not leaves the queue too. */
  #take(item: Item, batch: (readonly [Item, Outgoing])[]): void {
    // Never two of one topic under way: the order of their acknowledgements would decide what we believe.
    if (typeof item === 'string' && this.#underWay.has(item)) return;
    const message = typeof item === 'string' ? this.#messageOf(item) : item.message;
    const isDue = this.#isDue(item, message);
    const isOpen = isDue && typeof item === 'string' ? this.#isOpen(message) : isDue;
    if (isOpen === undefined) return;
    this.#queue.delete(item);
    if (isOpen) batch.push([item, message]);
  }

  /** The message that brings the topic to what is wanted. */
  #messageOf(topic: string): Outgoing {
    return { topic, payload: this.#claims.wanted.get(topic)?.payload ?? '', retain: true };
  }

  /** False where the broker holds it already, or is known not to take it. */
  #isDue(item: Item, message: Outgoing): boolean {
    const isLeftOut = this.#rejections.isLeftOut(item, message);
    if (typeof item !== 'string' && isLeftOut) this.#giveUp(item);
    if (typeof item !== 'string' || isLeftOut) return !isLeftOut;
    const wanted = this.#claims.wanted.get(item);
    return wanted ? this.#certain.get(item) !== wanted.hash : this.#ledger.held.has(item) || this.#risen.has(item);
  }

  #giveUp(answer: Waiting): void {
    this.#refusedAnswers += 1;
    answer.heard?.();
  }

  /** False where the topic is somebody else's, undefined while that is being found out. */
  #isOpen({ topic, payload }: Outgoing): boolean | undefined {
    const verdict = this.#guard?.allows(topic, this.#ownerOf(topic), payload === '') ?? true;
    if (verdict instanceof Promise) {
      void verdict.then(() => this.#pumpSoon());
      return undefined;
    }
    // What lies there is not ours to clear any more.
    if (!verdict && this.#ledger.held.has(topic)) this.#ledger.gone(topic);
    return verdict;
  }

  #ownerOf(topic: string): string {
    return this.#claims.wanted.get(topic)?.owner ?? this.#ledger.held.get(topic)?.owner ?? '';
  }

  async #publish(item: Item, message: Outgoing, connection: number): Promise<void> {
    const { topic } = message;
    this.#inFlight += 1;
    if (typeof item === 'string') this.#certain.delete(topic);
    this.#underWay.add(topic);
    try {
      await this.#broker.publish(message);
      this.published += 1;
      this.#rejections.taken(topic);
      if (typeof item === 'string') this.#acknowledged(message);
      else item.heard?.();
    } catch (cause) {
      this.#failed(item, message, connection, cause);
    }
    this.#underWay.delete(topic);
    if (connection === this.#connection) this.#inFlight -= 1;
    this.#pumpSoon();
  }

  #acknowledged({ topic, payload }: Outgoing): void {
    if (payload === '') {
      this.#risen.delete(topic);
      this.#ledger.gone(topic);
      return;
    }
    const wanted = this.#claims.wanted.get(topic);
    const hash = wanted?.payload === payload ? wanted.hash : digest(payload);
    this.#certain.set(topic, hash);
    const owner = this.#ownerOf(topic);
    this.#ledger.holds(topic, owner, hash);
    this.emit('held', topic, owner);
  }

  #failed(item: Item, message: Outgoing, connection: number, cause: unknown): void {
    if (this.#rejections.isRefused(item, message, cause)) {
      if (typeof item !== 'string') this.#giveUp(item);
      return;
    }
    // First, so that what is known of the fall is of this one.
    if (connection === this.#connection) this.disconnected();
    const mayReturn = this.#rejections.mayReturn(item, message, this.#fellWith === 1);
    if (typeof item === 'string') this.#queue.add(item);
    else if (mayReturn) this.#queue.again(item);
    else this.#giveUp(item);
  }

  #settle(): void {
    if (this.#connected && (this.#queue.size > 0 || this.#inFlight > 0)) return;
    this.#ledger.flush();
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
