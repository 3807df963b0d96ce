import { connectAsync, type IClientOptions } from 'mqtt';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { BrokerClient } from '../../src/mqtt/client.ts';
import type { Version } from '../../src/mqtt/connect.ts';
import { packetBytes } from '../../src/mqtt/packet.ts';
import { systemClock } from '../../src/shared/clock.ts';
import type { Incoming } from '../../src/shared/message.ts';
import { topicMistake } from '../../src/shared/topicName.ts';
import { type Mosquitto, startMosquitto } from '../support/network/mosquitto.ts';
import { recordingLog } from '../support/system/testSystem.ts';

const levels = (count: number): string => Array(count).fill('a').join('/');
const CONNECTIONS: readonly (readonly [Version, IClientOptions])[] = [
  ['3.1.1', { protocolVersion: 4 }],
  ['5', { protocolVersion: 5 }],
];

describe('what Mosquitto takes', () => {
  let broker: Mosquitto | undefined;
  beforeAll(async () => {
    broker = await startMosquitto({ config: ['max_packet_size 100000'] });
  });
  afterAll(() => broker?.stop());

  /** True where Mosquitto acknowledges the message, false where it closed the connection. */
  const takes = async (options: IClientOptions, topic: string, payload: string, correlationData?: Buffer): Promise<boolean> => {
    const client = await connectAsync(broker?.url ?? '', { reconnectPeriod: 0, ...options });
    client.on('error', () => undefined);
    const closed = new Promise<false>((resolve) => client.once('close', () => resolve(false)));
    const properties = correlationData ? { properties: { correlationData } } : {};
    const taken = client.publishAsync(topic, payload, { qos: 1, ...properties }).then(
      () => true,
      () => false,
    );
    const answer = await Promise.race([taken, closed]);
    client.end(true);
    return answer;
  };

  describe.each(CONNECTIONS)('with MQTT %s', (version, options) => {
    test.each([
      ...[1, 199, 200, 201, 202, 203, 250].map(levels),
      'a'.repeat(65_535),
      ...'\0\x01\t\x1f\x7f\x80\x85\x9f\ufdd0\ufdef\ufffe\uffff\u{1fffe}\u{10ffff}+#'.split(/(?:)/u).map((one) => `a${one}b`),
      ...[' ', '\xa0', '\xad', '\u200b', '\u2028', '\ue000', '\ufeff', '\ufffd', '😀', '//', '$', '%', '"'].map((one) => `a${one}b`),
    ])('%j: whatever we would publish on is taken', async (topic) => {
      const isTaken = await takes(options, topic, 'x');
      if (topicMistake(topic) === undefined) expect(isTaken).toBe(true);
      // But for one level that is left to the caution of others.
      else if (topic !== levels(201)) expect(isTaken).toBe(false);
    });

    test.each<[topic: number, correlation: number]>([
      [1, 0],
      [100, 0],
      [20_000, 0],
      [1, 1],
      [30, 200],
      [300, 20_000],
    ])('bytes of a packet with a topic of %i and correlation data of %i are counted as it counts them', async (topicBytes, correlation) => {
      const data = version === '5' && correlation > 0 ? Buffer.alloc(correlation) : undefined;
      const message = { topic: 'a'.repeat(topicBytes), payload: '', ...(data ? { correlationData: data } : {}) };
      // Mosquitto does not count the bytes of the length, which are three here.
      const bytes = (payload: number): number => packetBytes({ ...message, payload: 'x'.repeat(payload) }, version) - 3;
      const longest = 100_000 - bytes(50_000) + 50_000;
      expect(bytes(longest)).toBe(100_000);
      expect(await takes(options, message.topic, 'x'.repeat(longest), data)).toBe(true);
      expect(await takes(options, message.topic, 'x'.repeat(longest + 1), data)).toBe(false);
    });
  });
});

describe('the bridge at the broker', () => {
  const connected = async (maximumPacketSize?: number) => {
    const broker = await startMosquitto();
    onTestFinished(() => broker.stop());
    const heard: Incoming[] = [];
    const ready = Promise.withResolvers<void>();
    let falls = 0;
    const events = {
      connected: async () => {
        await client.subscribe(['to/#']);
        ready.resolve();
      },
      disconnected: () => {
        falls += 1;
      },
      message: (message: Incoming) => void heard.push(message),
    };
    const limit = maximumPacketSize === undefined ? {} : { maximumPacketSize };
    const client = new BrokerClient({ url: broker.url, clientId: 'test', version: '5', ...limit }, systemClock, recordingLog([]));
    onTestFinished(() => client.stop());
    client.start(events);
    await ready.promise;
    const other = await connectAsync(broker.url, { reconnectPeriod: 0 });
    onTestFinished(() => other.endAsync());
    return { client, other, heard, falls: () => falls };
  };

  test.each<[what: string, message: { readonly topic: string }, why: string]>([
    ['a topic of 65,536 bytes', { topic: 'a'.repeat(65_536) }, '65536 bytes'],
    ['a topic of 250 levels', { topic: levels(250) }, '250 levels'],
    ['a topic with a line feed', { topic: 'a\nb' }, 'control character'],
  ])('%s is refused without being sent, and the connection stands', async (_what, message, why) => {
    const { client, falls } = await connected();
    const failure = client.publish({ payload: 'x', retain: false, ...message });
    await expect(failure).rejects.toMatchObject({ why: 'refused', message: expect.stringContaining(why) });
    await client.publish({ topic: 'a', payload: 'x', retain: false });
    expect(falls()).toBe(0);
  });

  test('says how long a packet may be: what is longer never comes, and the connection stands', async () => {
    const { other, heard, falls } = await connected(10_000);
    await other.publishAsync('to/us', 'x'.repeat(10_000), { qos: 1 });
    await other.publishAsync('to/us', 'x'.repeat(9_000), { qos: 1 });
    await expect.poll(() => heard.length).toBe(1);
    expect(heard[0]?.payload).toHaveLength(9_000);
    expect(falls()).toBe(0);
  });
});
