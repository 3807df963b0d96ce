import type { IClientOptions, IConnackPacket, IPublishPacket, MqttClient } from 'mqtt';
import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { ConnectError, connectOnce, type Version } from './connect.ts';
import { type Ending, EndingWatch } from './connectionEnd.ts';
import { UnderWay } from './inFlight.ts';
import { packetMistake, publishFailure } from './packet.ts';
import { Patience } from './reconnectBackoff.ts';

export type BrokerOptions = {
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  /** Contents of PEM files, not their paths. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly clientId: string;
  readonly version: 'auto' | Version;
  /** How long a broker may take to answer a CONNECT; default 7 s. */
  readonly answerMs?: number;
  /** How long the broker may leave a message or a subscription without its acknowledgement; default 30 s. */
  readonly acknowledgeMs?: number;
  /** Bytes of the longest packet that the broker may send us; it is told so with MQTT 5. Default: any. */
  readonly maximumPacketSize?: number;
  /** Published by the broker, retained, when this connection ends without a farewell. */
  readonly will?: { readonly topic: string; readonly payload: string };
};

export type Received = {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly retain: boolean;
  readonly responseTopic?: string;
  readonly correlationData?: Uint8Array;
};

export type BrokerEvents = {
  /** The connection stands. What it rejects ends the connection. */
  connected(protocol: Version): Promise<void>;
  disconnected(): void;
  message(message: Received): void;
};

// reference/brokers.md §2.1: five to ten seconds tell silence (a broker that drops MQTT 5 without a word) from slowness.
const ANSWER_MS = 7000;
// A broker answers within a second or two; one that has nothing to say for so long has lost what it was sent, or its answer got lost.
const ACKNOWLEDGE_MS = 30_000;
/** At a stop, what the broker has not acknowledged by then is given up. */
const FAREWELL_MS = 1000;
const LOST = 'lost';
const CONTESTED = 'contested';
// Mosquitto takes at most 20 unacknowledged messages by default; a burst of 128 led to resets elsewhere (reference/bridges.md).
// With MQTT 5 the broker says what it takes, with 3.1.1 it does not.
const BLIND_WINDOW = 16;
const WIDEST_WINDOW = 128;
/** After so many drops in a row even a version that worked before is doubted. */
const DROPS_TO_DOUBT = 3;

/** The one connection to the broker: made, watched and made again until `stop`. */
export class BrokerClient {
  readonly #options: BrokerOptions;
  readonly #events: BrokerEvents;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  #client: MqttClient | undefined;
  #version: Version | undefined;
  #candidate: Version = '5';
  #drops = 0;
  readonly #patience = new Patience();
  /** What was told since the connection was well: each trouble is told once. */
  readonly #told = new Set<string>();
  #maximumPacketSize = Number.POSITIVE_INFINITY;
  #window = BLIND_WINDOW;
  #underWay: UnderWay | undefined;
  #ended: Promise<void> | undefined;

  constructor(options: BrokerOptions, events: BrokerEvents, clock: Clock, log: Log) {
    this.#options = options;
    this.#events = events;
    this.#clock = clock;
    this.#log = log;
  }

  /** The version in use, or the last one that was. */
  get protocol(): Version | undefined {
    return this.#version;
  }

  /** How many messages may wait for their acknowledgement at a time. */
  get window(): number {
    return this.#window;
  }

  get isConnected(): boolean {
    return this.#client?.connected === true;
  }

  start(): void {
    this.#ended = this.#run();
  }

