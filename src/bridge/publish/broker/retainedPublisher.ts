import type { Log } from '../../../shared/log.ts';
import type { Message, Outgoing } from '../../../shared/message.ts';
import type { Broker, PublishedTopics } from '../../ports.ts';
import { BrokerCheckpoint } from './brokerCheckpoint.ts';
import { BrokerWriter } from './brokerWriter.ts';
import { digest, TopicOwnership } from './topicOwnership.ts';

export type PublisherEvents = {
  /** The broker has taken a retained message. */
  held: [topic: string, owner: string];
  /** Topics of an earlier run were found on the broker. */
  found: [];
  /** Something else is wanted on these retained topics than before. */
  wanted: [topics: readonly string[]];
  /** The broker has everything that was published before this report, which goes past the queue. */
  sealed: [topic: string, report: string];
};

/**
 * Brings the broker to what is wanted there, and no further: a retained topic is published only where its payload differs from what the
 * broker holds, and cleared when no owner wants it any more. Each topic has one owner (a device's feature, its document …), which always
 * names all of its topics at once.
 */
export class RetainedPublisher extends BrokerWriter<PublisherEvents> {
  readonly #checkpoint: BrokerCheckpoint;
  readonly topics: TopicOwnership;
  /** Digest of what the broker holds, as far as it is certain. */
  #certain = new Map<string, string>();
  /** Topics that were cleared, but that the broker may hold again after it fell back to an older state. */
  #risen = new Set<string>();
  /** Topics that are to be cleared, as somebody else has retained something there. */
  readonly #foreign = new Set<string>();
  /** Beats that the present connection has taken. */
  #beats = 0;

  constructor(broker: Broker, publishedTopics: PublishedTopics, log: Log) {
    super(broker, log);
    this.#checkpoint = new BrokerCheckpoint(publishedTopics);
    this.topics = new TopicOwnership(publishedTopics.held);
  }

  /** All retained topics of an owner from now on; those that it had and that are not named are cleared. */
  assign(owner: string, messages: readonly Message[]): void {
    const usable = messages.filter(({ topic }) => this.topics.wanted.has(topic) || this.rejections.takes(topic));
    const changed = this.topics.assign(owner, usable);
    this.add(changed);
    this.emit('wanted', changed);
  }

  /** The one topic of an owner that is published past this queue: the database has to know it, and one that he had before is cleared. */
  adopt(owner: string, topic: string): void {
    this.add(this.topics.adopt(owner, topic));
  }

  /** What lies on the broker from an earlier run that the database does not know, by topic with its owner: cleared where it is not wanted. */
  find(left: ReadonlyMap<string, string>): void {
    for (const [topic, owner] of left) {
      if (this.isOurs(topic)) continue;
      this.#checkpoint.write({ kind: 'sending', topic, owner });
      if (this.topics.find(topic, owner)) this.add([topic]);
    }
    this.emit('found');
  }

  /**
   * Publishes a topic once more, now or when it is next wanted: what the broker holds is not what it took, or a client may show a value
   * that was refused.
   */
  show(topic: string): void {
    this.#certain.delete(topic);
    if (this.topics.wanted.has(topic)) this.add([topic]);
  }

  /** Publishes everything again, of one owner or of all. */
  showAll(owner?: string): void {
    if (owner === undefined) this.rejections.forgive();
    for (const [topic, wanted] of this.topics.wanted) if (owner === undefined || wanted.owner === owner) this.show(topic);
  }

