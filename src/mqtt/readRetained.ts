import type { IPublishPacket, MqttClient } from 'mqtt';
import type { Clock } from '../shared/clock.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import { type BrokerOptions, visitBroker } from './connect.ts';

/** Brokers send retained messages right after the subscription and do not mark their end. After this pause they are complete. */
const QUIET_MS = 700;
/** Time limit for expected topics. */
const EXPECTED_MS = 2500;
/** Time limit for a broker that sends messages without a pause. */
const LONGEST_MS = 60_000;

export type ReadOptions = {
  readonly quietMs?: number;
  /** Topics that are waited for some seconds. */
  readonly expected?: readonly string[];
  /** The subscription stays, with QoS 1. */
  readonly stays?: boolean;
  readonly signal?: AbortSignal;
  /** What is left out need not be kept in memory until all is read. */
  readonly keeps?: (topic: string, payload: Buffer) => boolean;
};

/** Every retained message that these filters match, by topic. Rejects if the broker refuses the subscription. */
export const readRetained = async (
  client: MqttClient,
  filters: readonly string[],
  clock: Clock,
  { quietMs = QUIET_MS, expected = [], stays = false, signal, keeps = () => true }: ReadOptions = {},
): Promise<Map<string, string>> => {
  const retained = new Map<string, string>();
  const startMs = clock.elapsedMs();
  let lastMs = startMs;
  const onMessage = (topic: string, payload: Buffer, { retain }: IPublishPacket): void => {
    if (!retain || payload.length === 0) return;
    lastMs = clock.elapsedMs();
    if (keeps(topic, payload)) retained.set(topic, payload.toString());
  };
  client.on('message', onMessage);
  try {
    // QoS 0, because many QoS 1 messages can overflow a broker's queue of unacknowledged messages.
    await client.subscribeAsync([...filters], { qos: stays ? 1 : 0 });
    lastMs = clock.elapsedMs();
    for (;;) {
      const isComplete = expected.every((topic) => retained.has(topic));
      const endMs = Math.max(lastMs + quietMs, isComplete ? 0 : startMs + EXPECTED_MS);
      const waitMs = Math.min(endMs, startMs + LONGEST_MS) - clock.elapsedMs();
      if (waitMs <= 0) return retained;
      await clock.sleep(Math.min(waitMs, quietMs / 4), signal);
    }
  } finally {
    client.off('message', onMessage);
    if (!stays) await client.unsubscribeAsync([...filters]).catch(() => undefined);
  }
};

/** A broker may hold the documents of hundreds of accounts of this process: they read them one after another. */
const inTurn = oneAtATime();

/** The same on a connection of its own. Lists of filters that the broker refuses are left out; empty if it is not reached. */
export const readAllRetained = (...given: Parameters<typeof readLists>): Promise<Map<string, string>> => inTurn(() => readLists(...given));

const readLists = async (
  options: BrokerOptions,
  lists: readonly (readonly string[])[],
  clock: Clock,
  signal: AbortSignal,
  keeps?: ReadOptions['keeps'],
): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  const visit = signal.aborted ? undefined : await visitBroker(options).catch(() => undefined);
  if (!visit) return found;
  for (const filters of lists) {
    const read = await readRetained(visit.client, filters, clock, { signal, ...(keeps ? { keeps } : {}) }).catch(() => []);
    for (const [topic, payload] of read) found.set(topic, payload);
  }
  await visit.client.endAsync().catch(() => undefined);
  return found;
};
