import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BrokerClient } from '../../../src/mqtt/client.ts';
import { ConnectError, probeBroker, type Version } from '../../../src/mqtt/connect.ts';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { connectedClient as connect } from '../../support/network/connectedClient.ts';
import { freePort } from '../../support/network/freePort.ts';
import { startProxy } from '../../support/network/proxy.ts';
import { startTestBroker, VERSIONS } from '../../support/network/testBroker.ts';
import { recordingLog } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';

const aedes = async () => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  return broker;
};

const testBroker = async () => {
  const broker = await startTestBroker();
  onTestFinished(() => broker.close());
  return broker;
};

const proxied = async (broker: Promise<{ readonly port: number }> = aedes()) => {
  const proxy = await startProxy((await broker).port);
  onTestFinished(() => proxy.close());
  return proxy;
};

describe('several addresses', () => {
  test('are tried in turn, each with its user, and which one is used is told', async () => {
    const [a, b] = [await proxied(), await proxied()];
    const nobody = `mqtt://127.0.0.1:${await freePort()}`;
    const { client, versions, logged } = connect({
      url: nobody,
      others: [{ url: a.url, username: 'u', password: 'secret' }, { url: b.url }],
    });
    await untilSo(() => versions.length === 1);
    expect(client.options).toMatchObject({ url: a.url, username: 'u', password: 'secret' });
    a.cut();
    await untilSo(() => versions.length === 2);
    b.cut();
    // The first one is still not there.
    await untilSo(() => versions.length === 3);
    expect(logged.filter(({ level }) => level !== 'debug').map(({ sentence, facts }) => [sentence, facts])).toMatchObject([
      ['broker not reached; trying again', { url: nobody }],
      ['connected to the broker', { url: a.url }],
      ['connection to the broker lost', { url: a.url }],
      ['connected to the broker at another address; everything is published again', { url: b.url }],
      ['connection to the broker lost', { url: b.url }],
      ['connected to the broker at another address; everything is published again', { url: a.url }],
    ]);
    expect(JSON.stringify(logged)).not.toContain('secret');
  });

  test('that are away are passed over within a second each, and only a round of all of them doubles the pause', async () => {
    const away = await Promise.all(Array.from({ length: 4 }, () => freePort()));
    const [url = '', ...others] = away.map((port) => `mqtt://127.0.0.1:${port}`);
    const { pauses } = connect({ url, others: others.map((other) => ({ url: other })) });
    await untilSo(() => pauses.length >= 12);
    // Each pause is up to a fifth longer or shorter.
    const seconds = pauses.slice(0, 12).map((ms) => 2 ** Math.round(Math.log2(ms / 1000)));
    expect(seconds).toEqual([1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 4]);
  });

  test('have their own version of MQTT', async () => {
    const [old, other] = [await proxied(), await proxied()];
    old.v5 = 'close';
    const { versions } = connect({ url: other.url, others: [{ url: old.url }] });
    await untilSo(() => versions.length === 1);
    other.cut();
    await untilSo(() => versions.length === 2);
    expect(old.connects).toEqual([5, 4]);
  });
});

describe('the version of MQTT', () => {
  test('is 3.1.1 where the broker refuses 5', async () => {
    const { versions, warned } = connect({ url: (await aedes()).url });
    await untilSo(() => versions.length > 0);
    expect(versions).toEqual(['3.1.1']);
    expect(warned()).toEqual([]);
  });

  test.each(['close', 'ignore'] as const)('is 3.1.1 where the answer to 5 is to %s', async (v5) => {
    const proxy = await proxied();
    proxy.v5 = v5;
    // What is ignored is waited for.
    const { versions, warned } = connect({ url: proxy.url, ...(v5 === 'ignore' ? { answerMs: 500 } : {}) });
    await untilSo(() => versions.length > 0);
    expect(versions).toEqual(['3.1.1']);
    // On a busy machine the answer to 3.1.1 may take longer, too.
    expect(proxy.connects.slice(0, 2)).toEqual([5, 4]);
    expect(warned()).toEqual([]);
  });

  test('stays what it was when the connection is cut', async () => {
    const proxy = await proxied();
    const { versions } = connect({ url: proxy.url });
    await untilSo(() => versions.length === 1);
    proxy.cut();
    await untilSo(() => versions.length === 2);
    expect(proxy.connects).toEqual([5, 4, 4]);
  });

  test('that is fixed and not spoken is told with what to do', async () => {
    const { url } = await aedes();
    const { warned } = connect({ url, version: '5' });
    await untilSo(() => warned().length > 0);
    expect(warned()).toMatchObject([{ facts: { why: expect.stringContaining('set mqtt.version to auto') } }]);
  });

  test('is found by the probe, too', async () => {
    const proxy = await proxied();
    for (const v5 of ['pass', 'close', 'ignore'] as const) {
      proxy.v5 = v5;
      await expect(probeBroker({ url: proxy.url, clientId: 'probe', version: 'auto', answerMs: 2000 })).resolves.toMatchObject({
        version: '3.1.1',
      });
    }
  });
});

