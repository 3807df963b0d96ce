import { systemClock, within } from '../shared/clock.ts';
import { CodedError, messageOf } from '../shared/errors.ts';
import { type BrokerOptions, ConnectError, leaveBroker, visitBroker, withoutPassword } from './connect.ts';
import { readRetained } from './readRetained.ts';

/** The broker could not be reached, refused something, or closed the connection. */
class RequestClientError extends CodedError<'broker'> {}

/** After this pause, all retained messages have arrived. */
const QUIET_MS = 200;

/** A short connection to the broker: read topics, send requests. Everything throws RequestClientError. */
export const requestClient = async (options: BrokerOptions) => {
  const broker = `broker ${withoutPassword(options.url)}`;
  const { client } = await visitBroker(options).catch((cause: unknown) => {
    if (!(cause instanceof ConnectError)) throw cause;
    const end = cause.message.endsWith('?') ? '' : '.';
    throw new RequestClientError('broker', `The ${broker} could not be reached: ${cause.message}${end}`, { cause });
  });
  /** The last payload of each subscribed topic; cleared topics are missing. */
  const payloads = new Map<string, string>();
  const lost = new Promise<never>((_, reject) => {
    client.once('close', () => reject(new RequestClientError('broker', `The connection to the ${broker} was lost.`)));
  });
  lost.catch(() => undefined);
  client.on('message', (topic, bytes) => {
    if (bytes.length === 0) payloads.delete(topic);
    else payloads.set(topic, bytes.toString());
  });

  const subscribe = (filters: readonly string[]): Promise<unknown> =>
    orLost(readRetained(client, filters, systemClock, { quietMs: 0, stays: true }));

  /** Subscribes and waits for the retained messages; some seconds for the `expected` topics. */
  const subscribed = (filters: readonly string[], expected: readonly string[]): Promise<unknown> =>
    orLost(readRetained(client, filters, systemClock, { quietMs: QUIET_MS, expected, stays: true, last: filters.at(-1) }));

  /** Publishes; returns the first `find` result for a later message, or undefined after the time limit. */
  const request = async <T>(
    { topic, payload }: { readonly topic: string; readonly payload: string },
    find: (topic: string, payload: string) => T | undefined,
    timeoutMs: number,
  ): Promise<T | undefined> => {
    const { promise, resolve } = Promise.withResolvers<T>();
    const onMessage = (from: string, received: Buffer): void => {
      const found = find(from, received.toString());
      if (found !== undefined) resolve(found);
    };
    client.on('message', onMessage);
    try {
      // If the broker does not even accept the message, the time limit applies too.
      const taken = client.publishAsync(topic, payload, { qos: 1, retain: false });
      return await within(systemClock, timeoutMs, orLost(Promise.race([promise, taken.then(() => promise)])));
    } finally {
      client.off('message', onMessage);
    }
  };

  const orLost = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await Promise.race([work, lost]);
    } catch (cause) {
      if (cause instanceof RequestClientError) throw cause;
      throw new RequestClientError('broker', `The ${broker}: ${messageOf(cause)}.`, { cause });
    }
  };

  return { payloads, subscribe, readRetained: subscribed, request, close: () => leaveBroker(client) };
};

export type RequestClient = Awaited<ReturnType<typeof requestClient>>;
