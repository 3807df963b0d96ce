import { rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConnectError, probeBroker } from '../../src/mqtt/connect.ts';
import { makeCertificates } from '../support/network/certificates.ts';
import { connectedClient as connect } from '../support/network/connectedClient.ts';
import { type MosquittoOptions, passwordFile, startMosquitto } from '../support/network/mosquitto.ts';
import { startProxy } from '../support/network/proxy.ts';
import { tempDir } from '../support/system/testSystem.ts';
import { untilSo } from '../support/system/untilSo.ts';

const folder = (): string => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

const mosquitto = async (options: MosquittoOptions = {}) => {
  const broker = await startMosquitto(options);
  onTestFinished(() => broker.stop());
  return broker;
};

test('the version of MQTT is 5 where the broker speaks it', async () => {
  const { versions } = connect({ url: (await mosquitto()).url });
  await untilSo(() => versions.length > 0);
  expect(versions).toEqual(['5']);
});

describe('user and password', () => {
  const guarded = async () => {
    const file = passwordFile(folder(), 'bridge', 'secret');
    return mosquitto({ config: ['allow_anonymous false', `password_file ${file}`] });
  };

  test.each(['5', '3.1.1'] as const)('let in with MQTT %s', async (version) => {
    const { url } = await guarded();
    const { versions } = connect({ url, version, username: 'bridge', password: 'secret' });
    await untilSo(() => versions.length > 0);
    const inUrl = connect({ url: url.replace('//', '//bridge:secret@'), version, clientId: 'other' });
    await untilSo(() => inUrl.versions.length > 0);
  });

  test.each(['5', '3.1.1', 'auto'] as const)(
    'that are wrong are told in one sentence with MQTT %s, without the password',
    async (version) => {
      const { url } = await guarded();
      const { warned, logged, pauses } = connect({ url, version, username: 'bridge', password: 'wrong-word' });
      await untilSo(() => pauses.length >= 3);
      expect(warned()).toHaveLength(1);
      expect(warned()).toMatchObject([{ facts: { why: expect.stringMatching(/: (user name|not authorised).*mqtt\.username/) } }]);
      expect(JSON.stringify(logged)).not.toContain('wrong-word');
    },
  );
});

describe('TLS', () => {
  test('with an authority of its own', async () => {
    const { config, ca } = makeCertificates(folder());
    const { url } = await mosquitto({ config, tls: true });
    const { versions, client } = connect({ url, ca });
    await untilSo(() => versions.length > 0);
    await client.publish({ topic: 'x', payload: 'y', retain: false });
  });

  test('what is wrong is told in one sentence', async () => {
    const { config, stranger, ca } = makeCertificates(folder());
    const { url, port } = await mosquitto({ config, tls: true });
    const plain = await mosquitto();
    for (const [options, sentence] of [
      [{ url, ca: stranger }, /signed by an unknown authority: set mqtt\.ca/],
      [{ url }, /signed by an unknown authority: set mqtt\.ca/],
      [{ url: `mqtts://localhost:${port}`, ca }, /another host name than the one in mqtt\.url/],
      [{ url: `mqtts://127.0.0.1:${plain.port}`, ca }, /this port does not use TLS|has no TLS at this port \(mqtt:/],
      [{ url: url.replace('mqtts:', 'mqtt:') }, /it requires TLS \(mqtts:/],
      [{ url, ca: 'no certificate' }, /mqtt\.ca/],
    ] as const) {
      const { warned, versions } = connect({ ...options, version: '5', answerMs: 2000 });
      await untilSo(() => warned().length > 0);
      expect(versions).toEqual([]);
      expect(warned()).toMatchObject([{ sentence: 'broker not reached; trying again', facts: { why: expect.stringMatching(sentence) } }]);
    }
  });
});

describe('what the broker says of itself', () => {
  test('its limit for a message is kept, and what is longer is refused without being sent', async () => {
    const { url } = await mosquitto({ config: ['max_packet_size 2000'] });
    const { client, versions, ends } = connect({ url });
    await untilSo(() => versions.length > 0);
    await client.publish({ topic: 'x', payload: 'y'.repeat(1900), retain: true });
    const failure = await client.publish({ topic: 'x', payload: 'y'.repeat(2001), retain: true }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectError);
    expect(failure).toMatchObject({ why: 'refused', message: expect.stringContaining('the limit of the broker is 2000') });
    expect(ends()).toBe(0);
  });

  test.each([
    ['retain_available false', '5', true, /does not support retained messages.*retain_available/],
    ['retain_available false', '5', false, /does not support retained messages.*retain_available/],
    ['retain_available false', '3.1.1', true, /A broker without retained messages or QoS 1/],
    ['max_qos 0', 'auto', true, /does not accept messages with QoS 1.*max_qos/],
    ['max_qos 0', '5', false, /does not accept messages with QoS 1.*max_qos/],
    ['max_qos 0', '3.1.1', true, /A broker without retained messages or QoS 1/],
  ] as const)(
    'with %s and MQTT %s (a will: %s) it is no broker for the bridge, which tells so, and so does a test of it',
    async (config, version, hasWill, sentence) => {
      const { url } = await mosquitto({ config: [config] });
      const will = hasWill ? { will: { topic: 'base/bridge/state', payload: 'offline' } } : {};
      const { warned, versions, pauses } = connect({ url, version, ...will });
      await untilSo(() => pauses.length >= 4);
      expect(versions).toEqual([]);
      // No faster than for any broker that is away.
      expect(Math.min(...pauses.slice(2))).toBeGreaterThan(2000);
      expect(warned()).toMatchObject([{ sentence: 'broker not reached; trying again', facts: { why: expect.stringMatching(sentence) } }]);
      await expect(probeBroker({ url, clientId: 'probe', version, ...will })).rejects.toThrow(sentence);
    },
  );

  test('how many messages may wait for their acknowledgement', async () => {
    const { url } = await mosquitto({ config: ['max_inflight_messages 5'] });
    const { client, versions } = connect({ url });
    await untilSo(() => versions.length > 0);
    expect(client.window).toBe(4);
  });
});

test.each(['5', '3.1.1'] as const)(
  'topics with a dot are published with MQTT %s also after two connections that end at them by chance',
  async (version) => {
    const proxy = await startProxy((await mosquitto()).port);
    onTestFinished(() => proxy.close());
    proxy.cutAt((topic) => topic.includes('.') && proxy.connects.length <= 2);
    const { client, versions } = connect({ url: proxy.url, version }, 1, async () => {
      await client.publish({ topic: 'state', payload: 'online', retain: true });
      client.publish({ topic: 'a.b', payload: 'x', retain: true }).catch(() => undefined);
    });
    await untilSo(() => versions.length === 3);
    await client.publish({ topic: 'a.b', payload: 'y', retain: true });
    expect([versions, client.refusesDots]).toEqual([[version, version, version], false]);
  },
);