describe('a broker that is not there', () => {
  test('is told once, and found when it comes', async () => {
    const port = await freePort();
    const { versions, warned, logged } = connect({ url: `mqtt://127.0.0.1:${port}` });
    await untilSo(() => warned().length > 0);
    const broker = await startEmbeddedBroker(port);
    onTestFinished(() => broker.close());
    await untilSo(() => versions.length > 0);
    expect(warned()).toMatchObject([{ facts: { why: expect.stringContaining('nothing listens there') } }]);
    expect(logged.at(-1)).toMatchObject({ level: 'info', sentence: 'connected to the broker' });
  });

  test('for a while is told once, when it goes and when it is back', async () => {
    const first = await startEmbeddedBroker(0);
    const { versions, ends, logged, pauses } = connect({ url: first.url });
    await untilSo(() => versions.length > 0);
    await first.close();
    await untilSo(() => ends() === 1);
    const from = logged.findIndex(({ sentence }) => sentence === 'connected to the broker');
    const before = pauses.length;
    await untilSo(() => pauses.length >= before + 3);
    const second = await startEmbeddedBroker(first.port);
    onTestFinished(() => second.close());
    await untilSo(() => versions.length === 2);
    expect(
      logged
        .slice(from)
        .filter(({ level }) => level !== 'debug')
        .map(({ sentence }) => sentence),
    ).toEqual(['connected to the broker', 'connection to the broker lost', 'connected to the broker again']);
  });

  test('hinders no stop, nor does one that says nothing', async () => {
    const mute = createServer(() => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => void mute.close());
    await once(mute, 'listening');
    const address = mute.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { client } = connect({ url: `mqtt://127.0.0.1:${port}`, answerMs: 60_000 });
    await once(mute, 'connection');
    await client.stop();
  });

  test('any more, with a message under way, hinders no stop', async () => {
    const proxy = await proxied();
    const { client, versions, ends } = connect({ url: proxy.url });
    await untilSo(() => versions.length > 0);
    proxy.stall();
    const lost = client.publish({ topic: 'x', payload: '1', retain: false }).catch(() => undefined);
    await client.stop();
    expect(ends()).toBe(versions.length);
    void lost;
  });
});

test('a connection that is taken away again and again is told once, and once more when it lasts', async () => {
  const proxy = await proxied();
  const { versions, logged, pauses } = connect({ url: proxy.url });
  const of = (level: string) => logged.filter((one) => one.level === level).map(({ sentence }) => sentence);
  for (let connection = 1; connection <= 4; connection += 1) {
    await untilSo(() => versions.length === connection);
    proxy.cut();
  }
  await untilSo(() => versions.length === 5 && of('info').length === 4);
  expect(of('error')).toEqual([expect.stringContaining('is another bridge running with the same client id?')]);
  // Two were told before the third one that was short; the last after as long as a competing client would have taken.
  expect(of('info')).toEqual(['connected to the broker', ...Array(3).fill('connected to the broker again')]);
  expect(pauses.at(-1)).toBeGreaterThanOrEqual(30_000);
});

test('a broker that ends each connection at its first message is told once, with what it has to take', async () => {
  const proxy = await proxied();
  proxy.cutAt(() => true);
  const { client, versions, logged, warned } = connect({ url: proxy.url });
  const publishedOn = async (connection: number): Promise<boolean> => {
    await untilSo(() => versions.length >= connection);
    return client.publish({ topic: 'x', payload: '1', retain: true }).then(
      () => true,
      () => false,
    );
  };
  for (let connection = 1; connection <= 6; connection += 1) expect(await publishedOn(connection)).toBe(false);
  expect(warned().map(({ sentence }) => sentence.slice(0, 52))).toEqual([
    'connection to the broker lost',
    'connection to the broker lost',
    'the broker closes each connection at its first messa',
  ]);
  proxy.cutAt(() => false);
  expect(await publishedOn(7)).toBe(true);
  expect(logged.at(-1)).toMatchObject({ level: 'info', sentence: 'connected to the broker again' });
});