  /** Sends DISCONNECT after what is under way, so that the will is not published; ends within some seconds whatever the broker does. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const client = this.#client;
    if (client) {
      const farewell = client.endAsync().catch(() => undefined);
      const gone = new AbortController();
      await Promise.race([farewell, this.#clock.sleep(FAREWELL_MS, gone.signal).catch(() => undefined)]);
      gone.abort();
      // A second `end` would do nothing.
      client.stream.destroy();
    }
    await this.#ended;
  }

  /** QoS 1; resolves with the broker's acknowledgement, rejects with a ConnectError: `refused` where the connection stands all the same. */
  async publish(message: {
    readonly topic: string;
    readonly payload: string;
    readonly retain: boolean;
    readonly correlationData?: Uint8Array;
  }): Promise<void> {
    const client = this.#standing();
    const mistake = packetMistake(message, this.#version ?? '5', this.#maximumPacketSize);
    if (mistake !== undefined) throw new ConnectError('refused', mistake);
    const properties =
      message.correlationData && this.#version === '5' ? { correlationData: Buffer.from(message.correlationData) } : undefined;
    const options = { qos: 1 as const, retain: message.retain, ...(properties ? { properties } : {}) };
    await this.#followed(client.publishAsync(message.topic, message.payload, options)).catch((cause: unknown) => {
      throw publishFailure(cause);
    });
  }

  /**
   * Subscribes, with QoS 1 unless another is asked for. With MQTT 5 our own messages do not come back, and the retain flag of live ones
   * is kept (unless `retainAsPublished` is false). Subscribing again to the same filter makes the broker send what is retained there once
   * more. Rejects with a ConnectError: `refused` where the connection stands all the same.
   */
  async subscribe(
    filters: readonly string[],
    { retainAsPublished = true, qos = 1 }: { readonly retainAsPublished?: boolean; readonly qos?: 0 | 1 } = {},
  ): Promise<void> {
    const client = this.#standing();
    const options = this.#version === '5' ? { qos, rap: retainAsPublished, nl: true } : { qos };
    await this.#followed(client.subscribeAsync(Object.fromEntries(filters.map((filter) => [filter, options])))).catch((cause: unknown) => {
      throw new ConnectError(client.connected ? 'refused' : 'network', cause instanceof Error ? cause.message : String(cause), { cause });
    });
  }

  async unsubscribe(filter: string): Promise<void> {
    await this.#followed(this.#standing().unsubscribeAsync(filter));
  }

  #followed<T>(work: Promise<T>): Promise<T> {
    return this.#underWay?.follow(work) ?? work;
  }

  #standing(): MqttClient {
    if (!this.#client) throw new ConnectError('network', 'not connected to the broker');
    return this.#client;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const pauseMs = await this.#attempt(this.#options.version === 'auto' ? this.#candidate : this.#options.version);
      if (pauseMs > 0 && !signal.aborted) await this.#clock.sleep(pauseMs * (0.8 + 0.4 * Math.random()), signal).catch(() => undefined);
    }
  }

  /** One connection from its first byte to its end; gives the pause before the next one. */
  async #attempt(version: Version): Promise<number> {
    let connection: { client: MqttClient; connack: IConnackPacket };
    try {
      connection = await connectOnce(this.#options.url, this.#mqttOptions(), version, {
        timeoutMs: this.#options.answerMs ?? ANSWER_MS,
        signal: this.#stopping.signal,
      });
    } catch (error) {
      return this.#stopping.signal.aborted ? 0 : this.#notReached(error, version);
    }
    const since = this.#clock.elapsedMs();
    const end = await this.#live(connection.client, connection.connack, version);
    if (this.#stopping.signal.aborted) return 0;
    const pauseMs = this.#patience.ended(this.#clock.elapsedMs() - since, end);
    this.#sayLost(end.why, pauseMs);
    return pauseMs;
  }

  #notReached(error: unknown, version: Version): number {
    const failure = error instanceof ConnectError ? error : new ConnectError('network', String(error));
    this.#drops = failure.why === 'dropped' ? this.#drops + 1 : 0;
    const doubted =
      failure.why === 'version' || (failure.why === 'dropped' && (this.#version === undefined || this.#drops >= DROPS_TO_DOUBT));
    if (doubted && this.#options.version === 'auto') {
      this.#candidate = version === '5' ? '3.1.1' : '5';
      this.#log.debug({ version, why: failure.message }, 'trying the other version of MQTT');
      if (this.#candidate === '3.1.1') return 0;
    }
    // That a broker which went away is not reached is no news.
    const isNews = !this.#told.has(failure.message) && !(this.#told.has(LOST) && failure.why !== 'refused');
    this.#told.add(failure.message);
    if (isNews) {
      this.#log.warn({ url: withoutPassword(this.#options.url), why: failure.message }, 'broker not reached; trying again until it is');
    }
    return this.#patience.failed();
  }

  #sayLost(why: string, pauseMs: number): void {
    const facts = { why, again_in_s: Math.round(pauseMs / 1000) };
    const { contested } = this.#patience;
    if (!contested) this.#log.warn(facts, 'connection to the broker lost');
    else if (!this.#told.has(CONTESTED)) {
      this.#log.error(
        { ...facts, client_id: this.#options.clientId },
        'the connection to the broker is taken away again and again: is another bridge running with the same client id? Stop one, or give each its own mqtt.base or mqtt.client_id',
      );
    }
    this.#told.add(contested ? CONTESTED : LOST);
  }

  #sayConnected(version: Version): void {
    const facts = { url: withoutPassword(this.#options.url), protocol: version };
    if (this.#version !== version) this.#log.info(facts, 'connected to the broker');
    else if (!this.#patience.contested) this.#log.info({}, 'connected to the broker again');
    if (!this.#patience.contested) this.#told.clear();
  }

  /** Serves a connection until it ends, and says how it ended. */
  async #live(client: MqttClient, connack: IConnackPacket, version: Version): Promise<Ending> {
    const closed = client.connected ? new Promise<void>((resolve) => client.once('close', resolve)) : Promise.resolve();
    const acknowledgeMs = this.#options.acknowledgeMs ?? ACKNOWLEDGE_MS;
    const underWay = new UnderWay(acknowledgeMs, this.#clock, () => {
      end.decide(`the broker acknowledged nothing for ${acknowledgeMs / 1000} s`);
      client.stream.destroy();
    });
    const end = new EndingWatch(client, () => underWay.size);
    this.#underWay = underWay;
    client.on('message', (topic, payload, packet) => this.#events.message(received(topic, payload, packet)));
    this.#client = client;
    this.#maximumPacketSize = connack.properties?.maximumPacketSize ?? Number.POSITIVE_INFINITY;
    this.#window = version === '5' ? Math.min(connack.properties?.receiveMaximum ?? WIDEST_WINDOW, WIDEST_WINDOW) : BLIND_WINDOW;
    if (this.#stopping.signal.aborted) await client.endAsync();
    else if (client.connected) {
      this.#sayConnected(version);
      const { retainAvailable, maximumQoS } = connack.properties ?? {};
      if (retainAvailable === false || maximumQoS === 0)
        this.#log.warn(
          { retain: retainAvailable ?? true, maximum_qos: maximumQoS ?? 2 },
          'this broker cannot keep or acknowledge messages as the bridge needs it; use another one',
        );
      this.#version = version;
      this.#candidate = version;
      this.#drops = 0;
      this.#events.connected(version).catch((cause: unknown) => {
        if (client.connected) this.#log.warn({ why: String(cause) }, 'the broker did not take what a new connection begins with');
        client.end(true);
      });
    }
    await closed;
    underWay.end();
    this.#client = undefined;
    this.#underWay = undefined;
    // Ends what still waits for an acknowledgement.
    client.end(true);
    this.#events.disconnected();
    return end.ending;
  }

  #mqttOptions(): IClientOptions {
    const { username, password, ca, cert, key, clientId, will, maximumPacketSize } = this.#options;
    return {
      clientId,
      keepalive: 30,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(maximumPacketSize === undefined ? {} : { properties: { maximumPacketSize } }),
      ...(will ? { will: { topic: will.topic, payload: Buffer.from(will.payload), qos: 1, retain: true } } : {}),
    };
  }
}

const received = (topic: string, payload: Uint8Array, packet: IPublishPacket): Received => ({
  topic,
  payload,
  retain: packet.retain,
  ...(packet.properties?.responseTopic ? { responseTopic: packet.properties.responseTopic } : {}),
  ...(packet.properties?.correlationData ? { correlationData: packet.properties.correlationData } : {}),
});

/** The broker's address as it may stand in a log: without user and password, whatever they hold, and without what a service signs. */
export const withoutPassword = (url: string): string => url.replace(/\/\/.*@/s, '//').replace(/\?.*$/s, '?…');