  /** Another bridge has the topics of this owner now: they are neither published nor cleared. */
  abandon(owner: string): void {
    for (const topic of this.topics.abandon(owner)) if (this.#checkpoint.held.has(topic)) this.#checkpoint.gone(topic);
    this.#checkpoint.flush();
  }

  /** Clears a topic on which somebody else has retained something; false where that is under way already. */
  clear(topic: string): boolean {
    if (this.#foreign.has(topic)) return false;
    this.#foreign.add(topic);
    this.add([topic]);
    return true;
  }

  /** What is not ours is not kept as ours. */
  #isForeign(topic: string): boolean {
    return this.#foreign.has(topic) && !this.isOurs(topic);
  }

  /** Digest of what the broker surely holds on the topic; undefined where that is not known, also while it is changed. */
  holds(topic: string): string | undefined {
    return this.isUnderWay(topic) ? undefined : this.#certain.get(topic);
  }

  /** How many bytes the topic shall hold; 0 where nothing is wanted there. */
  bytesOn(topic: string): number {
    return Buffer.byteLength(this.topics.wanted.get(topic)?.payload ?? '');
  }

  /** False where nothing can lie on the broker: this is the first run, or its database was lost. */
  get mayHoldTopics(): boolean {
    return this.#checkpoint.held.size > 0;
  }

  /** True where what is retained on the topic is ours: wanted now, or left from an earlier run. */
  isOurs(topic: string): boolean {
    return this.topics.wanted.has(topic) || this.#checkpoint.held.has(topic);
  }

  /** `shownBeat`: the beat on the retained `bridge/health`, by which a broker shows how much it remembers; undefined for none. */
  connected(shownBeat: number | undefined): void {
    // Called twice, what is under way belongs to the connection before.
    this.disconnected();
    this.#beats = 0;
    const { certain, risen } = this.#checkpoint.shown(shownBeat);
    this.#certain = certain;
    this.opened();
    const { adopted, wanted } = this.topics;
    for (const [topic, owner] of adopted) if (!this.#checkpoint.held.has(topic)) this.#checkpoint.write({ kind: 'sending', topic, owner });
    this.#risen = new Set(risen.filter((topic) => !wanted.has(topic)));
    const unwanted = [...this.#checkpoint.held].flatMap(([topic, { owner }]) => (this.topics.isOwned(topic, owner) ? [] : [topic]));
    this.add([...this.#risen, ...unwanted, ...wanted.keys()]);
  }

  /**
   * Seals what was published before: `topic` gets `payload(beat)` with the next number, which the database keeps too. False
   * while there is no broker.
   */
  async beat(topic: string, payload: (beat: number) => string): Promise<boolean> {
    if (!this.isConnected) return false;
    const beat = this.#checkpoint.nextBeat();
    this.#checkpoint.beating(beat, this.#steps(this.underWay));
    const report = payload(beat);
    await this.publishNow({ topic, payload: report, retain: true });
    this.#checkpoint.write({ kind: 'beat', beat, acknowledged: true });
    this.emit('sealed', topic, report);
    this.#beats += 1;
    // The first comes at once, a further one a minute later or more: the connection is a good one.
    if (this.#beats > 1) for (const topic of this.rejections.proved()) this.show(topic);
    return true;
  }

  /** True where something was published that no beat has sealed yet. */
  unsealed(): boolean {
    return this.#checkpoint.isUnsealed();
  }

  protected override next(topic: string): Outgoing | 'held' {
    const wanted = this.topics.wanted.get(topic);
    const message = { topic, payload: wanted?.payload ?? '', retain: true };
    if (this.rejections.isLeftOut(topic, message)) return 'held';
    const isDue = wanted
      ? this.#certain.get(topic) !== wanted.hash
      : this.#checkpoint.held.has(topic) || this.#risen.has(topic) || this.#foreign.has(topic);
    return isDue ? message : 'held';
  }

  protected override sending(messages: readonly Outgoing[]): void {
    for (const { topic } of messages) this.#certain.delete(topic);
    this.#checkpoint.sending(this.#steps(messages.filter(({ topic }) => !this.#isForeign(topic))));
  }

  #steps(messages: readonly Outgoing[]) {
    return messages.map((message) => ({ topic: message.topic, owner: this.#ownerOf(message.topic), hash: this.#hashOf(message) }));
  }

  /** Digest of the payload; undefined for a clearing message. */
  #hashOf({ topic, payload }: Outgoing): string | undefined {
    const wanted = this.topics.wanted.get(topic);
    if (payload === '') return undefined;
    return wanted?.payload === payload ? wanted.hash : digest(payload);
  }

  protected override failed(topic: string): void {
    const isForeign = this.#isForeign(topic);
    // A broker that stands does not take it; a new connection brings it again.
    this.#foreign.delete(topic);
    if (!isForeign) this.#checkpoint.write({ kind: 'sending', topic, owner: this.#ownerOf(topic) });
  }

  protected override acknowledged(message: Outgoing): void {
    const { topic } = message;
    const hash = this.#hashOf(message);
    if (hash === undefined) {
      const isForeign = this.#isForeign(topic);
      this.#risen.delete(topic);
      this.#foreign.delete(topic);
      if (!isForeign) this.#checkpoint.gone(topic);
      return;
    }
    this.#certain.set(topic, hash);
    this.emit('held', topic, this.#ownerOf(topic));
  }

  protected override idle(): void {
    this.#checkpoint.flush();
  }

  #ownerOf(topic: string): string {
    return this.topics.wanted.get(topic)?.owner ?? this.#checkpoint.held.get(topic)?.owner ?? '';
  }
}
