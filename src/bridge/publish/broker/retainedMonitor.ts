import { EventEmitter } from 'node:events';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Incoming } from '../../../shared/message.ts';
import { shortTopic } from '../../../shared/topicName.ts';
import type { Connection, PublishedTopics } from '../../ports.ts';
import { CLEARED, digest } from './largeText.ts';
import { LogOnce } from './logOnce.ts';
import type { RetainedPublisher } from './retainedPublisher.ts';

/** By owner kind: topics on which hubs depend and which may not be published again for days. */
const WATCHED: ReadonlySet<string> = new Set(['bridge', 'availability', 'document']);

/** Retained messages arrive right after a subscription; on a slow line documents take some time. */
const SHOWN_MS = 5000;
/** Our own messages also come back, some of them late. After this time the last one seen is current. */
const CALM_MS = 1000;
/** Two clients that write on one topic in turn do so at most once a minute. */
const APART_MS = 60_000;

type RetainedMonitorParts = {
  /** The topic that holds `online` while connected. */
  readonly stateTopic: string;
  readonly connection: Pick<Connection, 'subscribe'>;
  readonly publishedTopics: Pick<PublishedTopics, 'held'>;
  readonly publisher: Pick<RetainedPublisher, 'holds'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
};

type RetainedMonitorEvents = {
  /** The current content of a watched topic. */
  shown: [topic: string, payload: string];
  /** The content of a topic differs from what was published there. */
  lost: [topic: string, owner: string];
};

/**
 * Ensures that the most important topics hold what the bridge published: it subscribes to them, which shows
 * changes by other clients and, after a connect, the retained state.
 */
