import { EventEmitter } from 'node:events';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Incoming } from '../../../shared/message.ts';
import { shortTopic } from '../../../shared/topicName.ts';
import type { Connection, PublishedTopics } from '../../ports.ts';
import { digest } from './largeText.ts';
import { LogOnce } from './logOnce.ts';
import type { RetainedPublisher } from './retainedPublisher.ts';

/** By their owner: topics that hubs judge everything else by, and that nothing would publish again for days. */
const WATCHED: ReadonlySet<string> = new Set(['bridge', 'availability', 'document']);

/** What is retained comes at once after a subscription; on a slow line documents take some time. */
const SHOWN_MS = 5000;
/** Our own messages come back too, some of them late; what was seen last after so long is what is there. */
const CALM_MS = 1000;
/** Two that write on one topic in turn do it once a minute. */
const APART_MS = 60_000;

type RetainedMonitorParts = {
  /** The topic that holds `online` as long as the connection stands. */
  readonly stateTopic: string;
  readonly connection: Pick<Connection, 'subscribe'>;
  readonly publishedTopics: Pick<PublishedTopics, 'held'>;
  readonly publisher: Pick<RetainedPublisher, 'holds'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
};

type RetainedMonitorEvents = {
  /** What lies on a watched topic now. */
  shown: [topic: string, payload: string];
  /** Something else lies on a topic than what was published there. */
  lost: [topic: string, owner: string];
};

/**
 * Makes sure that the topics which everything else is judged by hold what the bridge has published there: subscribes to them, which shows
 * what others write or take away, and at the beginning of a connection what is there.
 */
export const retainedMonitor = ({ stateTopic, connection, publishedTopics, publisher, clock, log, signal }: RetainedMonitorParts) => {
  const events = new EventEmitter<RetainedMonitorEvents>();
  /** Topics subscribed to on this connection, with their owners. */
  let watched = new Map<string, string>();
  /** Digest of what was seen last on a topic, until it was looked at; undefined where the broker has shown nothing yet. */
  const seen = new Map<string, string | undefined>();
  /** Digest of what lay on a topic when it was subscribed to, until the broker has shown that or has had its time for it. */
  const before = new Map<string, string>();
  /** Topics that will be published, with their owners. */
  const expectedTopics = new Map<string, string>();
  /** Those of them on which the broker has not yet shown what was there before. */
  const unknown = new Map<string, PromiseWithResolvers<void>>();
  /** Topics of which nothing was shown although something was there, as where the bridge may not read them: that counts once. */
  const unseen = new Set<string>();
  const logged = new LogOnce();
  let connectionEnd = new AbortController();
  let isConnected = false;
  /** The broker has shown something on this connection. */
  let hasShown = false;
  /** Topics that the next subscription of this connection is for. */
  let added: string[] = [];
  let looking = false;
  let repairedMs = Number.NEGATIVE_INFINITY;

  /** The connection is ours: what is known to lie there is looked at. */
  const connected = (): void => {
    disconnected();
    connectionEnd = new AbortController();
    isConnected = true;
    const held = [...publishedTopics.held].filter(([topic, { owner }]) => isWatched(owner) && publisher.holds(topic) !== undefined);
    for (const [topic] of held) seen.set(topic, undefined);
    watched = new Map([[stateTopic, 'bridge state'], ...held.map(([topic, { owner }]) => [topic, owner] as const), ...expectedTopics]);
    // At once, so that the broker shows what lies there before it acknowledges what is published now.
    subscribe([stateTopic]);
    subscribe([...watched.keys()].filter((topic) => topic !== stateTopic));
    void look(SHOWN_MS);
  };

  /** The bridge will publish on this topic: what another client has retained there is shown before. */
  const watch = (topic: string, owner: string): void => {
    if (expectedTopics.has(topic)) return;
    expectedTopics.set(topic, owner);
    unknown.set(topic, Promise.withResolvers());
    if (isConnected && !watched.has(topic)) add(topic, owner);
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

  /** A message on any topic; false where the topic is not watched. */
  const received = ({ topic, payload, retain }: Incoming): boolean => {
    if (!watched.has(topic)) return false;
    if (signal.aborted) return true;
    hasShown = true;
    const text = new TextDecoder().decode(payload);
    const hash = digest(text);
    events.emit('shown', topic, text);
    unseen.delete(topic);
    // Some brokers show what lay there behind what was published since, as the one of the demo does.
    const wasThere = retain && before.get(topic) === hash && before.delete(topic);
    if (wasThere && hash !== expected(topic)) return true;
    seen.set(topic, hash);
    if (hash !== expected(topic)) void look(CALM_MS);
    return true;
  };

  /** The broker has taken what we published. */
  const held = (topic: string, owner: string): void => {
    if (!isWatched(owner)) return;
    seen.delete(topic);
    if (!watched.has(topic)) add(topic, owner);
  };

  const expected = (topic: string): string | undefined => (topic === stateTopic ? digest('online') : publisher.holds(topic));

  /** Subscribes with the others of this turn of the loop. */
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
    const hasUnknown = topics.some((topic) => unknown.has(topic));
    const late = hasUnknown ? clock.sleep(SHOWN_MS, ended) : undefined;
    // With QoS 0 no broker's queue for unacknowledged messages can overflow. Our own `online` comes back: that shows the right to read (`readRight`).
    const ask = (names: readonly string[]) => connection.subscribe(names, { qos: 0, noLocal: !names.includes(stateTopic) });
    const asked = ask(topics).then(
      // What lies there comes after this acknowledgement, and before the next one.
      () => (late ? ask([stateTopic]) : undefined),
      (cause: unknown) => {
        log.debug({ topics: topics.length, why: String(cause) }, 'the broker does not let the bridge see what lies on its own topics');
        return late;
      },
    );
    if (!late) return;
    Promise.race([asked, late]).then(
      () => {
        for (const topic of topics) {
          unknown.get(topic)?.resolve();
          unknown.delete(topic);
        }
      },
      // The connection has ended: the next one asks again.
      () => undefined,
    );
  };

  /** Resolves once the broker has shown what others have retained on the topics of an owner that will be published, or has had its time for it. */
  const looked = async (owner: string): Promise<void> => {
    await Promise.all([...unknown].map(([topic, { promise }]) => (expectedTopics.get(topic) === owner ? promise : undefined)));
  };

  /** Compares after some time what was seen with what we have published. */
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
      // Where the bridge may read nothing, nobody has changed anything.
      const at = hasShown && logged.isFirst(topic) ? 'warn' : 'debug';
      log[at]({ topic: shortTopic(topic) }, 'this topic of the bridge was changed or cleared by somebody else; it is published again');
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
