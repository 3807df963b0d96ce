import type { Log } from '../../../shared/log.ts';
import type { Message, Outgoing } from '../../../shared/message.ts';
import type { PublishedTopics } from '../../ports.ts';
import { type BrokerCheckpoint, brokerCheckpoint, isCheckpointId } from './brokerCheckpoint.ts';
import { type Broker, BrokerWriter } from './brokerWriter.ts';
import { CLEARED, digest } from './largeText.ts';
import { TopicOwnership } from './topicOwnership.ts';

export type PublisherEvents = {
  /** The broker has taken a retained message. */
  held: [topic: string, owner: string];
  /** Topics of an earlier run were found on the broker. */
  found: [];
  /** Something else is wanted on these retained topics than before. */
  wanted: [topics: readonly string[]];
  /** The broker has everything that was published before this report, which goes past the queue. */
  checkpoint: [topic: string, report: string];
};

/**
 * Brings the broker to what is wanted there, and no further: a retained topic is published only where its payload differs from what the
 * broker holds or what a hub may show (`show`), and cleared when no owner wants it any more. Each topic has one owner (a device's feature, its document …), which always
 * names all of its topics at once.
 */
export class RetainedPublisher extends BrokerWriter<PublisherEvents> {
  readonly #published: PublishedTopics;
  readonly #checkpoint: BrokerCheckpoint;
  readonly topics: TopicOwnership;
  /** Topics that are to be cleared, as somebody else has retained something there. */
  readonly #foreign = new Set<string>();

