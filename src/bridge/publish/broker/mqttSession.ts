import { EventEmitter } from 'node:events';
import type { Clock } from '../../../shared/clock.ts';
import { jsonObject } from '../../../shared/json.ts';
import type { Log } from '../../../shared/log.ts';
import type { Incoming } from '../../../shared/message.ts';
import { bridgeTopic, commandFilters, filterOf } from '../../../topics/topicNames.ts';
import { type Connection, isRefusal, type SubscribeOptions } from '../../ports.ts';
import { isCheckpointId } from './brokerCheckpoint.ts';
import { LogOnce } from './logOnce.ts';

/** A sentinel that is there comes at once; this long we wait for one that is not. */
const SENTINEL_MS = 300;
/** Subscribing again makes the broker send what is retained again: with many commands it would do nothing else. */
const ASK_AGAIN_MS = 1000;

type SessionEvents = {
  /** A connection stands, but nothing may be published yet. */
  begun: [];
  /** Commands are heard, and the broker shows `online`. */
  online: [];
  /** The bridge may publish; the broker shows the checkpoint with this number, or none. */
  ready: [checkpointId: number | undefined];
  ended: [];
  hubBorn: [];
  hubLost: [];
  /** A message on any other topic. */
  message: [message: Incoming];
};

/** Connections one after the other: what each subscribes to, and what the broker shows of itself when it begins. */
export class MqttSession extends EventEmitter<SessionEvents> {
  /** The bridge may publish on this connection. */
  isReady = false;
  readonly #base: string;
  /** Where hubs publish their birth and their end; undefined where these do not matter. */
  readonly #hubTopic: string | undefined;
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #logged = new LogOnce();
  /** Filters on which a retained command may lie. */
  readonly #asked = new Set<string>();
  #isAsking = false;
  /** Counts connections begun and ended. */
  #attempt = 0;
  #checkpointSeen: ((id: number | undefined) => void) | undefined;
  #held:
    | { readonly heard: PromiseWithResolvers<void>; readonly released: PromiseWithResolvers<void>; readonly messages: Incoming[] }
    | undefined;

  constructor(base: string, hubTopic: string | undefined, connection: Connection, clock: Clock, log: Log) {
    super();
    this.#base = base;
    this.#hubTopic = hubTopic;
    this.#connection = connection;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * The connection stands: subscribes, with `asks` finds out what the broker still holds, and only then says `online`: a command sent
   * on seeing it is received.
   */
  async connected(asks: boolean): Promise<void> {
    this.#attempt += 1;
    const attempt = this.#attempt;
    this.emit('begun');
    const [hubTopic, health] = [this.#hubTopic, bridgeTopic(this.#base, 'health')];
    const [checkpointId] = await Promise.all([
      asks ? this.#sentinel(health) : undefined,
      this.#listen(commandFilters(this.#base)),
      hubTopic === undefined || this.#listen([hubTopic], { retainAsPublished: false }),
    ]);
    // Both at once, as each takes the way to the broker and back.
    await Promise.all([asks && this.#connection.unsubscribe(health), this.#publishState('online')]);
    // Another connection has come meanwhile: what this one has shown counts no more.
    if (attempt !== this.#attempt) return;
    this.isReady = true;
    this.emit('online');
    const held = this.#held;
    held?.heard.resolve();
    await held?.released.promise;
    if (attempt !== this.#attempt) return;
    this.emit('ready', checkpointId);
    for (const message of held?.messages.splice(0) ?? []) this.emit('message', message);
  }

  /**
   * Until `release`, commands are heard, but they wait, and so does `ready`: the bridge does not know yet what it had kept. Resolves when
   * commands are heard.
   */
  hold(): Promise<void> {
    const heard = Promise.withResolvers<void>();
    this.#held = { heard, released: Promise.withResolvers(), messages: [] };
    return heard.promise;
  }

  async release(): Promise<void> {
    const held = this.#held;
    if (!held) return;
    // What follows from what was restored, such as documents, is ready a turn later, and goes out with it.
    await this.#clock.sleep(0);
    this.#held = undefined;
    held.released.resolve();
    if (!this.isReady) for (const message of held.messages.splice(0)) this.emit('message', message);
  }

  /** Says `online` once more, where that is so. */
  async announce(): Promise<void> {
    if (this.isReady) await this.#publishState('online');
  }

  /** Before a stop: says `offline`, or with `withdraw` clears the topics that are published past the publisher. */
  async farewell(withdraw: boolean): Promise<boolean> {
    if (!this.isReady) return false;
    if (withdraw) await this.#connection.publish({ topic: bridgeTopic(this.#base, 'health'), payload: '', retain: true });
    await this.#publishState(withdraw ? '' : 'offline');
    return true;
  }

  disconnected(): void {
    this.#attempt += 1;
    this.isReady = false;
    this.emit('ended');
  }

  readonly received = (message: Incoming): void => {
    if (message.topic === bridgeTopic(this.#base, 'health')) this.#checkpointSeen?.(checkpointIdOf(message.payload));
    else if (message.topic !== this.#hubTopic) {
      if (this.#held) this.#held.messages.push(message);
      else this.emit('message', message);
    } else if (!message.retain) {
      const word = new TextDecoder().decode(message.payload).trim();
      if (word === 'online') this.emit('hubBorn');
      if (word === 'offline') this.emit('hubLost');
    }
  };

  #publishState(payload: string): Promise<void> {
    return this.#connection.publish({ topic: bridgeTopic(this.#base, 'state'), payload, retain: true });
  }

  /** With MQTT 3.1.1 a retained command looks like any other; asking again, at most once a second, shows whether it stayed on the broker. */
  lookForRetained({ topic, retain, payload }: Incoming): void {
    if (this.#connection.protocol === '5' || retain || payload.length === 0) return;
    this.askAgain([topic]);
  }

  /** Has the broker send once more, at most once a second, what is retained beside these command topics. */
  askAgain(topics: readonly string[]): void {
    for (const topic of topics) {
      const filter = filterOf(this.#base, topic);
      if (filter !== undefined) this.#asked.add(filter);
    }
    if (!this.#isAsking) void this.#askInTurn();
  }

  async #askInTurn(): Promise<void> {
    this.#isAsking = true;
    while (this.#asked.size > 0) {
      const filters = [...this.#asked];
      this.#asked.clear();
      this.#connection.subscribe(filters).catch(() => undefined);
      await this.#clock.sleep(ASK_AGAIN_MS);
    }
    this.#isAsking = false;
  }

  /** The checkpoint that the broker shows on `topic`, or undefined where it shows none soon after it has accepted the subscription. */
  async #sentinel(topic: string): Promise<number | undefined> {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    this.#checkpointSeen = resolve;
    await this.#listen([topic]);
    void this.#clock.sleep(SENTINEL_MS).then(() => resolve(undefined));
    return promise;
  }

  /** Subscribes; a broker whose rules refuse it gets all the rest all the same, and the user one sentence. */
  async #listen(filters: readonly string[], options: SubscribeOptions = {}): Promise<void> {
    try {
      await this.#connection.subscribe(filters, options);
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
      const [topic = ''] = filters;
      if (this.#logged.isFirst(topic))
        this.#log.warn(
          { topic, why: cause.message },
          'the broker does not let the bridge subscribe here; give its user the right to read it',
        );
    }
  }
}

const checkpointIdOf = (payload: Uint8Array): number | undefined => {
  const beat = jsonObject(new TextDecoder().decode(payload))?.beat;
  return isCheckpointId(beat) ? beat : undefined;
};
