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

export type RetainedMonitorParts = {
  /** The topic that holds `online` as long as the connection stands. */
  readonly stateTopic: string;
  readonly connection: Pick<Connection, 'subscribe'>;
  readonly publishedTopics: Pick<PublishedTopics, 'held'>;
  readonly publisher: Pick<RetainedPublisher, 'holds'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
};

export type RetainedMonitorEvents = {
  /** What lies on a watched topic now. */
  shown: [topic: string, payload: string];
  /** Something else lies on a topic than what was published there. */
  lost: [topic: string, owner: string];
};

/**
 * Makes sure that the topics which everything else is judged by hold what the bridge has published there: subscribes to them, which shows
 * what others write or take away, and at the beginning of a connection what is there.
 */
export class RetainedMonitor extends EventEmitter<RetainedMonitorEvents> {
  readonly #parts: RetainedMonitorParts;
  /** Topics subscribed to on this connection, with their owners. */
  #watched = new Map<string, string>();
  /** Digest of what was seen last on a topic, until it was looked at; undefined where the broker has shown nothing yet. */
  readonly #seen = new Map<string, string | undefined>();
  /** Topics that will be published, with their owners. */
  readonly #expectedTopics = new Map<string, string>();
  /** Topics of which nothing was shown although something was there, as where the bridge may not read them: that counts once. */
  readonly #unseen = new Set<string>();
  readonly #logged = new LogOnce();
  #connection = new AbortController();
  #isConnected = false;
  /** Topics that the next subscription of this connection is for. */
  #added: string[] = [];
  #looking = false;
  #repairedMs = Number.NEGATIVE_INFINITY;

  constructor(parts: RetainedMonitorParts) {
    super();
    this.#parts = parts;
  }

  /** The connection is ours: what is known to lie there is looked at. */
  connected(): void {
    const { publishedTopics, publisher, stateTopic } = this.#parts;
    this.disconnected();
    this.#connection = new AbortController();
    this.#isConnected = true;
    const held = [...publishedTopics.held].filter(([topic, { owner }]) => isWatched(owner) && publisher.holds(topic) !== undefined);
    for (const [topic] of held) this.#seen.set(topic, undefined);
    this.#watched = new Map([
      [stateTopic, 'bridge state'],
      ...held.map(([topic, { owner }]) => [topic, owner] as const),
      ...this.#expectedTopics,
    ]);
    // At once, so that the broker shows what lies there before it acknowledges what is published now.
    this.#subscribe([...this.#watched.keys()]);
    void this.#look(SHOWN_MS);
  }

  /** The bridge will publish on this topic: what another client has retained there is shown before. */
  watch(topic: string, owner: string): void {
    if (this.#expectedTopics.has(topic)) return;
    this.#expectedTopics.set(topic, owner);
    if (this.#isConnected && !this.#watched.has(topic)) this.#add(topic, owner);
  }

  disconnected(): void {
    this.#connection.abort();
    this.#isConnected = false;
    this.#looking = false;
    this.#added = [];
    this.#watched.clear();
    this.#seen.clear();
  }

  /** A message on any topic; false where the topic is not watched. */
  received({ topic, payload }: Incoming): boolean {
    if (!this.#watched.has(topic)) return false;
    if (this.#parts.signal.aborted) return true;
    const text = new TextDecoder().decode(payload);
    const hash = digest(text);
    this.emit('shown', topic, text);
    this.#unseen.delete(topic);
    this.#seen.set(topic, hash);
    if (hash !== this.#expected(topic)) void this.#look(CALM_MS);
    return true;
  }

  /** The broker has taken what we published. */
  held(topic: string, owner: string): void {
    if (!isWatched(owner)) return;
    this.#seen.delete(topic);
    if (!this.#watched.has(topic)) this.#add(topic, owner);
  }

  #expected(topic: string): string | undefined {
    return topic === this.#parts.stateTopic ? digest('online') : this.#parts.publisher.holds(topic);
  }

  /** Subscribes with the others of this turn of the loop. */
  #add(topic: string, owner: string): void {
    const topics = this.#added;
    this.#watched.set(topic, owner);
    if (topics.push(topic) > 1) return;
    setImmediate(() => {
      if (topics !== this.#added || this.#parts.signal.aborted) return;
      this.#added = [];
      this.#subscribe(topics);
    });
  }

  #subscribe(topics: readonly string[]): void {
    const { connection, log } = this.#parts;
    // With QoS 0 no broker's queue for unacknowledged messages can overflow.
    connection.subscribe(topics, { qos: 0 }).catch((cause: unknown) => {
      log.debug({ topics: topics.length, why: String(cause) }, 'the broker does not let the bridge see what lies on its own topics');
    });
  }

  /** Compares after some time what was seen with what we have published. */
  async #look(afterMs: number): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    const { clock, log, signal } = this.#parts;
    const ended = AbortSignal.any([signal, this.#connection.signal]);
    const waitMs = Math.max(afterMs, this.#repairedMs + APART_MS - clock.elapsedMs());
    await clock.sleep(waitMs, ended).catch(() => undefined);
    if (ended.aborted) return;
    this.#looking = false;
    const lost = [...this.#seen].filter(([topic, hash]) => this.#isLost(topic, hash));
    this.#seen.clear();
    if (lost.length > 0) this.#repairedMs = clock.elapsedMs();
    for (const [topic] of lost) {
      const at = this.#logged.isFirst(topic) ? 'warn' : 'debug';
      log[at]({ topic: shortTopic(topic) }, 'this topic of the bridge was changed or cleared by somebody else; it is published again');
      this.emit('lost', topic, this.#watched.get(topic) ?? '');
    }
  }

  #isLost(topic: string, hash: string | undefined): boolean {
    const expected = this.#expected(topic);
    if (expected === undefined || expected === hash) return false;
    if (hash !== undefined) return true;
    const isNews = !this.#unseen.has(topic);
    this.#unseen.add(topic);
    return isNews;
  }
}

const isWatched = (owner: string): boolean => {
  const blank = owner.indexOf(' ');
  return WATCHED.has(blank === -1 ? owner : owner.slice(0, blank));
};