  constructor(broker: Broker, publishedTopics: PublishedTopics, log: Log) {
    super(broker, log);
    this.#published = publishedTopics;
    this.#checkpoint = brokerCheckpoint(publishedTopics);
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

  /** What may lie on the broker although the database does not know it, by topic with its owner: cleared where it is not wanted. */
  find(left: ReadonlyMap<string, string>): void {
    const found = [...left].filter(([topic]) => !this.isOurs(topic));
    this.#published.write(found.map(([topic, owner]) => ({ kind: 'sending', topic, owner })));
    this.add(found.flatMap(([topic, owner]) => (this.topics.find(topic, owner) ? [topic] : [])));
    this.emit('found');
  }

  /**
   * Publishes a topic once more, now or when it is next wanted: what the broker holds is not what it took, or a client may show a value
   * that was refused.
   */
  show(topic: string): void {
    this.#checkpoint.markUnknown(topic);
    if (this.topics.wanted.has(topic)) this.add([topic]);
  }

  /**
   * Publishes something else on a retained topic, without the retain flag: the broker keeps what it holds, and hubs see a change. `show` has
   * to follow; a run that ends before leaves it to the next one. Of too many that wait for the broker the first are dropped.
   */
  interrupt(topic: string, payload: string, onDelivered: () => void): void {
    this.#checkpoint.sending([topic], []);
    this.send({ topic, payload, retain: false }, { onDelivered, isInterim: true });
  }

  /** Publishes everything again, of one owner or of all. */
  showAll(owner?: string): void {
    if (owner === undefined) this.rejections.forget();
    for (const [topic, wanted] of this.topics.wanted) if (owner === undefined || wanted.owner === owner) this.show(topic);
  }

  /** Another bridge has the topics of this owner now: they are neither published nor cleared. */
  abandon(owner: string): void {
    const { held } = this.#published;
    this.#published.write(this.topics.abandon(owner).flatMap((topic) => (held.has(topic) ? [{ kind: 'gone', topic }] : [])));
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
    const hash = this.isUnderWay(topic) ? undefined : this.#checkpoint.digestOn(topic);
    return hash === CLEARED ? undefined : hash;
  }

  /** How many bytes the topic shall hold; 0 where nothing is wanted there. */
  bytesOn(topic: string): number {
    return Buffer.byteLength(this.topics.wanted.get(topic)?.payload ?? '');
  }

  /** False where nothing can lie on the broker: this is the first run, or its database was lost. */
  get mayHoldTopics(): boolean {
    return this.#published.held.size > 0;
  }

  /** True where what is retained on the topic is ours: wanted now, or left from an earlier run. */
  isOurs(topic: string): boolean {
    return this.topics.wanted.has(topic) || this.#published.held.has(topic);
  }

  /** The next connection is to another node: it may lack what the last one had acknowledged, whatever it shows of the checkpoint. */
  moved(): void {
    this.#checkpoint.forget();
  }

  /** `shownId`: the `beat` of the retained `bridge/health`, by which a broker shows how much it remembers; undefined for none. */
  connected(shownId: number | undefined): void {
    // Called twice, what is under way belongs to the connection before.
    this.disconnected();
    if (isCheckpointId(shownId) && shownId > this.#published.lastCheckpointId) this.#published.write([{ kind: 'behind' }]);
    const isKnown = this.#checkpoint.connected(shownId);
    this.opened();
    const { held, cleared } = this.#published;
    // What was cleared is there again on a broker that fell back to an older state.
    if (!isKnown && shownId !== undefined && cleared.size > 0) this.find(cleared);
    const { adopted, wanted } = this.topics;
    for (const [topic, owner] of adopted) if (!held.has(topic)) this.#published.write([{ kind: 'sending', topic, owner }]);
    const unwanted = [...held].flatMap(([topic, { owner }]) => (this.topics.isOwned(topic, owner) ? [] : [topic]));
    this.add([...unwanted, ...wanted.keys()]);
  }

  /** Sets a checkpoint: `topic` gets `payload(id)` with the next number, which the database keeps too. False while there is no broker. */
  async setCheckpoint(topic: string, payload: (id: number) => string): Promise<boolean> {
    if (!this.isConnected) return false;
    const id = this.#checkpoint.nextId((underWay) => this.isUnderWay(underWay));
    const report = payload(id);
    await this.publishNow({ topic, payload: report, retain: true });
    this.#checkpoint.confirm(id);
    this.emit('checkpoint', topic, report);
    return true;
  }

  /** True where something was published since the last checkpoint. */
  isCheckpointOutdated(): boolean {
    return this.#checkpoint.isOutdated();
  }

  protected override next(topic: string): Outgoing | 'held' {
    const wanted = this.topics.wanted.get(topic);
    const isDue = (this.isOurs(topic) || this.#foreign.has(topic)) && this.#checkpoint.digestOn(topic) !== (wanted?.hash ?? CLEARED);
    return isDue ? { topic, payload: wanted?.payload ?? '', retain: true } : 'held';
  }

  protected override sending(messages: readonly Outgoing[]): void {
    const ours = messages.flatMap(({ topic }) => (this.#isForeign(topic) ? [] : [topic]));
    const { held } = this.#published;
    const isUnnamed = (topic: string): boolean => held.get(topic)?.owner !== this.#ownerOf(topic);
    // Those that follow are named with them, in one transaction.
    const unnamed = ours.some(isUnnamed) ? [...this.topics.wanted.keys()].filter(isUnnamed) : [];
    this.#checkpoint.sending(
      ours,
      unnamed.map((topic) => ({ kind: 'sending', topic, owner: this.#ownerOf(topic) })),
    );
  }

  protected override failed(topic: string): void {
    // A broker that stands does not take it; a new connection brings it again.
    this.#foreign.delete(topic);
  }

  protected override acknowledged({ topic, payload }: Outgoing): void {
    const wanted = this.topics.wanted.get(topic);
    const isWanted = wanted?.is(payload) === true;
    if (!this.#isForeign(topic)) this.#checkpoint.acknowledged(topic, isWanted ? wanted.hash : digest(payload));
    if (isWanted) wanted.compress();
    this.#foreign.delete(topic);
    if (payload !== '') this.emit('held', topic, this.#ownerOf(topic));
  }

  #ownerOf(topic: string): string {
    return this.topics.wanted.get(topic)?.owner ?? this.#published.held.get(topic)?.owner ?? '';
  }
}
