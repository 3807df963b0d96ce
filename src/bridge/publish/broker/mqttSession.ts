import { EventEmitter } from 'node:events';
import type { Clock } from '../../../shared/clock.ts';
import { jsonObject } from '../../../shared/json.ts';
import type { Log } from '../../../shared/log.ts';
import type { Incoming } from '../../../shared/message.ts';
import { bridgeTopic, commandFilters, DEEPEST_FEATURE, filterOf, probeTopic } from '../../../topics/topicNames.ts';
import { type Connection, isRefusal, type SubscribeOptions } from '../../ports.ts';
import { isCheckpointId } from './brokerCheckpoint.ts';
import { LogOnce } from './logOnce.ts';

/** A retained checkpoint arrives at once. After this time there is none. */
const CHECKPOINT_MS = 300;
/** Brokers refuse topics of 200 levels and more. */
const MOST_LEVELS = 100;
/** Each new subscription makes the broker resend retained messages, so it happens at most this often. */
const ASK_AGAIN_MS = 1000;

type SessionEvents = {
  /** Connected, but nothing may be published yet. */
  begun: [];
  /** Commands are received, and the broker shows `online`. */
  online: [];
  /** The bridge may publish; the broker shows the checkpoint with this number, or none. */
  ready: [checkpointId: number | undefined];
  ended: [];
  hubStarted: [];
  hubLost: [];
  /** A message on any other topic. */
  message: [message: Incoming];
};

