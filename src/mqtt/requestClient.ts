import type { MqttClient } from 'mqtt';
import { systemClock } from '../shared/clock.ts';
import { CodedError, messageOf } from '../shared/errors.ts';
import { type BrokerOptions, ConnectError, leaveBroker, visitBroker, withoutPassword } from './connect.ts';
import { readRetained } from './readRetained.ts';

/** The broker could not be reached, refused something, or closed the connection. */
class RequestClientError extends CodedError<'broker'> {}

/** The pause after which all retained messages have come. */
const QUIET_MS = 200;

/** A short connection to the bridge's broker: reads what is retained, publishes requests, and waits for their results. */
export class RequestClient {
  /** The last payload of each subscribed topic; cleared topics are missing. */
  readonly payloads = new Map<string, string>();
  readonly #client: MqttClient;
  readonly #broker: string;
  readonly #lost: Promise<never>;

  private constructor(client: MqttClient, broker: string) {
    this.#client = client;
    this.#broker = broker;
    this.#lost = new Promise((_, reject) => {
      client.once('close', () => reject(new RequestClientError('broker', `The connection to ${broker} was lost.`)));
    });
    this.#lost.catch(() => undefined);
    client.on('message', (topic, bytes) => {
      if (bytes.length === 0) this.payloads.delete(topic);
      else this.payloads.set(topic, bytes.toString());
    });
  }

  /** Throws RequestClientError. */
  static async connect(options: BrokerOptions): Promise<RequestClient> {
    const broker = `the broker ${withoutPassword(options.url)}`;
    try {
      const { client } = await visitBroker(options);
      return new RequestClient(client, broker);
    } catch (cause) {
      if (cause instanceof ConnectError) throw new RequestClientError('broker', `${broker} was not reached: ${cause.message}.`, { cause });
      throw cause;
    }
  }

  /** Throws RequestClientError. */
  async subscribe(filters: readonly string[]): Promise<void> {
    await this.#orLost(readRetained(this.#client, filters, systemClock, { quietMs: 0, stays: true }));
  }

  /** Subscribes and waits for what is retained there, some seconds for the `expected` topics. Throws RequestClientError. */
  async readRetained(filters: readonly string[], expected: readonly string[]): Promise<void> {
    await this.#orLost(readRetained(this.#client, filters, systemClock, { quietMs: QUIET_MS, expected, stays: true }));
  }

  /**
   * Publishes, and returns the first value that `find` returns for a message received afterwards; undefined where there is none within
   * the time. Throws RequestClientError.
   */
  async request<T>(
    { topic, payload }: { readonly topic: string; readonly payload: string },
    find: (topic: string, payload: string) => T | undefined,
    timeoutMs: number,
  ): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const onMessage = (from: string, received: Buffer): void => {
      const found = find(from, received.toString());
      if (found !== undefined) resolve(found);
    };
    this.#client.on('message', onMessage);
    const timer = setTimeout(() => resolve(undefined), timeoutMs);
    try {
      // Where the broker does not even take the message, the time is over too.
      const taken = this.#client.publishAsync(topic, payload, { qos: 1, retain: false });
      return await this.#orLost(Promise.race([promise, taken.then(() => promise)]));
    } finally {
      clearTimeout(timer);
      this.#client.off('message', onMessage);
    }
  }

  async close(): Promise<void> {
    await leaveBroker(this.#client);
  }

  async #orLost<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#lost]);
    } catch (cause) {
      if (cause instanceof RequestClientError) throw cause;
      throw new RequestClientError('broker', `${this.#broker}: ${messageOf(cause)}.`, { cause });
    }
  }
}
