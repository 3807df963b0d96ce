import type { Log } from '../base/log.ts';
import type { Message } from '../base/message.ts';
import { Claims, digest } from './claims.ts';
import { type Broker, isRefusal, type Ledger, type LedgerLine, type Outgoing } from './ports.ts';
import { Suspects } from './suspects.ts';

const MOST_WAITING_ANSWERS = 1000;

/** Who else has a say in retained topics. */
export type TopicGuard = {
  /** Whether this retained topic may be published on, or with `clears` cleared; a promise that resolves when that is known. */
  allows(topic: string, owner: string, clears: boolean): boolean | Promise<void>;
  /** Another connection has begun, or everything is published again. */
  reset(): void;
};

/**
 * Brings the broker to what is wanted there, and no further: a retained topic is published only where its payload differs from
 * what the broker holds, cleared when nobody wants it any more, and everything in the order it was asked for, paced by the
 * broker's acknowledgements. Each topic has one owner (a device's feature, its document …), who always names all of his topics at once.
 */
export class Publisher {
  /** Messages acknowledged since the start. */
  published = 0;
  readonly #broker: Broker;
  readonly #ledger: Ledger;
  readonly #log: Log;
  readonly #guard: TopicGuard | undefined;
  readonly #claims: Claims;
  /** Digest of what the broker holds, as far as it is certain. */
  #certain = new Map<string, string>();
  readonly #queue = new Set<string | Outgoing>();
  /** Whom to tell when an answer is with the broker. */
  readonly #heard = new WeakMap<Outgoing, () => void>();
  readonly #refused = new Map<string, string>();
  readonly #suspects = new Suspects();
  /** Topics that were cleared, but that the broker may hold again after it fell back to an older state. */
  readonly #risen = new Set<string>();
  /** A data folder that was put back from a copy knows less than the broker: no beat is used twice. */
  #shownBeat = 0;
  readonly #lines: LedgerLine[] = [];
  readonly #underWay = new Set<string>();
  #inFlight = 0;
  /** How many were under way when the last connection fell. */
  #fellWith = 0;
  #pumping = false;
  #connected = false;
  #connection = 0;
  #idle: (() => void)[] = [];
  #pumped: (() => void)[] = [];

  constructor(broker: Broker, ledger: Ledger, log: Log, guard?: TopicGuard) {
    this.#broker = broker;
    this.#guard = guard;
    this.#ledger = ledger;
    this.#log = log;
    this.#claims = new Claims(ledger.held);
  }

