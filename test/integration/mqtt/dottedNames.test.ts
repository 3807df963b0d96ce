import type { AedesOptions } from 'aedes';
import { expect, onTestFinished, test } from 'vitest';
import type { BrokerClient } from '../../../src/mqtt/client.ts';
import { connectedClient as connect } from '../../support/network/connectedClient.ts';
import { brokerThat, endsAtDot } from '../../support/network/ruledBroker.ts';
import { SCHEDULE, startTestSystem, type TestSystem } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';

/** Two devices of a home, one with a dot in its name, at a broker that ends the connection at each topic with a dot. */
const dotted = async (): Promise<TestSystem> => {
  const brokerUrl = await brokerThat(endsAtDot);
  const of = { installation: '111222', gateway: '7571381699991111', exclude: [] };
  const devices = [
    { ...of, name: 'my.home', device: '0', features: [SCHEDULE] },
    { ...of, name: 'rooms', device: 'RoomControl-1', features: ['*'] },
  ];
  const system = await startTestSystem({ brokerUrl, overrides: { devices } });
  onTestFinished(() => system.close());
  return system;
};

test('at a broker that ends the connection at each topic with a dot, all other topics are there, and the name to change is said once', async () => {
  const { recorder, logged, untilSo } = await dotted();
  const problems = (): { readonly broker?: object } => JSON.parse(recorder.last('heating2mqtt/bridge/problems') ?? '{}');
  await untilSo(() => problems().broker !== undefined);
  expect(problems().broker).toEqual({ message: expect.stringContaining('Rename them in the settings'), dots: true });
  await recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/health');
  expect(recorder.last('heating2mqtt/bridge/state')).toBe('online');
  expect(recorder.last('heating2mqtt/rooms/availability')).toBe('online');
  const told = logged.filter(({ level }) => level === 'warn' || level === 'error');
  expect(told.filter(({ sentence }) => sentence.includes('name without "."'))).toHaveLength(1);
  expect(told.filter(({ sentence }) => sentence.includes('another client'))).toEqual([]);
  expect(told.filter(({ sentence }) => sentence === 'connection to the broker lost')).toHaveLength(2);
});

/** A connection begins as that of a bridge: a subscription, the state, then values together. */
const begin = async (client: BrokerClient): Promise<void> => {
  await client.subscribe(['a.b/set']).catch(() => undefined);
  for (const topics of [['state'], ['a.b/1', 'a.b/2', 'c']])
    await Promise.allSettled(topics.map((topic) => client.publish({ topic, payload: 'x', retain: true })));
};

test.each([1, 3])('%i nodes that end the connection at each topic with a dot are no other client with the same id', async (nodes) => {
  const [url = '', ...others] = await Promise.all(Array.from({ length: nodes }, () => brokerThat(endsAtDot)));
  const { client, versions, warned } = connect({ url, others: others.map((other) => ({ url: other })) }, 1, begin);
  await untilSo(() => client.refusesDots);
  await untilSo(() => versions.length === 3);
  await client.publish({ topic: 'c', payload: 'y', retain: true });
  expect(warned().map(({ sentence }) => sentence)).toEqual(Array(2).fill('connection to the broker lost'));
});

type Asked = NonNullable<AedesOptions['authorizeSubscribe']>;
const closes: Asked = (_, __, done) => done(new Error('closed'));
const accepts: Asked = (_, subscription, done) => done(null, subscription);

/** A client of MQTT 3.1.1 at a broker that ends the connection at so many publications with a dot, and answers the questions so. */
const askedAt = async (ends: number, answer: (question: number) => Asked, acknowledgeMs = 30_000) => {
  const counts = { ended: 0, asked: 0 };
  const url = await brokerThat({
    authorizePublish: (_, { topic }, done) => {
      const isEnd = topic.includes('.') && counts.ended < ends;
      if (isEnd) counts.ended += 1;
      done(isEnd ? new Error('no dots') : null);
    },
    authorizeSubscribe: (...asked) => {
      counts.asked += 1;
      answer(counts.asked)(...asked);
    },
  });
  const options = { url, version: '3.1.1', acknowledgeMs } as const;
  const connected = connect(options, 1, async (client) => {
    await client.publish({ topic: 'state', payload: 'online', retain: true });
    client.publish({ topic: 'a.b', payload: 'x', retain: true }).catch(() => undefined);
  });
  return { ...connected, counts };
};

test('a connection that ends by chance while the broker is asked about dots never counts as begun, and the next one asks again', async () => {
  const { client, versions, ends, counts } = await askedAt(2, (question) => (question === 1 ? closes : accepts));
  await untilSo(() => ends() === 3);
  await untilSo(() => versions.length >= 3);
  await client.publish({ topic: 'a.b', payload: 'y', retain: true });
  expect([versions.length, ends(), counts.asked, client.refusesDots]).toEqual([3, 3, 2, false]);
});

test.each([
  ['closes', closes],
  ['is silent', () => undefined],
] as const)('a broker that %s where it is asked about dots gets none, and the connection stays', async (_, answer) => {
  const { client, versions, warned, ends, counts } = await askedAt(Number.POSITIVE_INFINITY, () => answer, 300);
  await untilSo(() => client.refusesDots);
  await untilSo(() => versions.length === 3);
  await client.publish({ topic: 'c', payload: 'y', retain: true });
  expect([ends(), counts.asked]).toEqual([4, 2]);
  expect(warned().map(({ sentence }) => sentence)).toEqual(Array(4).fill('connection to the broker lost'));
  await expect(client.publish({ topic: 'a.b', payload: 'y', retain: true })).rejects.toThrow('each topic with a "."');
});
