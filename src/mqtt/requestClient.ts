import { setTimeout as sleep } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';
import { CodedError } from '../shared/errors.ts';
import { type BrokerOptions, ConnectError, withoutPassword } from './connect.ts';
import { visitBroker } from './probe.ts';

/** The broker could not be reached, refused something, or went away. */
export class GuestError extends CodedError<'broker'> {}

// No broker says where the retained messages end: after so long without one there are no more.
const QUIET_MS = 200;
const RETAINED_MS = 2500;

type Listener = (topic: string, payload: string) => void;

/** A short visit to the bridge's broker: reads what is retained there, publishes, and hears answers. */
export class Guest {
  readonly #client: MqttClient;
  readonly #place: string;
  readonly #last = new Map<string, string>();
  readonly #listeners = new Set<Listener>();
  readonly #lost: Promise<never>;

  private constructor(client: MqttClient, place: string) {
    this.#client = client;
    this.#place = place;
    this.#lost = new Promise((_, reject) => {
      client.once('close', () => reject(new GuestError('broker', `The connection to ${place} was lost.`)));
    });
    this.#lost.catch(() => undefined);
    client.on('message', (topic, bytes) => {
      const payload = bytes.toString();
      if (payload === '') this.#last.delete(topic);
      else this.#last.set(topic, payload);
      for (const listener of this.#listeners) listener(topic, payload);
    });
  }

  /** Throws GuestError. */
  static async enter(options: BrokerOptions): Promise<Guest> {
    const place = `the broker ${withoutPassword(options.url)}`;
    try {
      const { client } = await visitBroker(options);
      return new Guest(client, place);
    } catch (cause) {
      if (cause instanceof ConnectError) throw new GuestError('broker', `${place} was not reached: ${cause.message}.`, { cause });
      throw cause;
    }
  }

  /** The last payload of each topic subscribed to, without those that are cleared. */
  get last(): ReadonlyMap<string, string> {
    return this.#last;
  }

  /** Throws GuestError. */
  async subscribe(filters: readonly string[]): Promise<void> {
    await this.#orLost(this.#client.subscribeAsync(Object.fromEntries(filters.map((filter) => [filter, { qos: 1 as const }]))));
  }

  /** Subscribes, and waits for what is retained there: at least for the `expected` topics as long as they may take, then until nothing more comes. Throws GuestError. */
  async read(filters: readonly string[], expected: readonly string[] = []): Promise<void> {
    const begun = performance.now();
    let heardAt = begun;
    const listener: Listener = () => {
      heardAt = performance.now();
    };
    this.#listeners.add(listener);
    try {
      await this.subscribe(filters);
      heardAt = Math.max(heardAt, performance.now());
      for (;;) {
        const now = performance.now();
        const isWaiting = expected.some((topic) => !this.#last.has(topic)) && now - begun < RETAINED_MS;
        if (!isWaiting && now - heardAt >= QUIET_MS) return;
        await this.#orLost(sleep(QUIET_MS / 4));
      }
    } finally {
      this.#listeners.delete(listener);
    }
  }

  /** Publishes, and gives the first thing that `find` makes of a message which comes then; undefined where none does in time. Throws GuestError. */
  async ask<T>(
    { topic, payload }: { readonly topic: string; readonly payload: string },
    find: (topic: string, payload: string) => T | undefined,
    timeoutMs: number,
  ): Promise<T | undefined> {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    const listener: Listener = (heard, said) => {
      const found = find(heard, said);
      if (found !== undefined) resolve(found);
    };
    this.#listeners.add(listener);
    const timer = setTimeout(() => resolve(undefined), timeoutMs);
    try {
      await this.#orLost(this.#client.publishAsync(topic, payload, { qos: 1, retain: false }));
      return await this.#orLost(promise);
    } finally {
      clearTimeout(timer);
      this.#listeners.delete(listener);
    }
  }

  async leave(): Promise<void> {
    await this.#client.endAsync().catch(() => undefined);
  }

  async #orLost<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#lost]);
    } catch (cause) {
      if (cause instanceof GuestError) throw cause;
      throw new GuestError('broker', `${this.#place}: ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
    }
  }
}
