import { EventEmitter } from 'node:events';
import type { Log } from '../../../shared/log.ts';
import type { Message, Outgoing, SendOptions } from '../../../shared/message.ts';
import { isRefusal, type PublishedTopics } from '../../ports.ts';
import { brokerCheckpoint, isCheckpointId } from './brokerCheckpoint.ts';
import { CLEARED, digest } from './largeText.ts';
import { type PublishingBroker, rejectedMessages } from './rejectedMessages.ts';
import { type QueueItem, SendQueue } from './sendQueue.ts';
import { TopicOwnership } from './topicOwnership.ts';

type PublisherEvents = {
  /** The broker has acknowledged a retained message. */
  held: [topic: string, owner: string];
  /** Topics of an earlier run were found on the broker. */
  found: [];
  /** The wanted content of these retained topics has changed. */
  wanted: [topics: readonly string[]];
  /** The broker has everything published before this report, which bypasses the queue. */
  checkpoint: [topic: string, report: string];
};

/**
 * Publishes only differences: a retained topic is sent if its payload differs from what the broker holds or a
 * hub may show (`show`), and cleared when no owner wants it. Each topic has one owner (a device's feature,
 * its document …), which lists all its topics together. Order: as requested, paced by acknowledgements.
 */
export const retainedPublisher = (broker: PublishingBroker, publishedTopics: PublishedTopics, log: Log) => {
  const events = new EventEmitter<PublisherEvents>();
  const checkpoint = brokerCheckpoint(publishedTopics);
  const topics = new TopicOwnership(publishedTopics.held);
  const { wanted } = topics;
  const queue = new SendQueue(log);
  const rejections = rejectedMessages(broker, log);
  /** Topics to clear because another client has retained something there. */
  const foreign = new Set<string>();
  /** Topics in flight, including those of an earlier connection with an unknown result. */
  const underWay = new Set<string>();
  /** Messages of this connection that are not acknowledged yet. */
  let inFlight = new Set<Outgoing>();
  let isConnected = false;
  /** A suspect is in flight: nothing else is sent with it. */
  let isAlone = false;
  let isPumping = false;
  let published = 0;
  /** Answers that the broker rejected. */
  let refusedAnswers = 0;
  /** Pending waits (`flushed`, `delivered`, `taken`) with their conditions. */
  const waiters = new Map<() => void, () => boolean>();

  /** Sets all retained topics of an owner. Its earlier topics that are not listed are cleared. */
  const assign = (owner: string, messages: readonly Message[]): void => {
    const usable = messages.every(isWanted) ? messages : messages.filter(({ topic }) => rejections.takes(topic));
    const changed = topics.assign(owner, usable);
    add(changed);
    events.emit('wanted', changed);
  };

  const isWanted = ({ topic }: Message): boolean => wanted.has(topic);

  /** The content of these retained topics may differ from the wanted one. */
  const add = (names: Iterable<string>): void => {
    for (const topic of names) queue.add(topic);
    pumpSoon();
  };

  /** Sends an answer without retain. The number of waiting answers is bounded (`SendQueue`). */
  const send = (message: Outgoing, options: SendOptions = {}): void => {
    if (rejections.takes(message.topic)) queue.answer({ ...options, message });
    else options.onDelivered?.();
    pumpSoon();
  };

  /** Topics on the broker that the database may lack, with owners: cleared if not wanted. */
  const find = (left: ReadonlyMap<string, string>): void => {
    const found = [...left].filter(([topic]) => !isOurs(topic));
    publishedTopics.write(found.map(([topic, owner]) => ({ kind: 'sending', topic, owner })));
    add(found.flatMap(([topic, owner]) => (topics.find(topic, owner) ? [topic] : [])));
    events.emit('found');
  };

  /**
   * Publishes a topic again, now or when it is next wanted: the broker lost it, or a client may show a
   * rejected value. A cleared topic stays known as such: the next run would clear it again.
   */
  const show = (topic: string): void => {
    if (wanted.has(topic) || checkpoint.digestOn(topic) !== CLEARED) checkpoint.markUnknown(topic);
    if (wanted.has(topic)) add([topic]);
  };

  /**
   * Publishes another payload on a retained topic without retain: the broker keeps its value, hubs see a
   * change. `show` must follow, in the next run at the latest. If too many wait, the oldest are dropped.
   */
  const interrupt = (topic: string, payload: string, onDelivered: () => void): void => {
    checkpoint.sending([topic], wanted);
    send({ topic, payload, retain: false }, { onDelivered, isInterim: true });
  };

  /** Publishes everything again, for one owner or for all. */
  const showAll = (owner?: string): void => {
    if (owner === undefined) rejections.forget();
    for (const [topic, { owner: its }] of wanted) if (owner === undefined || its === owner) show(topic);
  };

  /** Another bridge now owns the topics of this owner: do not publish or clear them. */
  const abandon = (owner: string): void => {
    const { held } = publishedTopics;
    publishedTopics.write(topics.abandon(owner).flatMap((topic) => (held.has(topic) ? [{ kind: 'gone', topic }] : [])));
  };

  /** Clears a topic that another client has retained; false if that is already in progress. */
  const clear = (topic: string): boolean => {
    if (foreign.has(topic)) return false;
    foreign.add(topic);
    add([topic]);
    return true;
  };

  /** True if the retained message is ours: wanted now, or left from an earlier run. */
  const isOurs = (topic: string): boolean => wanted.has(topic) || publishedTopics.held.has(topic);

  /** Foreign messages are not recorded as ours. */
  const isForeign = (topic: string): boolean => foreign.has(topic) && !isOurs(topic);

  /** Digest of what the broker certainly holds; undefined if unknown or while it changes. */
  const holds = (topic: string): string | undefined => {
    const hash = underWay.has(topic) ? undefined : checkpoint.digestOn(topic);
    return hash === CLEARED ? undefined : hash;
  };

  /** `shownId`: `beat` of the retained `bridge/health`, the broker's last checkpoint; undefined if none. */
  const connected = (shownId: number | undefined): void => {
    // On a second call, the messages in flight belong to the previous connection.
    disconnected();
    if (isCheckpointId(shownId) && shownId > publishedTopics.lastCheckpointId) publishedTopics.write([{ kind: 'behind' }]);
    const isKnown = checkpoint.connected(shownId);
    isConnected = true;
    queue.opened();
    const { held, cleared } = publishedTopics;
    // A broker that fell back to an older state holds the cleared topics again.
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
   * Publishes a checkpoint: `topic` gets `payload(id)` with the next number, also stored in the database.
   * Bypasses the queue. False if not connected; rejects if the broker does not acknowledge.
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
      // The next checkpoint is a different message.
      rejections.taken(topic);
      pumpSoon();
    }
    published += 1;
    checkpoint.confirm(id);
    events.emit('checkpoint', topic, message.payload);
    return true;
  };

  // Acknowledgements come in groups and a read changes many topics: one loop turn is sent together.
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
      // A suspect is sent alone, after all earlier messages are acknowledged.
      if (isAlone || inFlight.size + batch.length >= (isSuspect ? 1 : broker.window)) break;
      // Never two messages of one topic in flight: the acknowledgement order would decide the recorded state.
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

  /** True if the broker's content differs, or may differ, from the wanted content. */
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
      // Rejected while connected; a new connection retries it.
      if (typeof item === 'string') foreign.delete(topic);
      if (isRefusal(cause)) {
        rejections.refused(message, cause.message);
        giveUp(item);
      } else {
        // Before any message in flight is queued again.
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

  /** The broker rejects it. A retained topic waits for another payload. */
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
    /** The one topic of an owner that bypasses this queue: recorded; its previous one is cleared. */
    adopt: (owner: string, topic: string): void => add(topics.adopt(owner, topic)),
    /** False if there is no room for an answer that rejects a message; that answer is counted as dropped. */
    takesRejection: (): boolean => queue.takesRejection(),
    /** The size in bytes of the wanted payload; 0 if nothing is wanted. */
    bytesOn: (topic: string): number => Buffer.byteLength(wanted.get(topic)?.payload ?? ''),
    /** False if the broker cannot hold topics of ours: first run, or the database was lost. */
    mayHoldTopics: (): boolean => publishedTopics.held.size > 0,
    /** The next connection is to another node, which may lack acknowledged messages despite a checkpoint. */
    moved: checkpoint.forget,
    /** True if something was published since the last checkpoint. */
    isCheckpointOutdated: checkpoint.isOutdated,
    /** Messages acknowledged since the start. */
    published: (): number => published,
    /** Answers dropped since the start: no room, or rejected by the broker. */
    droppedAnswers: (): number => queue.dropped + refusedAnswers,
    /** Resolves with true when nothing waits, or with false when the connection is lost. */
    flushed: (): Promise<boolean> => until(isIdle).then(() => isConnected),
    /** Resolves when the broker has everything that waits; also waits for a connection. */
    delivered: (): Promise<void> => until(() => isConnected && isIdle()),
    /** Resolves when none of these topics waits, connected or not: each is acknowledged or rejected. */
    taken: (names: readonly string[]): Promise<void> => until(() => !names.some((topic) => queue.has(topic) || underWay.has(topic))),
  });
};

export type RetainedPublisher = ReturnType<typeof retainedPublisher>;