export const retainedMonitor = ({ stateTopic, connection, publishedTopics, publisher, clock, log, signal }: RetainedMonitorParts) => {
  const events = new EventEmitter<RetainedMonitorEvents>();
  /** Topics subscribed to on this connection, with their owners. */
  let watched = new Map<string, string>();
  /** Digest of the last message on a topic, until it is checked; undefined if nothing arrived yet. */
  const seen = new Map<string, string | undefined>();
  /** Digest of a topic's content at subscription, until the broker sends that or its time is over. */
  const before = new Map<string, string>();
  /** Topics that will be published, with their owners. */
  const expectedTopics = new Map<string, string>();
  /** The topics among them whose earlier content the broker has not sent yet. */
  const unknown = new Map<string, PromiseWithResolvers<void>>();
  /** Topics with content that the broker did not send (for example no read right): reported once. */
  const unseen = new Set<string>();
  const logged = new LogOnce();
  let connectionEnd = new AbortController();
  let isConnected = false;
  /** The broker has sent a watched message on this connection. */
  let hasShown = false;
  /** Topics for the next subscription of this connection. */
  let added: string[] = [];
  let looking = false;
  let repairedMs = Number.NEGATIVE_INFINITY;

  /** Connected: checks the content of the known topics. */
  const connected = (): void => {
    disconnected();
    connectionEnd = new AbortController();
    isConnected = true;
    const held = [...publishedTopics.held].filter(([topic, { owner }]) => isWatched(owner) && publisher.holds(topic) !== undefined);
    for (const [topic] of held) seen.set(topic, undefined);
    // Another bridge may have published there meanwhile.
    for (const topic of expectedTopics.keys()) if (publisher.holds(topic) === undefined) isUnknown(topic);
    watched = new Map([[stateTopic, 'bridge state'], ...held.map(([topic, { owner }]) => [topic, owner] as const), ...expectedTopics]);
    // At once, so that the broker sends the old content before it acknowledges new messages.
    subscribe([stateTopic]);
    subscribe([...watched.keys()].filter((topic) => topic !== stateTopic));
    void look(SHOWN_MS);
  };

  /** The bridge will publish on this topic: first find out what another client has retained there. */
  const watch = (topic: string, owner: string): void => {
    if (expectedTopics.has(topic)) return;
    expectedTopics.set(topic, owner);
    isUnknown(topic);
    if (isConnected && !watched.has(topic)) add(topic, owner);
  };

  const isUnknown = (topic: string): void => {
    if (!unknown.has(topic)) unknown.set(topic, Promise.withResolvers());
  };

  const disconnected = (): void => {
    connectionEnd.abort();
    isConnected = false;
    hasShown = false;
    looking = false;
    added = [];
    watched.clear();
    seen.clear();
    before.clear();
  };

  /** Handles a message. Returns false if the topic is not watched. */
  const received = ({ topic, payload, retain }: Incoming): boolean => {
    if (!watched.has(topic)) return false;
    if (signal.aborted) return true;
    hasShown = true;
    const text = new TextDecoder().decode(payload);
    const hash = digest(text);
    events.emit('shown', topic, text);
    unseen.delete(topic);
    // Some brokers send the old content after newer messages; the demo broker does.
    const wasThere = retain && before.get(topic) === hash && before.delete(topic);
    if (wasThere && hash !== expected(topic)) return true;
    seen.set(topic, hash);
    if (hash !== expected(topic)) void look(CALM_MS);
    return true;
  };

  /** The broker has acknowledged our message. */
  const held = (topic: string, owner: string): void => {
    if (!isWatched(owner)) return;
    // A removal by another client may have come after our message, right with its acknowledgement.
    if (seen.get(topic) !== CLEARED) seen.delete(topic);
    if (!watched.has(topic)) add(topic, owner);
  };

  const expected = (topic: string): string | undefined => (topic === stateTopic ? digest('online') : publisher.holds(topic));

  /** Subscribes together with the other topics of this event loop turn. */
  const add = (topic: string, owner: string): void => {
    const topics = added;
    watched.set(topic, owner);
    if (topics.push(topic) > 1) return;
    setImmediate(() => {
      if (topics !== added || signal.aborted) return;
      added = [];
      subscribe(topics);
    });
  };

  const subscribe = (topics: readonly string[]): void => {
    if (topics.length === 0) return;
    const { signal: ended } = connectionEnd;
    for (const topic of topics) {
      const hash = expected(topic);
      if (hash !== undefined) before.set(topic, hash);
    }
    // QoS 0 cannot overflow a broker's queue. Our own `online` must come back: it proves the read right.
    const ask = (names: readonly string[]) => connection.subscribe(names, { qos: 0, noLocal: !names.includes(stateTopic) });
    const asked = ask(topics);
    asked.catch((cause: unknown) =>
      log.debug({ topics: topics.length, why: String(cause) }, 'the broker does not let the bridge read its own topics'),
    );
    if (!topics.some((topic) => unknown.has(topic))) return;
    // The retained content arrives after this acknowledgement and before the next one, on a slow line late.
    const shown = asked.then(() => ask([stateTopic])).catch(() => clock.sleep(SHOWN_MS, ended));
    shown.then(
      () => {
        for (const topic of topics) {
          unknown.get(topic)?.resolve();
          unknown.delete(topic);
        }
      },
      // The connection has ended: the next one subscribes again.
      () => undefined,
    );
  };

  /** Resolves when the broker has sent what others retained on the owner's expected topics, or timed out. */
  const looked = async (owner: string): Promise<void> => {
    await Promise.all([...unknown].map(([topic, { promise }]) => (expectedTopics.get(topic) === owner ? promise : undefined)));
  };

  /** After a delay, compares the messages seen with what we published. */
  const look = async (afterMs: number): Promise<void> => {
    if (looking) return;
    looking = true;
    const ended = AbortSignal.any([signal, connectionEnd.signal]);
    const waitMs = Math.max(afterMs, repairedMs + APART_MS - clock.elapsedMs());
    await clock.sleep(waitMs, ended).catch(() => undefined);
    if (ended.aborted) return;
    looking = false;
    before.clear();
    const lost = [...seen].filter(([topic, hash]) => isLost(topic, hash));
    seen.clear();
    if (lost.length > 0) repairedMs = clock.elapsedMs();
    for (const [topic] of lost) {
      // If the bridge has no read right, no other client has changed anything.
      const at = hasShown && logged.isFirst(topic) ? 'warn' : 'debug';
      log[at]({ topic: shortTopic(topic) }, 'another client changed or cleared this topic of the bridge; it is published again');
      events.emit('lost', topic, watched.get(topic) ?? '');
    }
  };

  const isLost = (topic: string, hash: string | undefined): boolean => {
    const wanted = expected(topic);
    if (wanted === undefined || wanted === hash) return false;
    if (hash !== undefined) return true;
    const isNews = !unseen.has(topic);
    unseen.add(topic);
    return isNews;
  };

  return Object.assign(events, { connected, watch, disconnected, received, held, looked });
};

const isWatched = (owner: string): boolean => WATCHED.has(owner.slice(0, owner.indexOf(' ')));
