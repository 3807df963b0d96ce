import type { IPublishPacket, MqttClient } from 'mqtt';
import type { Clock } from '../shared/clock.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import { type BrokerOptions, leaveBroker, visitBroker } from './connect.ts';

/** Retained messages follow the subscription, without an end mark. After this pause they are complete. */
const QUIET_MS = 700;
/** Time limit for expected topics. */
const EXPECTED_MS = 2500;
/** Time limit for a broker that sends messages without a pause. */
const LONGEST_MS = 60_000;
/** Time limit for a broker that neither answers a subscription nor sends anything. */
const SILENT_MS = 20_000;

export type ReadOptions = {
  readonly quietMs?: number;
  /** Topics to wait for, for some seconds. */
  readonly expected?: readonly string[];
  /** Keeps the subscription. */
  readonly stays?: boolean;
  /** A topic to subscribe to last: brokers send the matches of the filters before they answer that. */
  readonly last?: string | undefined;
  readonly signal?: AbortSignal;
  /** The part of a payload to keep in memory until all is read; undefined to skip it. */
  readonly kept?: (topic: string, payload: Buffer) => string | undefined;
};

/** The broker has not answered a subscription. */
class SilentBrokerError extends Error {}

/** The retained messages of these filters, by topic. Rejects if the broker refuses or does not answer. */
export const readRetained = async (
  client: MqttClient,
  filters: readonly string[],
  clock: Clock,
  { quietMs = QUIET_MS, expected = [], stays = false, last, signal, kept = (_, payload) => payload.toString() }: ReadOptions = {},
): Promise<Map<string, string>> => {
  const retained = new Map<string, string>();
  const startMs = clock.elapsedMs();
  let lastMs = startMs;
  const onMessage = (topic: string, payload: Buffer, { retain }: IPublishPacket): void => {
    if (!retain || payload.length === 0) return;
    lastMs = clock.elapsedMs();
    const text = kept(topic, payload);
    if (text !== undefined) retained.set(topic, text);
  };
  const ended = new AbortController();
  const silence = async (): Promise<never> => {
    for (let restMs = SILENT_MS; restMs > 0; restMs = lastMs + SILENT_MS - clock.elapsedMs())
      await clock.sleep(restMs, signal ? AbortSignal.any([signal, ended.signal]) : ended.signal);
    throw new SilentBrokerError(`the broker has not answered a subscription for ${SILENT_MS / 1000} s`);
  };
  client.on('message', onMessage);
  try {
    // QoS 0: many QoS 1 messages can overflow a broker's queue, and NATS grants 63 such subscriptions.
    for (const asked of last === undefined ? [filters] : [filters, [last]])
      await Promise.race([client.subscribeAsync([...asked], { qos: 0 }), silence()]);
    ended.abort();
    lastMs = clock.elapsedMs();
    for (;;) {
      const isComplete = expected.every((topic) => retained.has(topic));
      const endMs = Math.max(lastMs + quietMs, isComplete ? 0 : startMs + EXPECTED_MS);
      const waitMs = Math.min(endMs, startMs + LONGEST_MS) - clock.elapsedMs();
      if (waitMs <= 0) return retained;
      await clock.sleep(Math.min(waitMs, quietMs / 4), signal);
    }
  } finally {
    ended.abort();
    client.off('message', onMessage);
    if (!stays && !client.disconnecting) client.unsubscribeAsync([...filters]).catch(() => undefined);
  }
};

/** One client's search: a filter that others may share, and its own filter. */
type Search = {
  readonly options: BrokerOptions;
  /** A filter that other clients may share. */
  readonly common: string;
  /** The part of the results of both that this client needs. */
  readonly kept: NonNullable<ReadOptions['kept']>;
  readonly own: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
};

type Found = ReadonlyMap<string, string>;
type Waiting = { readonly search: Search; readonly found: Map<string, string>; readonly done: (found: Found | undefined) => void };

/** By broker and common filter. */
const waiting = new Map<string, Waiting[]>();
const inTurn = oneAtATime();

/**
 * The same on a separate connection, for both filters, skipping refused ones. Undefined if the broker was not
 * reached, or lost before the end. The documents of hundreds of accounts take some hundred megabytes:
 * searches that wait at the same time share one read, later ones another, and each continues once it has its
 * own results.
 */
export const readAllRetained = (search: Search): Promise<Found | undefined> => {
  const { clientId: _, will: __, ...broker } = search.options;
  const key = JSON.stringify([broker, search.common]);
  const { promise, resolve } = Promise.withResolvers<Found | undefined>();
  const before = waiting.get(key) ?? [];
  waiting.set(key, [...before, { search, found: new Map(), done: resolve }]);
  if (before.length === 0) {
    void inTurn(async () => {
      const together = waiting.get(key) ?? [];
      waiting.delete(key);
      await readTogether(together).catch(() => undefined);
      for (const { done } of together) done(undefined);
    });
  }
  return promise;
};

/** Removes each search once it has its results, to free them while the others wait. */
const readTogether = async (searches: Waiting[]): Promise<void> => {
  const first = searches.map(({ search }) => search).find((search) => !search.signal.aborted);
  if (!first) return;
  const { options, common, clock } = first;
  const { client } = await visitBroker(options);
  const over = new AbortController();
  const { signal } = over;
  client.once('close', () => over.abort());
  for (const { search } of searches)
    search.signal.addEventListener('abort', () => searches.every((one) => one.search.signal.aborted) && over.abort(), { signal });
  if (searches.every(({ search }) => search.signal.aborted)) over.abort();
  const read = (filter: string, kept: Search['kept']): Promise<Found> =>
    readRetained(client, [filter], clock, { signal, kept }).catch((cause: unknown) => {
      if (cause instanceof SilentBrokerError) over.abort();
      return new Map();
    });
  await read(common, (topic, payload) => {
    for (const { search, found } of searches) {
      const text = search.kept(topic, payload);
      if (text !== undefined) found.set(topic, text);
    }
    return undefined;
  });
  for (let next = searches[0]; next && !signal.aborted; next = searches[0]) {
    const { search, found, done } = next;
    const own = search.signal.aborted ? [] : await read(search.own, search.kept);
    for (const [topic, payload] of own) found.set(topic, payload);
    done(signal.aborted ? undefined : found);
    searches.shift();
  }
  await leaveBroker(client);
};
