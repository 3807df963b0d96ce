import { EventEmitter } from 'node:events';
import type { Clock } from '../../../shared/clock.ts';
import { jsonObject } from '../../../shared/json.ts';
import type { Log } from '../../../shared/log.ts';
import type { Incoming } from '../../../shared/message.ts';
import { bridgeTopic, commandFilters, DEEPEST_FEATURE, filterOf, probeTopic } from '../../../topics/topicNames.ts';
import { type Connection, isRefusal, type SubscribeOptions } from '../../ports.ts';
import { isCheckpointId } from './brokerCheckpoint.ts';
import { LogOnce } from './logOnce.ts';

/** A retained checkpoint comes at once: after so long there is none. */
const CHECKPOINT_MS = 300;
/** Brokers refuse topics of 200 levels and more. */
const MOST_LEVELS = 100;
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
  hubStarted: [];
  hubLost: [];
  /** A message on any other topic. */
  message: [message: Incoming];
};

/** Connections one after the other: what each subscribes to, and what the broker shows of itself when it begins. `hubTopic`: where hubs publish their birth and their end; undefined where these do not matter. */
export const mqttSession = (base: string, hubTopic: string | undefined, connection: Connection, clock: Clock, log: Log) => {
  const events = new EventEmitter<SessionEvents>();
  const [stateTopic, health] = [bridgeTopic(base, 'state'), bridgeTopic(base, 'health')];
  const logged = new LogOnce();
  /** The bridge may publish on this connection. */
  let isReady = false;
  /** `online` was sent on this connection. */
  let isSaid = false;
  /** The bridge ends: `online` is not said any more. */
  let isOver = false;
  /** For topics with so many levels between device and verb commands are heard. */
  let levels = DEEPEST_FEATURE;
  /** Filters on which a retained command may lie. */
  const asked = new Set<string>();
  let isAsking = false;
  /** Counts connections begun and ended. */
  let attempts = 0;
  let checkpointSeen: ((id: number | undefined) => void) | undefined;
  let held:
    | { readonly heard: PromiseWithResolvers<void>; readonly released: PromiseWithResolvers<void>; readonly messages: Incoming[] }
    | undefined;

  /**
   * The connection stands: subscribes, with `asks` finds out what the broker still holds, and only then says `online`: a command sent
   * on seeing it is received.
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
    // Both at once, as each takes the way to the broker and back.
    await Promise.all([asks && connection.unsubscribe(health), publishState('online')]);
    // Another connection has come meanwhile: what this one has shown counts no more.
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

  /** A device has this feature: commands for it are heard, however many levels it has. */
  const addFeature = (feature: string): void => {
    const before = levels;
    // Its properties have one level more.
    levels = Math.max(levels, Math.min(feature.split('.').length + 1, MOST_LEVELS));
    if (isReady) listenDeeper(before);
  };

  const listenDeeper = (from: number): void => {
    if (levels === from) return;
    connection.subscribe(commandFilters(base, levels, from)).catch((cause: unknown) => {
      log.debug({ levels, why: String(cause) }, 'commands for features of many levels are not heard');
    });
  };

  /**
   * Until `release`, commands are heard, but they wait, and so does `ready`: the bridge does not know yet what it had kept. Resolves when
   * commands are heard.
   */
  const hold = (): Promise<void> => {
    const heard = Promise.withResolvers<void>();
    held = { heard, released: Promise.withResolvers(), messages: [] };
    return heard.promise;
  };

  const release = async (): Promise<void> => {
    const waiting = held;
    if (!waiting) return;
    // What follows from what was restored, such as documents, is ready a turn later, and goes out with it.
    await clock.sleep(0);
    held = undefined;
    waiting.released.resolve();
    if (!isReady) for (const message of waiting.messages.splice(0)) events.emit('message', message);
  };

  /** Says `online` once more, where that is so. */
  const announce = async (): Promise<void> => {
    if (isReady && !isOver) await publishState('online');
  };

  /** Before a stop: says `offline`, or with `withdraw` clears the topics that are published past the publisher. */
  const sayOffline = async (withdraw: boolean): Promise<boolean> => {
    isOver = true;
    // The broker may have it already, and has not said so.
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

  /** With MQTT 3.1.1 a retained command looks like any other; asking again, at most once a second, shows whether it stayed on the broker. */
  const lookForRetained = ({ topic, retain, payload }: Incoming): void => {
    if (connection.protocol !== '5' && !retain && payload.length > 0) askAgain([topic]);
  };

  /** Has the broker send once more, at most once a second, what is retained beside these command topics. */
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

  /** The checkpoint that the broker shows, or undefined where it shows none soon after it has accepted the subscription. */
  const shownCheckpoint = async (): Promise<number | undefined> => {
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    checkpointSeen = resolve;
    await listen([health]);
    void clock.sleep(CHECKPOINT_MS).then(() => resolve(undefined));
    return promise;
  };

  /** Subscribes; a broker whose rules refuse it gets all the rest all the same, and the user one sentence. */
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
