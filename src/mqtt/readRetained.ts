import type { IPublishPacket, MqttClient } from 'mqtt';
import type { Clock } from '../shared/clock.ts';
import { oneAtATime } from '../shared/serialQueue.ts';
import { type BrokerOptions, leaveBroker, visitBroker } from './connect.ts';

/** Brokers send retained messages right after the subscription and do not mark their end. After this pause they are complete. */
const QUIET_MS = 700;
/** Time limit for expected topics. */
const EXPECTED_MS = 2500;
/** Time limit for a broker that sends messages without a pause. */
const LONGEST_MS = 60_000;
/** Time limit for a broker that neither answers a subscription nor sends anything. */
const SILENT_MS = 20_000;

export type ReadOptions = {
  readonly quietMs?: number;
  /** Topics that are waited for some seconds. */
  readonly expected?: readonly string[];
  /** The subscription stays. */
  readonly stays?: boolean;
  /** A topic that is subscribed to after the filters: brokers send what the filters match before they answer that, however slow they are. */
  readonly last?: string | undefined;
  readonly signal?: AbortSignal;
  /** What of a payload is kept in memory until all is read; undefined for what is left out. */
  readonly kept?: (topic: string, payload: Buffer) => string | undefined;
};

/** The broker has not answered a subscription. */
class SilentBrokerError extends Error {}

/** The retained messages that these filters match, by topic. Rejects if the broker refuses the subscription, or does not answer it. */
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
    throw new SilentBrokerError(`it has not answered a subscription for ${SILENT_MS / 1000} s`);
  };
  client.on('message', onMessage);
  try {
    // QoS 0, because many QoS 1 messages can overflow a broker's queue of unacknowledged messages, and NATS grants 63 such subscriptions.
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

/** Of one client: what it looks for where others may look for the same, and what is its own. */
type Search = {
  readonly options: BrokerOptions;
  /** A filter that others may have too. */
  readonly common: string;
  /** What of both this client has to have. */
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
 * The same on a connection of its own, for both filters; what the broker refuses is left out. Undefined where the broker was not reached, or was
 * lost before all was read. The documents of hundreds of accounts have some hundred megabytes: those that wait at the same time read them
 * together, the others later, and each goes on once it has its own.
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

/** Takes each out of `searches` once it has its own: what it has found is not kept while the others wait. */
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
