import type { MqttClient } from 'mqtt';
import type { Clock } from '../shared/clock.ts';
import type { BrokerOptions } from './client.ts';
import { visitBroker } from './probe.ts';

/** What is retained comes at once after the subscription; when nothing came for so long, it was all. */
const QUIET_MS = 700;
/** The same, where little is asked for. */
const SHORT_QUIET_MS = 300;
/** A look that the bridge waits for must not take longer. */
const LOOK_ANSWER_MS = 2000;
/** A broker that never gets quiet is believed to have sent what it keeps. */
const LONGEST_MS = 60_000;

/**
 * All that is retained below each of these lists of filters, by topic. What the broker does not let us read is left out; one that is away
 * gives nothing.
 */
export const retainedBelow = async (
  options: BrokerOptions,
  lists: readonly (readonly string[])[],
  clock: Clock,
  signal: AbortSignal,
): Promise<Map<string, string>> => {
  const found = new Map<string, string>();
  const sweeper = await Sweeper.open(options, clock).catch(() => undefined);
  for (const filters of sweeper ? lists : []) {
    const kept = await sweeper?.retained(filters, { signal }).catch(() => undefined);
    for (const [topic, payload] of kept ?? []) found.set(topic, payload);
  }
  await sweeper?.close();
  return found;
};

/** The little that is retained below these filters, by topic. Rejects where the broker is away, or does not let us read it. */
export const retainedNow = async (options: BrokerOptions, filters: readonly string[], clock: Clock): Promise<Map<string, string>> => {
  const sweeper = await Sweeper.open({ ...options, answerMs: LOOK_ANSWER_MS }, clock);
  try {
    return await sweeper.retained(filters, { quietMs: SHORT_QUIET_MS });
  } finally {
    await sweeper.close();
  }
};

/** A connection that looks at what a broker keeps, and takes it away. */
export class Sweeper {
  readonly #client: MqttClient;
  readonly #clock: Clock;

  private constructor(client: MqttClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Throws ConnectError where the broker is not reached. */
  static async open(options: BrokerOptions, clock: Clock): Promise<Sweeper> {
    const { client } = await visitBroker(options);
    return new Sweeper(client, clock);
  }

  /** All that is retained below these filters, by topic. Rejects where the broker does not allow the subscription. */
  async retained(
    filters: readonly string[],
    { signal, quietMs = QUIET_MS }: { readonly signal?: AbortSignal; readonly quietMs?: number } = {},
  ): Promise<Map<string, string>> {
    const kept = new Map<string, string>();
    const begunMs = this.#clock.elapsedMs();
    let heardMs = begunMs;
    const hear = (topic: string, payload: Buffer, { retain }: { readonly retain: boolean }): void => {
      if (!retain || payload.length === 0) return;
      heardMs = this.#clock.elapsedMs();
      kept.set(topic, payload.toString());
    };
    this.#client.on('message', hear);
    try {
      // With QoS 0 no broker's queue for unacknowledged messages can overflow.
      await this.#client.subscribeAsync([...filters], { qos: 0 });
      heardMs = Math.max(heardMs, this.#clock.elapsedMs());
      for (;;) {
        const now = this.#clock.elapsedMs();
        const wait = Math.min(heardMs + quietMs, begunMs + LONGEST_MS) - now;
        if (wait <= 0) return kept;
        await this.#clock.sleep(wait, signal);
      }
    } finally {
      this.#client.off('message', hear);
      await this.#client.unsubscribeAsync([...filters]).catch(() => undefined);
    }
  }

  /** Publishes, retained, with QoS 1; an empty payload takes away what is there. Rejects where the broker does not take it. */
  async keep(topic: string, payload: string): Promise<void> {
    await this.#client.publishAsync(topic, payload, { qos: 1, retain: true });
  }

  async close(): Promise<void> {
    await this.#client.endAsync().catch(() => undefined);
  }
}
