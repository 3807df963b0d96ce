import type { IConnackPacket, MqttClient } from 'mqtt';
import { type Clock, within } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Incoming, Outgoing } from '../shared/message.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import { type BrokerOptions, ConnectError, connectOnce, holdWrites, located, serversOf, type Version, withoutPassword } from './connect.ts';
import { AT_FIRST_MESSAGE, CONTESTED, type ConnectionEnd, watchConnectionEnd } from './connectionEnd.ts';
import { DEFAULT_WINDOW, type InFlight, messagesInFlight, windowOf } from './inFlight.ts';
import { hasDot, packetMistake, subscribeError } from './packet.ts';
import { progressBy } from './progress.ts';
import { ReconnectBackoff } from './reconnectBackoff.ts';
import { type Server, Servers } from './server.ts';

export type BrokerEvents = {
  /** A rejection ends the connection. `isElsewhere`: the previous connection had another address. */
  connected(protocol: Version, isElsewhere: boolean): Promise<void>;
  disconnected(): void;
  message(message: Incoming): void;
  /** Another client with this client id keeps taking over. `isReported`: by the broker. True if logged. */
  contested?(isReported: boolean): unknown;
};

/** A connection; `maximumPacketSize` in bytes; `inTurn` if the broker accepts one message at a time. */
type Live = {
  readonly client: MqttClient;
  readonly inFlight: InFlight;
  readonly maximumPacketSize: number;
  readonly inTurn?: ReturnType<typeof oneAtATime>;
};

// Brokers acknowledge within one or two seconds. After this time the message or its acknowledgement is lost.
const ACKNOWLEDGE_MS = 30_000;
/** How long a stop waits for outstanding acknowledgements. */
const FAREWELL_MS = 1000;
/** After this many connections without any acknowledgement, logs the broker's requirements, once each. */
const FRUITLESS = 3;

/** The bridge's connection to the broker. It reconnects until `stop`. */
export class BrokerClient {
  /** The MQTT version of the current or last connection. */
  protocol: Version | undefined;
  /** Maximum number of unacknowledged messages of the queue. */
  window = DEFAULT_WINDOW;
  readonly #options: BrokerOptions;
  readonly #servers: Servers;
  /** The server of the last connection. */
  #served: Server | undefined;
  /** The address of the last attempt. */
  #url: string;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  readonly #progress: ReturnType<typeof progressBy>;
  #live: Live | undefined;
  readonly #backoff = new ReconnectBackoff();
  /** Consecutive connections that ended with messages in flight and none acknowledged. */
  #fruitless = 0;
  #isFruitful = false;
  /** Problems logged since the connection last worked; each is logged once. */
  readonly #logged = new Set<string>();
  #ended: Promise<void> | undefined;

  constructor(options: BrokerOptions, clock: Clock, log: Log) {
    this.#options = options;
    this.#servers = new Servers(serversOf(options));
    this.#url = options.url;
    this.#clock = clock;
    this.#log = log;
    this.#progress = progressBy(clock);
  }

  /** How late a connection attempt, its end or a packet of the broker is; normally some seconds. */
  get stalledMs(): number {
    return this.#progress.stalledMs();
  }

  /** The options of the current or next connection: one address, with only its own user. */
  get options(): BrokerOptions {
    return this.#servers.current.options;
  }

  /** The broker accepts no topic with a `.`: such messages are refused here. */
  get refusesDots(): boolean {
    return this.#servers.refusesDots;
  }

  /** Connects, and reports events from then on. */
  start(events: BrokerEvents): void {
    this.#ended = this.#run(events);
  }

  /** Waits for acknowledgements, then sends DISCONNECT (no will). Ends within seconds in any case. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const client = this.#live?.client;
    if (client) {
      await within(this.#clock, FAREWELL_MS, client.endAsync()).catch(() => undefined);
      // A second `end` has no effect.
      client.stream.destroy();
    }
    await this.#ended;
  }

  /** QoS 1. Resolves when acknowledged. Rejects with a ConnectError; `refused` if the connection remains. */
  publish(message: Outgoing): Promise<void> {
    // No additional promise for each message: a read brings hundreds.
    return this.#live?.inTurn ? this.#live.inTurn(() => this.#send(message)) : this.#send(message);
  }

