import { once } from 'node:events';
import { createServer } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Aedes, type AedesOptions } from 'aedes';
import { expect, onTestFinished, test } from 'vitest';
import { readAllRetained } from '../../../src/mqtt/readRetained.ts';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';

type Subscribing = NonNullable<AedesOptions['authorizeSubscribe']>;

/** A broker with one retained message in the base `heat`; gives a search on it. */
const brokerWith = async (authorizeSubscribe: Subscribing) => {
  const broker = await Aedes.createBroker({ authorizeSubscribe });
  const server = createServer(broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    broker.close();
  });
  const message = { topic: 'heat/home/name', payload: Buffer.from('home'), retain: true, qos: 0, cmd: 'publish', dup: false } as const;
  await new Promise<void>((resolve) => broker.publish(message, () => resolve()));
  const address = server.address();
  const url = `mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return (signal: AbortSignal, clock: Clock = systemClock) =>
    readAllRetained({
      options: { url, username: '', password: '', version: '3.1.1', clientId: 'search' },
      ...{ common: 'homeassistant/#', own: 'heat/#', kept: (_, payload) => payload.toString(), clock, signal },
    });
};

const works: Subscribing = (_, subscription, done) => done(null, subscription);
const never = new AbortController().signal;

test.each<[what: string, subscribing: Subscribing]>([
  ['is lost while it is asked', (client) => client?.conn.destroy()],
  [
    'is lost after a part of it',
    (client, subscription, done) => (subscription.topic === 'heat/#' ? client?.conn.destroy() : done(null, subscription)),
  ],
])('a broker that %s has told nothing, and others are asked after it', async (_, subscribing) => {
  const [lost, sound] = [await brokerWith(subscribing), await brokerWith(works)];
  const found = [lost(never), sound(never)];
  expect(await found[0]).toBe(undefined);
  expect(await found[1]).toEqual(new Map([['heat/home/name', 'home']]));
});

test('a search that is stopped while the broker says nothing holds up no other', async () => {
  const [silent, sound] = [await brokerWith(() => undefined), await brokerWith(works)];
  const stopped = new AbortController();
  const first = silent(stopped.signal);
  setTimeout(() => stopped.abort(), 300);
  expect(await first).toBe(undefined);
  expect(await sound(never)).toEqual(new Map([['heat/home/name', 'home']]));
});

test('what a broker refuses is left out', async () => {
  const search = await brokerWith((_, subscription, done) =>
    subscription.topic === 'heat/#' ? done(null, null) : done(null, subscription),
  );
  expect(await search(never)).toEqual(new Map());
});

/** A clock for which the time limit for an answer is over after a second. */
const hasty: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms === 20_000 ? 1000 : ms, signal) };

test('a broker that never answers a subscription is left, and others are asked after it', async () => {
  const [silent, sound] = [await brokerWith(() => undefined), await brokerWith(works)];
  const past: Clock = { ...hasty, elapsedMs: () => Number.NaN };
  const found = [silent(never, past), sound(never)];
  expect(await found[0]).toBe(undefined);
  expect(await found[1]).toEqual(new Map([['heat/home/name', 'home']]));
});

test('the time limit is for the answer, not for the whole search', async () => {
  const search = await brokerWith(works);
  // Each of both reads takes 0.7 s.
  expect(await search(never, hasty)).toEqual(new Map([['heat/home/name', 'home']]));
});

test('what one search has found is not kept while others wait', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const search = await brokerWith(works);
  const first = search(never).then((found) => new WeakRef(found ?? {}));
  const second = search(never);
  const found = await first;
  // A reference is kept for the rest of its turn.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(found.deref()).toBe(undefined);
  expect(await second).toEqual(new Map([['heat/home/name', 'home']]));
});