  /** All retained topics of an owner from now on; those that it had and that are not named are cleared. */
  own(owner: string, messages: readonly Message[]): void {
    for (const topic of this.#claims.own(owner, messages)) {
      this.#refused.delete(topic);
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
      this.#writeLines({ is: 'sending', topic, owner });
      if (this.#claims.find(topic, owner)) this.#queue.add(topic);
    }
    this.#pumpSoon();
  }

  /** Every owner that has topics, wanted or left over from an earlier run. */
  owners(): string[] {
    return this.#claims.owners();
  }

  /** The retained topics of an owner, wanted or left over from an earlier run. */
  topicsOf(owner: string): readonly string[] {
    return this.#claims.topicsOf(owner);
  }

  /** A message that is not kept: an answer. While the broker is away the last thousand wait for it; `heard` is told when the broker has it. */
  send(message: Outgoing, heard?: () => void): void {
    if (heard) this.#heard.set(message, heard);
    this.#queue.add(message);
    if (!this.#connected && this.#queue.size > MOST_WAITING_ANSWERS) this.#dropOldestAnswer();
    this.#pumpSoon();
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
      this.#refused.clear();
      this.#suspects.forgive();
      this.#guard?.reset();
    }
    for (const [topic, wanted] of this.#claims.wanted) if (owner === undefined || wanted.owner === owner) this.show(topic);
  }

  isWanted(topic: string): boolean {
    return this.#claims.wanted.has(topic);
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
    this.#shownBeat = shownBeat ?? 0;
    this.#certain = this.#remembered(shownBeat);
    this.#refused.clear();
    this.#guard?.reset();
    this.#noteAdopted();
    this.#clearRisen(shownBeat);
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
    const beat = Math.max(this.#ledger.pendingBeat, this.#ledger.beat, this.#shownBeat) + 1;
    this.#writeLines({ is: 'beat', beat, acknowledged: false });
    const connection = this.#connection;
    this.#inFlight += 1;
    try {
      await this.#broker.publish({ topic, payload: payload(beat), retain: true });
    } finally {
      if (connection === this.#connection) this.#inFlight -= 1;
      this.#pumpSoon();
    }
    this.published += 1;
    this.#writeLines({ is: 'beat', beat, acknowledged: true });
    return true;
  }

  /** True where something was published that no beat has sealed yet. */
  unsealed(): boolean {
    const { held, cleared, beat } = this.#ledger;
    for (const { seal } of held.values()) if (seal > beat) return true;
    for (const seal of cleared.values()) if (seal > beat) return true;
    return false;
  }

  #noteAdopted(): void {
    for (const [topic, owner] of this.#claims.adopted) if (!this.#ledger.held.has(topic)) this.#writeLines({ is: 'sending', topic, owner });
  }

  /** A broker that shows an older beat has what was cleared since then, too. */
  #clearRisen(shownBeat: number | undefined): void {
    this.#risen.clear();
    if (shownBeat === undefined) return;
    const { beat, pendingBeat, cleared } = this.#ledger;
    const isOlder = shownBeat !== beat && shownBeat !== pendingBeat;
    for (const [topic, seal] of cleared) {
      if (this.#claims.wanted.has(topic) || (!isOlder && seal <= shownBeat)) continue;
      this.#risen.add(topic);
      this.#queue.add(topic);
    }
  }

  #remembered(shownBeat: number | undefined): Map<string, string> {
    const { beat, pendingBeat, held } = this.#ledger;
    if (!shownBeat || (shownBeat !== beat && shownBeat !== pendingBeat)) return new Map();
    return new Map(
      [...held].flatMap(([topic, { hash, seal }]) => (hash !== undefined && seal <= shownBeat ? [[topic, hash] as const] : [])),
    );
  }

  #dropOldestAnswer(): void {
    const answers = [...this.#queue].filter((item) => typeof item !== 'string');
    const oldest = answers[0];
    if (answers.length > MOST_WAITING_ANSWERS && oldest) this.#queue.delete(oldest);
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
    if (!this.#connected) return;
    const sending: LedgerLine[] = [];
    const batch: Outgoing[] = [];
    for (const item of this.#queue) {
      if (this.#inFlight + batch.length >= this.#broker.window) break;
      if (this.#suspects.isSuspect(topicOf(item)) && !this.#isAlone(batch)) continue;
      // Never two of one topic under way: the order of their acknowledgements would decide what we believe.
      if (typeof item === 'string' && this.#underWay.has(item)) continue;
      const message = typeof item === 'string' ? this.#due(item) : item;
      const isOpen = message && typeof item === 'string' ? this.#isOpen(message) : true;
      if (isOpen === undefined) continue;
      this.#queue.delete(item);
      if (!message || !isOpen) continue;
      batch.push(message);
      if (typeof item === 'string') sending.push({ is: 'sending', topic: item, owner: this.#ownerOf(item) });
      if (this.#suspects.isSuspect(message.topic)) break;
    }
    if (sending.length > 0) this.#writeLines(...sending);
    for (const message of batch) void this.#publish(message, this.#connection);
    for (const resolve of this.#pumped.splice(0)) resolve();
    this.#settle();
  }

  /** True where a suspect may go out: everything else has been taken. */
  #isAlone(batch: readonly Outgoing[]): boolean {
    if (this.#inFlight + batch.length > 0) return false;
    for (const item of this.#queue) if (!this.#suspects.isSuspect(topicOf(item))) return false;
    return true;
  }

  /** The message that brings the topic to what is wanted, or undefined where the broker holds it already. */
  #due(topic: string): Outgoing | undefined {
    const wanted = this.#claims.wanted.get(topic);
    if (!wanted) return this.#ledger.held.has(topic) || this.#risen.has(topic) ? { topic, payload: '', retain: true } : undefined;
    if (this.#certain.get(topic) === wanted.hash || this.#refused.get(topic) === wanted.payload) return undefined;
    if (this.#suspects.isGuilty(topic, wanted.payload)) return undefined;
    return { topic, payload: wanted.payload, retain: true };
  }

  /** False where the topic is somebody else's, undefined while that is being found out. */
  #isOpen({ topic, payload }: Outgoing): boolean | undefined {
    const verdict = this.#guard?.allows(topic, this.#ownerOf(topic), payload === '') ?? true;
    if (verdict instanceof Promise) {
      void verdict.then(() => this.#pumpSoon());
      return undefined;
    }
    // What lies there is not ours to clear any more.
    if (!verdict && this.#ledger.held.has(topic)) this.#writeLines({ is: 'gone', topic, seal: this.#ledger.pendingBeat + 1 });
    return verdict;
  }

  #ownerOf(topic: string): string {
    return this.#claims.wanted.get(topic)?.owner ?? this.#ledger.held.get(topic)?.owner ?? '';
  }

  async #publish(message: Outgoing, connection: number): Promise<void> {
    this.#inFlight += 1;
    const kept = message.retain && (message.payload !== '' || this.#ledger.held.has(message.topic));
    if (kept) this.#certain.delete(message.topic);
    this.#underWay.add(message.topic);
    try {
      await this.#broker.publish(message);
      this.published += 1;
      this.#heard.get(message)?.();
      if (kept) this.#acknowledged(message);
    } catch (cause) {
      this.#failed(message, kept, connection, cause);
    }
    this.#underWay.delete(message.topic);
    if (connection === this.#connection) this.#inFlight -= 1;
    this.#pumpSoon();
  }

  #acknowledged({ topic, payload }: Outgoing): void {
    const seal = this.#ledger.pendingBeat + 1;
    this.#suspects.taken(topic);
    if (payload === '') {
      this.#risen.delete(topic);
      this.#writeLines({ is: 'gone', topic, seal });
      return;
    }
    const wanted = this.#claims.wanted.get(topic);
    const hash = wanted?.payload === payload ? wanted.hash : digest(payload);
    this.#certain.set(topic, hash);
    this.#writeLines({ is: 'held', topic, owner: this.#ownerOf(topic), hash, seal });
  }

  #failed(message: Outgoing, kept: boolean, connection: number, cause: unknown): void {
    const { topic, payload } = message;
    const facts = { topic, bytes: Buffer.byteLength(payload) };
    if (isRefusal(cause)) {
      if (kept) this.#refused.set(topic, payload);
      this.#heard.get(message)?.();
      this.#log.warn({ ...facts, cause: cause.message }, 'the broker does not take this message; it is left out until it changes');
      return;
    }
    // First, so that what is known of the fall is of this one.
    if (connection === this.#connection) this.disconnected();
    const isTooLong = this.#suspects.fell(topic, payload, this.#fellWith === 1);
    if (kept || !isTooLong) this.#queue.add(kept ? topic : message);
    if (isTooLong)
      this.#log.warn(
        facts,
        `the broker drops the connection whenever this message comes, as if it were too long; it is left out${kept ? ' until it changes' : ''}`,
      );
  }

  // What was acknowledged is written with the next step, or when nothing is under way: a process killed before that publishes it again.
  #writeLines(...lines: LedgerLine[]): void {
    this.#lines.push(...lines);
    if (lines.some(({ is }) => is === 'sending' || is === 'beat')) this.#flushLines();
  }

  #flushLines(): void {
    if (this.#lines.length > 0) this.#ledger.write(this.#lines.splice(0));
  }

  #settle(): void {
    if (this.#connected && (this.#queue.size > 0 || this.#inFlight > 0)) return;
    this.#flushLines();
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}

const topicOf = (item: string | Outgoing): string => (typeof item === 'string' ? item : item.topic);