  #send(message: Outgoing): Promise<void> {
    return new Promise((resolve, reject) => {
      const { client, inFlight, maximumPacketSize } = this.#connected();
      const { refusesDots, protocol = '5' } = this;
      const mistake = packetMistake(message, protocol, { maximumPacketSize, refusesDots });
      if (mistake !== undefined) throw new ConnectError('refused', mistake);
      const { topic, payload, retain, correlationData } = message;
      const properties = correlationData && protocol === '5' ? { correlationData: Buffer.from(correlationData) } : undefined;
      const one = inFlight.begun(hasDot(topic));
      client.publish(topic, payload, properties ? { qos: 1, retain, properties } : { qos: 1, retain }, (cause) => {
        inFlight.ended(one);
        if (!cause) {
          this.#acknowledged();
          return resolve();
        }
        // Only negative acknowledgements have a numeric code: the reason why the broker rejects the message.
        const isRefusal = 'code' in cause && typeof cause.code === 'number';
        reject(new ConnectError(isRefusal ? 'refused' : 'network', messageOf(cause), { cause }));
      });
    });
  }

  /**
   * With MQTT 5 the broker does not return our own messages if `noLocal`, and keeps the retain flag of live
   * ones if `retainAsPublished`. A repeated subscription makes the broker resend its retained messages. With
   * several addresses the default is QoS 0: NATS needs up to ten seconds per QoS 1 filter while a node is
   * away, and clean sessions get nothing later anyway. Rejects with a ConnectError; `refused` if the
   * connection remains.
   */
  async subscribe(
    filters: readonly string[],
    {
      retainAsPublished = true,
      noLocal = true,
      qos = this.#servers.count > 1 ? 0 : 1,
    }: { readonly retainAsPublished?: boolean; readonly noLocal?: boolean; readonly qos?: 0 | 1 } = {},
  ): Promise<void> {
    const { client, inFlight } = this.#connected();
    const options = this.protocol === '5' ? { qos, rap: retainAsPublished, nl: noLocal } : { qos };
    await inFlight.track(client.subscribeAsync(Object.fromEntries(filters.map((filter) => [filter, options])))).catch((cause: unknown) => {
      throw subscribeError(cause);
    });
  }

  async unsubscribe(filter: string): Promise<void> {
    const { client, inFlight } = this.#connected();
    await inFlight.track(client.unsubscribeAsync(filter));
  }

  #connected(): Live {
    if (!this.#live) throw new ConnectError('network', 'not connected to the broker');
    return this.#live;
  }

  async #run(events: BrokerEvents): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#progress.made();
      const server = this.#servers.current;
      const meanMs = await this.#attempt(server, server.version, events);
      const pauseMs = meanMs * (0.8 + 0.4 * Math.random());
      this.#progress.made(pauseMs);
      if (pauseMs > 0 && !signal.aborted) await this.#clock.sleep(pauseMs, signal).catch(() => undefined);
    }
  }

  /** Serves one connection to its end; returns the pause (ms) before the next attempt (next address). */
  async #attempt(server: Server, version: Version, events: BrokerEvents): Promise<number> {
    let connection: { client: MqttClient; connack: IConnackPacket };
    try {
      const options = await located(server.options, this.#stopping.signal);
      this.#url = options.url;
      connection = await connectOnce(options, version, this.#stopping.signal);
    } catch (error) {
      return this.#stopping.signal.aborted ? 0 : this.#notReached(error, server, version);
    }
    const connectedAtMs = this.#clock.elapsedMs();
    this.#isFruitful = false;
    const end = await this.#serve(connection.client, connection.connack, server, version, events);
    if (this.#stopping.signal.aborted) return 0;
    if (!this.#isFruitful && end.explained) this.#fruitless += 1;
    const durationMs = this.#clock.elapsedMs() - connectedAtMs;
    // NATS has no MQTT 5; with that, other brokers that end connections twice by chance are not suspected.
    const isAtDot = end.isAtDot === true && this.#isFruitful && version === '3.1.1';
    this.#servers.ended(isAtDot);
    const pauseMs = this.#backoff.ended(durationMs, { ...end, isFruitful: this.#isFruitful });
    const isLogged = this.#backoff.contested && events.contested?.(end.takenOver) === true;
    if (!isLogged) this.#logLost(end.why, pauseMs);
    this.#servers.next();
    return pauseMs;
  }

  #notReached(error: unknown, server: Server, version: Version): number {
    const failure = error instanceof ConnectError ? error : new ConnectError('network', String(error));
    if (server.switchesVersion(failure, version)) {
      this.#log.debug({ version, why: failure.message }, 'trying the other MQTT version');
      if (server.version === '3.1.1') return 0;
    }
    // After a lost connection, failing attempts are expected and not logged.
    const problem = `${this.#url} ${failure.message}`;
    const isNew = !this.#logged.has(problem) && !(this.#logged.has('lost') && failure.why !== 'refused');
    this.#logged.add(problem);
    if (isNew) this.#log.warn({ url: withoutPassword(this.#url), why: failure.message }, 'broker not reached; trying again');
    return this.#backoff.failed(this.#servers.failed());
  }

  #acknowledged(): void {
    if (this.#fruitless >= FRUITLESS) this.#log.info({}, 'connected to the broker again');
    this.#fruitless = 0;
    this.#isFruitful = true;
  }

  #logLost(why: string, pauseMs: number): void {
    const url = this.#servers.count > 1 ? { url: withoutPassword(this.#url) } : {};
    const facts = { ...url, why, again_in_s: Math.round(pauseMs / 1000) };
    const { contested } = this.#backoff;
    if (this.#fruitless > FRUITLESS) return;
    if (this.#fruitless === FRUITLESS) this.#log.error(facts, AT_FIRST_MESSAGE);
    else if (!contested) this.#log.warn(facts, 'connection to the broker lost');
    else if (!this.#logged.has('contested')) this.#log.error({ ...facts, client_id: this.#options.clientId }, CONTESTED);
    this.#logged.add(contested ? 'contested' : 'lost');
  }

  #logConnected(version: Version, isElsewhere: boolean): void {
    const facts = { url: withoutPassword(this.#url), protocol: version };
    if (isElsewhere) this.#log.info(facts, 'connected to the broker at another address; everything is published again');
    else if (this.protocol !== version) this.#log.info(facts, 'connected to the broker');
    else if (!this.#backoff.contested && this.#fruitless < FRUITLESS) this.#log.info({}, 'connected to the broker again');
    if (!this.#backoff.contested) this.#logged.clear();
  }

  /** If a connection lasts, the client that took over the previous ones has gone. */
  async #logUncontested(client: MqttClient): Promise<void> {
    const { signal } = this.#stopping;
    await this.#clock.sleep(this.#backoff.stableAfterMs, signal).catch(() => undefined);
    if (signal.aborted || this.#live?.client !== client) return;
    this.#logged.clear();
    this.#log.info({}, 'connected to the broker again');
  }

  /** Serves a connection until it ends; returns the reason. */
  async #serve(
    client: MqttClient,
    connack: IConnackPacket,
    server: Server,
    version: Version,
    events: BrokerEvents,
  ): Promise<ConnectionEnd> {
    const closed = client.connected ? new Promise<void>((resolve) => client.once('close', resolve)) : Promise.resolve();
    const acknowledgeMs = this.#options.acknowledgeMs ?? ACKNOWLEDGE_MS;
    const inFlight = messagesInFlight(acknowledgeMs, this.#clock, () => {
      end.decide(`the broker acknowledged nothing for ${acknowledgeMs / 1000} s`);
      client.stream.destroy();
    });
    const end = watchConnectionEnd(client, inFlight);
    const received = (): void => this.#progress.made(client.keepalive * 1000);
    received();
    client.on('packetreceive', received);
    client.on('message', (topic, payload, { retain, properties }) => {
      holdWrites(client.stream);
      const { responseTopic, correlationData } = properties ?? {};
      events.message({ topic, payload, retain, responseTopic, correlationData });
    });
    const { maximumPacketSize = Number.POSITIVE_INFINITY, receiveMaximum = Number.POSITIVE_INFINITY } = connack.properties ?? {};
    this.#live = { client, inFlight, maximumPacketSize, ...(receiveMaximum === 1 ? { inTurn: oneAtATime() } : {}) };
    this.window = version === '5' ? windowOf(receiveMaximum) : DEFAULT_WINDOW;
    if (this.#stopping.signal.aborted) await client.endAsync();
    else if (client.connected) {
      const isElsewhere = this.#served !== undefined && this.#served !== server;
      this.#served = server;
      this.#logConnected(version, isElsewhere);
      if (this.#backoff.contested) void this.#logUncontested(client);
      this.protocol = version;
      server.connected(version);
      const asked = this.#servers.askAboutDots((filter) => this.subscribe([filter]));
      const begun = asked.then(() => (this.#live?.client === client ? events.connected(version, isElsewhere) : undefined));
      begun.catch((cause: unknown) => {
        if (client.connected) end.decide(`the broker rejected the first messages of a new connection (${messageOf(cause)})`);
        client.end(true);
      });
    }
    await closed;
    inFlight.end();
    this.#live = undefined;
    // Rejects the messages that are not acknowledged yet.
    client.end(true);
    events.disconnected();
    return end.result();
  }
}
