import { EventEmitter } from 'node:events';
import type { Log } from '../../../shared/log.ts';
import type { Message, Outgoing } from '../../../shared/message.ts';
import { type Connection, isRefusal, type PublishedTopics } from '../../ports.ts';
import { brokerCheckpoint, isCheckpointId } from './brokerCheckpoint.ts';
import { CLEARED, digest } from './largeText.ts';
import { rejectedMessages } from './rejectedMessages.ts';
import { type QueueItem, type SendOptions, SendQueue } from './sendQueue.ts';
import { TopicOwnership } from './topicOwnership.ts';

type PublisherEvents = {
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
 * names all of its topics at once. Topics and answers go out in the order in which they were asked for, paced by the broker's acknowledgements.
 */
export const retainedPublisher = (broker: Pick<Connection, 'publish' | 'window'>, publishedTopics: PublishedTopics, log: Log) => {
  const events = new EventEmitter<PublisherEvents>();
  const checkpoint = brokerCheckpoint(publishedTopics);
  const topics = new TopicOwnership(publishedTopics.held);
  const { wanted } = topics;
  const queue = new SendQueue(log);
  const rejections = rejectedMessages(log);
  /** Topics that are to be cleared, as somebody else has retained something there. */
  const foreign = new Set<string>();
  /** Topics of what is under way, also on an earlier connection that has not said yet what became of it. */
  const underWay = new Set<string>();
  /** Messages of this connection that wait for their acknowledgement. */
  let inFlight = new Set<Outgoing>();
  let isConnected = false;
  /** A suspect is under way: nothing else goes out beside it. */
  let isAlone = false;
  let isPumping = false;
  let published = 0;
  /** Answers that the broker did not take. */
  let refusedAnswers = 0;
  /** What waits (`flushed`, `delivered`, `taken`), and for what. */
  const waiters = new Map<() => void, () => boolean>();

  /** All retained topics of an owner from now on; those that it had and that are not named are cleared. */
  const assign = (owner: string, messages: readonly Message[]): void => {
    const usable = messages.every(isWanted) ? messages : messages.filter(({ topic }) => rejections.takes(topic));
    const changed = topics.assign(owner, usable);
    add(changed);
    events.emit('wanted', changed);
  };

  const isWanted = ({ topic }: Message): boolean => wanted.has(topic);

  /** These retained topics may differ from what is wanted there. */
  const add = (names: Iterable<string>): void => {
    for (const topic of names) queue.add(topic);
    pumpSoon();
  };

  /** Sends an answer, which is not kept. A bounded number of answers waits for the broker (`SendQueue`). */
  const send = (message: Outgoing, options: SendOptions = {}): void => {
    if (rejections.takes(message.topic)) queue.answer({ ...options, message });
    else options.onDelivered?.();
    pumpSoon();
  };

  /** What may lie on the broker although the database does not know it, by topic with its owner: cleared where it is not wanted. */
  const find = (left: ReadonlyMap<string, string>): void => {
    const found = [...left].filter(([topic]) => !isOurs(topic));
    publishedTopics.write(found.map(([topic, owner]) => ({ kind: 'sending', topic, owner })));
    add(found.flatMap(([topic, owner]) => (topics.find(topic, owner) ? [topic] : [])));
    events.emit('found');
  };

  /**
   * Publishes a topic once more, now or when it is next wanted: what the broker holds is not what it took, or a client may show a value
   * that was refused.
   */
  const show = (topic: string): void => {
    checkpoint.markUnknown(topic);
    if (wanted.has(topic)) add([topic]);
  };

  /**
   * Publishes something else on a retained topic, without the retain flag: the broker keeps what it holds, and hubs see a change. `show` has
   * to follow; a run that ends before leaves it to the next one. Of too many that wait for the broker the first are dropped.
   */
  const interrupt = (topic: string, payload: string, onDelivered: () => void): void => {
    checkpoint.sending([topic], wanted);
    send({ topic, payload, retain: false }, { onDelivered, isInterim: true });
  };

  /** Publishes everything again, of one owner or of all. */
  const showAll = (owner?: string): void => {
    if (owner === undefined) rejections.forget();
    for (const [topic, { owner: its }] of wanted) if (owner === undefined || its === owner) show(topic);
  };

  /** Another bridge has the topics of this owner now: they are neither published nor cleared. */
  const abandon = (owner: string): void => {
    const { held } = publishedTopics;
    publishedTopics.write(topics.abandon(owner).flatMap((topic) => (held.has(topic) ? [{ kind: 'gone', topic }] : [])));
  };

  /** Clears a topic on which somebody else has retained something; false where that is under way already. */
  const clear = (topic: string): boolean => {
    if (foreign.has(topic)) return false;
    foreign.add(topic);
    add([topic]);
    return true;
  };

  /** True where what is retained on the topic is ours: wanted now, or left from an earlier run. */
  const isOurs = (topic: string): boolean => wanted.has(topic) || publishedTopics.held.has(topic);

  /** What is not ours is not kept as ours. */
  const isForeign = (topic: string): boolean => foreign.has(topic) && !isOurs(topic);

  /** Digest of what the broker surely holds on the topic; undefined where that is not known, also while it is changed. */
  const holds = (topic: string): string | undefined => {
    const hash = underWay.has(topic) ? undefined : checkpoint.digestOn(topic);
    return hash === CLEARED ? undefined : hash;
  };

  /** `shownId`: the `beat` of the retained `bridge/health`, by which a broker shows how much it remembers; undefined for none. */
  const connected = (shownId: number | undefined): void => {
    // Called twice, what is under way belongs to the connection before.
    disconnected();
    if (isCheckpointId(shownId) && shownId > publishedTopics.lastCheckpointId) publishedTopics.write([{ kind: 'behind' }]);
    const isKnown = checkpoint.connected(shownId);
    isConnected = true;
    queue.opened();
    const { held, cleared } = publishedTopics;
    // What was cleared is there again on a broker that fell back to an older state.
    if (!isKnown && shownId !== undefined && cleared.size > 0) find(cleared);
    for (const [topic, owner] of topics.adopted) if (!held.has(topic)) publishedTopics.write([{ kind: 'sending', topic, owner }]);
    const unwanted = [...held].flatMap(([topic, { owner }]) => (topics.isOwned(topic, owner) ? [] : [topic]));
    add([...unwanted, ...wanted.keys()]);
  };

  const disconnected = (): void => {
    if (!isConnected) return;
    isConnected = false;
    rejections.connectionEnded([...inFlight]);
    inFlight = new Set();
    settle();
  };

  /**
   * Sets a checkpoint: `topic` gets `payload(id)` with the next number, which the database keeps too; it goes past the queue. False while there
   * is no broker; rejects where it does not acknowledge.
   */
  const setCheckpoint = async (topic: string, payload: (id: number) => string): Promise<boolean> => {
    if (!isConnected) return false;
    const id = checkpoint.nextId((other) => underWay.has(other));
    const message = { topic, payload: payload(id), retain: true };
    const flight = inFlight.add(message);
    try {
      await broker.publish(message);
    } finally {
      flight.delete(message);
      // The next one is another message.
      rejections.taken(topic);
      pumpSoon();
    }
    published += 1;
    checkpoint.confirm(id);
    events.emit('checkpoint', topic, message.payload);
    return true;
  };

  // Acknowledgements come in groups, and a read brings many topics: what one turn of the loop brought goes out together.
  const pumpSoon = (): void => {
    if (isPumping) return;
    isPumping = true;
    setImmediate(pump);
  };

  const pump = (): void => {
    isPumping = false;
    if (!isConnected || (isAlone && inFlight.size > 0)) return;
    isAlone = false;
    const batch: (readonly [QueueItem, Outgoing])[] = [];
    for (const item of queue) {
      const isTopic = typeof item === 'string';
      const isSuspect = rejections.isSuspect(isTopic ? item : item.message.topic);
      // A suspect goes alone, when everything before it has been acknowledged.
      if (isAlone || inFlight.size + batch.length >= (isSuspect ? 1 : broker.window)) break;
      // Never two of one topic under way: the order of their acknowledgements would decide what is believed to be held.
      if (isTopic && underWay.has(item)) continue;
      queue.delete(item);
      if (isTopic && !isDue(item)) continue;
      const message = isTopic ? { topic: item, payload: wanted.get(item)?.payload ?? '', retain: true } : item.message;
      if (rejections.isDropped(message)) giveUp(item);
      else {
        batch.push([item, message]);
        isAlone = isSuspect;
      }
    }
    const ours = batch.flatMap(([item]) => (typeof item === 'string' && !isForeign(item) ? [item] : []));
    if (ours.length > 0) checkpoint.sending(ours, wanted);
    for (const [item, message] of batch) void publish(item, message);
    settle();
  };

  /** True where the broker holds something else than is wanted on the topic, or may do so. */
  const isDue = (topic: string): boolean =>
    (isOurs(topic) || foreign.has(topic)) && checkpoint.digestOn(topic) !== (wanted.get(topic)?.hash ?? CLEARED);

  const publish = async (item: QueueItem, message: Outgoing): Promise<void> => {
    const { topic } = message;
    const flight = inFlight.add(message);
    underWay.add(topic);
    try {
      await broker.publish(message);
      published += 1;
      rejections.taken(topic);
      if (typeof item === 'string') acknowledged(message);
      else item.onDelivered?.();
    } catch (cause) {
      // A broker that stands does not take it; a new connection brings it again.
      if (typeof item === 'string') foreign.delete(topic);
      if (isRefusal(cause)) {
        rejections.refused(message, cause.message);
        giveUp(item);
      } else {
        // Before any of what was under way waits again.
        if (flight === inFlight) disconnected();
        if (typeof item === 'string') queue.add(item);
        else queue.again(item);
      }
    }
    underWay.delete(topic);
    flight.delete(message);
    pumpSoon();
  };

  const acknowledged = ({ topic, payload }: Outgoing): void => {
    const what = wanted.get(topic);
    const isWanted = what?.is(payload) === true;
    if (!isForeign(topic)) checkpoint.acknowledged(topic, isWanted ? what.hash : digest(payload));
    if (isWanted) what.compress();
    foreign.delete(topic);
    if (payload !== '') events.emit('held', topic, what?.owner ?? publishedTopics.held.get(topic)?.owner ?? '');
  };

  /** The broker does not take it. A retained topic waits for another payload. */
  const giveUp = (item: QueueItem): void => {
    if (typeof item === 'string') return;
    refusedAnswers += 1;
    item.onDelivered?.();
  };

  const isIdle = (): boolean => !isConnected || (queue.size === 0 && inFlight.size === 0);

  const until = (isSo: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      if (isSo()) resolve();
      else waiters.set(resolve, isSo);
    });

  const settle = (): void => {
    for (const [resolve, isSo] of waiters) if (isSo() && waiters.delete(resolve)) resolve();
  };

  return Object.assign(events, {
    topics,
    ...{ assign, send, find, show, interrupt, showAll, abandon, clear, isOurs, holds, connected, disconnected, setCheckpoint },
    /** The one topic of an owner that is published past this queue: the database has to know it, and one that the owner had before is cleared. */
    adopt: (owner: string, topic: string): void => add(topics.adopt(owner, topic)),
    /** False where an answer that refuses a message would have no room; counted as given up. */
    takesRejection: (): boolean => queue.takesRejection(),
    /** How many bytes the topic shall hold; 0 where nothing is wanted there. */
    bytesOn: (topic: string): number => Buffer.byteLength(wanted.get(topic)?.payload ?? ''),
    /** False where nothing can lie on the broker: this is the first run, or its database was lost. */
    mayHoldTopics: (): boolean => publishedTopics.held.size > 0,
    /** The next connection is to another node: it may lack what the last one had acknowledged, whatever it shows of the checkpoint. */
    moved: checkpoint.forget,
    /** True where something was published since the last checkpoint. */
    isCheckpointOutdated: checkpoint.isOutdated,
    /** Messages acknowledged since the start. */
    published: (): number => published,
    /** Answers that were given up since the start: they had no room, or the broker did not take them. */
    droppedAnswers: (): number => queue.dropped + refusedAnswers,
    /** Resolves when nothing waits, with true, or the connection is gone, with false. */
    flushed: (): Promise<boolean> => until(isIdle).then(() => isConnected),
    /** Resolves when a broker has taken everything that waits, also where there is no connection now. */
    delivered: (): Promise<void> => until(() => isConnected && isIdle()),
    /** Resolves when none of these topics waits any more, also where the broker is away now: it has each, or does not take it. */
    taken: (names: readonly string[]): Promise<void> => until(() => !names.some((topic) => queue.has(topic) || underWay.has(topic))),
  });
};

export type RetainedPublisher = ReturnType<typeof retainedPublisher>;
