import type { IPublishPacket, MqttClient } from 'mqtt';
import type { Clock } from '../shared/clock.ts';
import type { BrokerOptions } from './connect.ts';
import { visitBroker } from './probe.ts';

/** The pause after which all retained messages have come. */
const QUIET_MS = 700;
/** The same for a read of few messages. */
const SHORT_QUIET_MS = 300;
/** Time limit for CONNECT in a read that the bridge waits for. */
const SHORT_ANSWER_MS = 2000;
/** Time limit for a broker that sends messages without a pause. */
const LONGEST_MS = 60_000;

/** How long a topic is waited for that is missing among the retained messages. */
const MISSING_MS = 2500;

/**
 * Subscribes, and resolves when all that is retained has come: brokers send it right after the subscription and do not mark its end, so
 * `quietMs` have to pass without a retained message. While one `isMissing` it takes up to MISSING_MS. Rejects if the broker refuses.
 */
export const subscribeUntilQuiet = async (
  client: MqttClient,
  filters: readonly string[],
  { qos, quietMs, isMissing }: { readonly qos: 0 | 1; readonly quietMs: number; readonly isMissing?: () => boolean },
  clock: Clock,
  signal?: AbortSignal,
): Promise<void> => {
  const startMs = clock.elapsedMs();
  let lastMs = startMs;
  const onMessage = (_topic: string, _payload: Buffer, { retain }: IPublishPacket): void => {
    if (retain) lastMs = clock.elapsedMs();
  };
  client.on('message', onMessage);
  try {
    await client.subscribeAsync([...filters], { qos });
    lastMs = clock.elapsedMs();
    for (;;) {
      const endMs = Math.max(lastMs + quietMs, isMissing?.() ? startMs + MISSING_MS : 0);
      const waitMs = Math.min(endMs, startMs + LONGEST_MS) - clock.elapsedMs();
      if (waitMs <= 0) return;
      await clock.sleep(Math.min(waitMs, quietMs / 4), signal);
    }
  } finally {
    client.off('message', onMessage);
  }
};

/** Every retained message that these lists of filters match, by topic. Lists that the broker refuses are left out; empty if it is not reached. */
export const readAllRetained = async (
  options: BrokerOptions,
  lists: readonly (readonly string[])[],
  clock: Clock,
  signal: AbortSignal,
): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  const reader = await RetainedReader.open(options, clock).catch(() => undefined);
  if (!reader) return found;
  for (const filters of lists) {
    const read = await reader.read(filters, { signal }).catch(() => []);
    for (const [topic, payload] of read) found.set(topic, payload);
  }
  await reader.close();
  return found;
};

/** The few retained messages that these filters match, by topic. Rejects if the broker is not reached or refuses the subscription. */
export const readFewRetained = async (options: BrokerOptions, filters: readonly string[], clock: Clock): Promise<Map<string, string>> => {
  const reader = await RetainedReader.open({ ...options, answerMs: SHORT_ANSWER_MS }, clock);
  try {
    return await reader.read(filters, { quietMs: SHORT_QUIET_MS });
  } finally {
    await reader.close();
  }
};

/** A connection that reads and replaces the broker's retained messages. */
export class RetainedReader {
  readonly #client: MqttClient;
  readonly #clock: Clock;

  private constructor(client: MqttClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Throws ConnectError. */
  static async open(options: BrokerOptions, clock: Clock): Promise<RetainedReader> {
    const { client } = await visitBroker(options);
    return new RetainedReader(client, clock);
  }

  /** Every retained message that these filters match, by topic. Rejects if the broker refuses the subscription. */
  async read(
    filters: readonly string[],
    { signal, quietMs = QUIET_MS }: { readonly signal?: AbortSignal; readonly quietMs?: number } = {},
  ): Promise<Map<string, string>> {
    const retained = new Map<string, string>();
    const onMessage = (topic: string, payload: Buffer, { retain }: IPublishPacket): void => {
      if (retain && payload.length > 0) retained.set(topic, payload.toString());
    };
    this.#client.on('message', onMessage);
    try {
      // QoS 0, because many QoS 1 messages can overflow a broker's queue of unacknowledged messages.
      await subscribeUntilQuiet(this.#client, filters, { qos: 0, quietMs }, this.#clock, signal);
      return retained;
    } finally {
      this.#client.off('message', onMessage);
      await this.#client.unsubscribeAsync([...filters]).catch(() => undefined);
    }
  }

  /** Publishes retained with QoS 1; an empty payload clears the topic. Rejects if the broker refuses it. */
  async publish(topic: string, payload: string): Promise<void> {
    await this.#client.publishAsync(topic, payload, { qos: 1, retain: true });
  }

  async close(): Promise<void> {
    await this.#client.endAsync().catch(() => undefined);
  }
}