test.each([
  [10, 9],
  [1, 1],
  [0xffff, 128],
])('of the %i messages that a broker takes at a time %i are for the queue', async (receiveMaximum, window) => {
  const connack = Buffer.from([0x20, 6, 0, 0, 3, 0x21, receiveMaximum >> 8, receiveMaximum & 0xff]);
  const broker = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.write(connack)));
  onTestFinished(() => void broker.close());
  await once(broker.listen(0, '127.0.0.1'), 'listening');
  const address = broker.address();
  const { client, versions } = connect({ url: `mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, version: '5' });
  await untilSo(() => versions.length > 0);
  expect(client.window).toBe(window);
});

/** A broker of MQTT 5 that answers with these bytes, then as `answer` does to each packet. */
const scripted = async (
  connack: readonly number[],
  answer: (packet: Buffer, write: (...bytes: readonly number[]) => void) => void,
): Promise<string> => {
  const broker = createServer((socket) => {
    let rest = Buffer.alloc(0);
    let isFirst = true;
    socket
      .on('error', () => undefined)
      .on('data', (bytes: Buffer) => {
        rest = Buffer.concat([rest, bytes]);
        for (let size = sizeOf(rest); size <= rest.length; size = sizeOf(rest)) {
          const packet = rest.subarray(0, size);
          rest = rest.subarray(size);
          const write = (...written: readonly number[]): unknown => socket.write(Buffer.from(written));
          if (isFirst) write(...connack);
          else answer(packet, write);
          isFirst = false;
        }
      });
  });
  onTestFinished(() => void broker.close());
  await once(broker.listen(0, '127.0.0.1'), 'listening');
  const address = broker.address();
  return `mqtt://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
};

/** The bytes of the first packet. */
const sizeOf = ([, low = 0x80, high = 0x80]: Buffer): number => (low < 0x80 ? 2 + low : high < 0x80 ? 3 + (low & 0x7f) + 128 * high : 1e9);

test('a connection that breaks while the broker is asked to subscribe is no refusal', async () => {
  const url = await scripted([0x20, 3, 0, 0, 0], (_, write) => write(0, 0, 0, 0));
  const { client, versions } = connect({ url, version: '5' });
  await untilSo(() => versions.length > 0);
  const fromMs = performance.now();
  await expect(client.subscribe(['a'])).rejects.toMatchObject({ why: 'network' });
  // At once: nothing that follows can be read.
  expect(performance.now() - fromMs).toBeLessThan(10_000);
});

test('a broker that takes one message at a time is sent one at a time', async () => {
  let underWay = 0;
  let most = 0;
  const url = await scripted([0x20, 6, 0, 0, 3, 0x21, 0, 1], (packet, write) => {
    if (packet[0] !== 0x32) return;
    underWay += 1;
    most = Math.max(most, underWay);
    const at = 4 + (packet[3] ?? 0);
    setTimeout(() => {
      underWay -= 1;
      write(0x40, 2, packet[at] ?? 0, packet[at + 1] ?? 0);
    }, 5);
  });
  const { client, versions } = connect({ url, version: '5' });
  await untilSo(() => versions.length > 0);
  await Promise.all(['a', 'b', 'c'].map((topic) => client.publish({ topic, payload: '1', retain: false })));
  expect(most).toBe(1);
});

test('a broker that refuses what each connection begins with is told once, with its reason, and nobody is suspected', async () => {
  const refusal = new ConnectError('refused', 'Publish error: Not authorized');
  const { versions, logged } = connect({ url: (await aedes()).url }, 1, () => Promise.reject(refusal));
  await untilSo(() => versions.length >= 7);
  const errors = logged.filter(({ level }) => level === 'error');
  expect(errors).toMatchObject([
    {
      sentence: expect.stringContaining('closes each connection at its first message'),
      facts: { why: expect.stringContaining('Not auth') },
    },
  ]);
});

describe('two bridges with one client id', () => {
  const run = async (url: string, version: Version): Promise<void> => {
    const first = connect({ url, version });
    await untilSo(() => first.versions.length === 1);
    const second = connect({ url, version });
    const lost = (of: ReturnType<typeof connect>) => of.warned().filter(({ level }) => level === 'error');
    await untilSo(() => lost(first).length === 1 && lost(second).length === 1);
    for (const each of [first, second]) {
      expect(lost(each)).toMatchObject([{ facts: { client_id: 'test' }, sentence: expect.stringContaining('mqtt.client_id') }]);
      expect(each.warned().filter(({ level }) => level === 'warn').length).toBeLessThanOrEqual(2);
    }
    for (const { pauses } of [first, second]) expect(pauses.at(-1)).toBeGreaterThan(pauses[0] ?? 0);
    const before = first.versions.length;
    await second.client.stop();
    await untilSo(() => first.versions.length > first.ends() && first.versions.length >= before);
  };

  test.each(VERSIONS)('with MQTT %s say it once each; after one has stopped the other is back', async (version) => {
    await run((await testBroker()).url, version);
  });
});

test('a client that is stopped where another one has its id leaves it to whoever stops it to say so', async () => {
  const { url } = await testBroker();
  let isStopped = false;
  const first = connect({ url, version: '3.1.1' }, 1, undefined, (client) => {
    isStopped = true;
    void client.stop();
    return true;
  });
  await untilSo(() => first.versions.length === 1);
  connect({ url, version: '3.1.1' });
  await untilSo(() => isStopped);
  await first.client.stop();
  expect(first.warned().filter(({ level }) => level === 'error')).toEqual([]);
});

test('a line that falls every 20 s is made again within a second each time, and nobody else is suspected', async () => {
  const proxy = await proxied(testBroker());
  // Every 20 s in a time that passes two hundred times as fast.
  const { versions, pauses, warned, ends } = connect({ url: proxy.url, answerMs: 20_000 }, 200);
  for (let fall = 1; fall <= 8; fall += 1) {
    await untilSo(() => versions.length === fall);
    await systemClock.sleep(100);
    proxy.cut();
    await untilSo(() => ends() === fall);
  }
  await untilSo(() => versions.length === 9);
  expect(Math.max(...pauses.filter((ms) => ms > 300))).toBeLessThanOrEqual(1200);
  expect(warned().filter(({ level }) => level === 'error')).toEqual([]);
});

describe('whether the client is stuck shows', () => {
  const ENOUGH_MS = 180_000;

  test('an attempt that does not end: it is overdue until it ends', async () => {
    const proxy = await proxied();
    proxy.stall();
    const { client } = connect({ url: proxy.url, answerMs: 2000 }, 200);
    await untilSo(() => client.stalledMs > ENOUGH_MS);
    await untilSo(() => client.stalledMs < ENOUGH_MS);
  });

  test('a connection without a packet: it is overdue until one comes', async () => {
    const { client, versions } = connect({ url: (await aedes()).url }, 100);
    await untilSo(() => versions.length > 0);
    await untilSo(() => client.stalledMs > ENOUGH_MS);
    const published = client.publish({ topic: 'a', payload: 'b', retain: false });
    await untilSo(() => client.stalledMs < ENOUGH_MS);
    await published;
  });

  test('a long pause between attempts: nothing is overdue', async () => {
    const clock = { elapsedMs: 0 };
    const pauses: number[] = [];
    const held = Promise.withResolvers<void>();
    const client = new BrokerClient(
      { clientId: 'test', version: '3.1.1', answerMs: 300, url: `mqtt://127.0.0.1:${await freePort()}` },
      {
        now: () => 0,
        elapsedMs: () => clock.elapsedMs,
        sleep: (ms) => {
          pauses.push(ms);
          return held.promise;
        },
      },
      recordingLog([]),
    );
    client.start({ connected: async () => undefined, disconnected: () => undefined, message: () => undefined });
    await untilSo(() => pauses.length > 0);
    const [pauseMs = 0] = pauses;
    clock.elapsedMs += pauseMs;
    expect(client.stalledMs).toBe(0);
    // The pause does not end.
    clock.elapsedMs += ENOUGH_MS + 1;
    expect(client.stalledMs).toBeGreaterThan(ENOUGH_MS);
    held.resolve();
    await client.stop();
  });
});