/** Handles successive connections. `hubTopic`: hubs' birth and will topic; undefined to ignore hubs. */
export const mqttSession = (base: string, hubTopic: string | undefined, connection: Connection, clock: Clock, log: Log) => {
  const events = new EventEmitter<SessionEvents>();
  const [stateTopic, health] = [bridgeTopic(base, 'state'), bridgeTopic(base, 'health')];
  const logged = new LogOnce();
  /** The bridge may publish on this connection. */
  let isReady = false;
  /** `online` was sent on this connection. */
  let isSaid = false;
  /** The bridge is stopping: `online` is not published again. */
  let isOver = false;
  /** The subscriptions cover topics with up to this many levels between device and verb. */
  let levels = DEEPEST_FEATURE;
  /** Filters that may match a retained command. */
  const asked = new Set<string>();
  let isAsking = false;
  /** Counts connects and disconnects. */
  let attempts = 0;
  let checkpointSeen: ((id: number | undefined) => void) | undefined;
  let held:
    | { readonly heard: PromiseWithResolvers<void>; readonly released: PromiseWithResolvers<void>; readonly messages: Incoming[] }
    | undefined;

  /**
   * Connected: subscribes, with `asks` finds out what the broker still holds, and only then publishes
   * `online`: the bridge then receives every command sent in response.
   */
  const connected = async (asks: boolean): Promise<void> => {
    attempts += 1;
    const attempt = attempts;
    events.emit('begun');
    const [checkpointId] = await Promise.all([
      asks ? shownCheckpoint() : undefined,
      listen(commandFilters(base)),
      hubTopic === undefined || listen([hubTopic], { retainAsPublished: false }),
    ]);
    if (isOver) return;
    isSaid = true;
    // In parallel: each takes a round trip to the broker.
    await Promise.all([asks && connection.unsubscribe(health), publishState('online')]);
    // A newer connection exists: the result of this one is obsolete.
    if (attempt !== attempts) return;
    isReady = true;
    listenDeeper(DEEPEST_FEATURE);
    events.emit('online');
    const waiting = held;
    waiting?.heard.resolve();
    await waiting?.released.promise;
    if (attempt !== attempts) return;
    events.emit('ready', checkpointId);
    for (const message of waiting?.messages.splice(0) ?? []) events.emit('message', message);
  };

  /** A device has this feature: receive its commands, however many levels its name has. */
  const addFeature = (feature: string): void => {
    const before = levels;
    // Its properties have one more level.
    levels = Math.max(levels, Math.min(feature.split('.').length + 1, MOST_LEVELS));
    if (isReady) listenDeeper(before);
  };

  const listenDeeper = (from: number): void => {
    if (levels === from) return;
    connection.subscribe(commandFilters(base, levels, from)).catch((cause: unknown) => {
      log.debug(
        { levels, why: String(cause) },
        'the broker does not accept subscriptions with many levels; commands for features with many levels do not arrive',
      );
    });
  };

  /**
   * Until `release`, commands are received but wait, and `ready` is delayed: the stored state is not loaded
   * yet. Resolves when commands are received.
   */
  const hold = (): Promise<void> => {
    const heard = Promise.withResolvers<void>();
    held = { heard, released: Promise.withResolvers(), messages: [] };
    return heard.promise;
  };

  const release = async (): Promise<void> => {
    const waiting = held;
    if (!waiting) return;
    // Data derived from the restored state, such as documents, is ready one turn later and goes out with it.
    await clock.sleep(0);
    held = undefined;
    waiting.released.resolve();
    if (!isReady) for (const message of waiting.messages.splice(0)) events.emit('message', message);
  };

  /** Publishes `online` once more, if the bridge is online. */
  const announce = async (): Promise<void> => {
    if (isReady && !isOver) await publishState('online');
  };

  /** Before a stop: publishes `offline`, or with `withdraw` clears topics that bypass the publisher. */
  const sayOffline = async (withdraw: boolean): Promise<boolean> => {
    isOver = true;
    // The broker may have it already without having acknowledged it.
    if (!isSaid) return false;
    const isAll = isReady;
    if (withdraw) await connection.publish({ topic: health, payload: '', retain: true });
    await publishState(withdraw ? '' : 'offline');
    return isAll;
  };

  const disconnected = (): void => {
    attempts += 1;
    isReady = false;
    isSaid = false;
    events.emit('ended');
  };

  const received = (message: Incoming): void => {
    if (message.topic === health) checkpointSeen?.(checkpointIdOf(message.payload));
    else if (message.topic === probeTopic(base)) return;
    else if (message.topic !== hubTopic) {
      if (held) held.messages.push(message);
      else events.emit('message', message);
    } else if (!message.retain) {
      const word = new TextDecoder().decode(message.payload).trim();
      if (word === 'online') events.emit('hubStarted');
      if (word === 'offline') events.emit('hubLost');
    }
  };

  const publishState = (payload: string): Promise<void> => connection.publish({ topic: stateTopic, payload, retain: true });

  /** MQTT 3.1.1 does not flag retained commands. Subscribing again, at most once a second, reveals them. */
  const lookForRetained = ({ topic, retain, payload }: Incoming): void => {
    if (connection.protocol !== '5' && !retain && payload.length > 0) askAgain([topic]);
  };

  /** Makes the broker resend retained commands for these topics, at most once a second. */
  const askAgain = (topics: readonly string[]): void => {
    for (const filter of topics.flatMap((topic) => filterOf(base, topic) ?? [])) asked.add(filter);
    if (!isAsking) void askInTurn();
  };

  const askInTurn = async (): Promise<void> => {
    isAsking = true;
    while (asked.size > 0) {
      const filters = [...asked];
      asked.clear();
      connection.subscribe(filters).catch(() => undefined);
      await clock.sleep(ASK_AGAIN_MS);
    }
    isAsking = false;
  };

  /** The checkpoint that the broker shows; undefined if none arrives soon after the subscription. */
  const shownCheckpoint = async (): Promise<number | undefined> => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    checkpointSeen = resolve;
    await listen([health]);
    void clock.sleep(CHECKPOINT_MS).then(() => resolve(undefined));
    return promise;
  };

  /** Subscribes. If the broker's rules refuse a filter, the rest still works and one message is logged. */
  const listen = async (filters: readonly string[], options: SubscribeOptions = {}): Promise<void> => {
    try {
      await connection.subscribe(filters, options);
    } catch (cause) {
      if (!isRefusal(cause)) throw cause;
      const [topic = ''] = filters;
      if (logged.isFirst(topic))
        log.warn({ topic, why: cause.message }, 'the broker does not let the bridge subscribe here; give its user the right to read it');
    }
  };

  return Object.assign(events, {
    ...{ connected, hold, release, announce, sayOffline, disconnected, received, addFeature, lookForRetained, askAgain },
    isReady: (): boolean => isReady,
  });
};

export type MqttSession = ReturnType<typeof mqttSession>;

const checkpointIdOf = (payload: Uint8Array): number | undefined => {
  const beat = jsonObject(new TextDecoder().decode(payload))?.beat;
  return isCheckpointId(beat) ? beat : undefined;
};
