import type { AedesOptions } from 'aedes';
import { expect, onTestFinished, test } from 'vitest';
import { brokerNeeds, testBroker } from '../../../src/cli/check/check.ts';
import { setupServices } from '../../../src/cli/setup/setupServices.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { serverSentenceDe } from '../../../src/language/setup/serverDe.ts';
import { probeBroker } from '../../../src/mqtt/connect.ts';
import { systemClock } from '../../../src/shared/clock.ts';
import { emptyFolder } from '../../support/cli/inProcess.ts';
import type { MqttRecorder } from '../../support/network/mqttRecorder.ts';
import { brokerThat, endsAtDot, turnsDots } from '../../support/network/ruledBroker.ts';
import { checked } from '../../support/system/checked.ts';
import { published } from '../../support/system/outcome.ts';
import { recordingLog, startTestSystem } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';

const SETTINGS = { mqtt: { base: 'h' }, homeassistant: { discovery: 'device', prefix: 'ha' } } as const;

/** As Mosquitto with MQTT 3.1.1, where the user may not write below this. */
const dropping = (below: string): AedesOptions => ({
  authorizePublish: (_, packet, done) => {
    if (packet.topic.startsWith(below)) packet.topic = 'dropped';
    done(null);
  },
});
const [CHECK, DOCUMENT, COMMAND] = ['h/bridge/check', 'ha/device/heating2mqtt_check/config', 'h/bridge/check/set'];
const unread = (...topics: readonly string[]) => topics.map((topic) => ({ right: 'read', topic }));

test.each<[what: string, rules: AedesOptions, missing: readonly object[]]>([
  ['refuses nothing', {}, []],
  ['forwards nothing', { authorizeForward: () => undefined as never }, unread(CHECK, DOCUMENT, COMMAND)],
  [
    'forwards all but commands',
    { authorizeForward: (_, packet) => (packet.topic.endsWith('/set') ? (undefined as never) : packet) },
    unread(COMMAND),
  ],
  ['takes documents, and drops them', dropping('ha/'), unread(DOCUMENT)],
  ['grants no subscription', { authorizeSubscribe: (_, __, done) => done(null, null) }, unread(CHECK, DOCUMENT, COMMAND)],
  [
    'ends the connection at a topic that may not be written',
    { authorizePublish: (_, packet, done) => done(packet.topic.startsWith('ha/') ? new Error('no') : null) },
    [{ right: 'write', topic: DOCUMENT, isClosed: true }],
  ],
  [
    'ends the connection at a filter of many levels',
    {
      authorizeSubscribe: (_, subscription, done) =>
        subscription.topic.split('/').length > 8 ? done(new Error('no')) : done(null, subscription),
    },
    [{ right: 'read', topic: COMMAND, isClosed: true }],
  ],
  [
    'ends the connection at commands of its own, which need not be written',
    { authorizePublish: (_, packet, done) => done(packet.topic.endsWith('/set') ? new Error('no') : null) },
    [],
  ],
])('of a broker that %s it is found what is missing', async (_, rules, missing) => {
  const url = await brokerThat(rules);
  const found = await probeBroker({ url, clientId: 'probe', version: '3.1.1' }, brokerNeeds(SETTINGS));
  expect(found.missing).toEqual(missing);
});

test.each([
  ['forwards nothing', { authorizeForward: () => undefined as never }],
  ['takes what may not be written, and drops it', dropping('')],
])(
  'of a broker that %s the set-up says what is seen, in German too',
  async (_, rules) => {
    const url = await brokerThat(rules);
    const cwd = emptyFolder();
    const env = { HEATING2MQTT_PLATFORM_CLIENT_ID: 'abc', HEATING2MQTT_MQTT_URL: url, HEATING2MQTT_DATA_DIR: cwd };
    const services = setupServices(
      cwd,
      systemClock,
      recordingLog([]),
      () => false,
      () => [],
    );
    const { ok, code = '', facts = {}, message } = await services.testBroker(loadSettings({ env, cwd }));
    expect([ok, code]).toEqual([false, 'broker_no_read']);
    expect(message).toMatch(/^messages that this user publishes on \S+ do not come back to it: .*topic readwrite heating2mqtt\/#\)$/);
    expect(serverSentenceDe([code], facts)).toMatch(/^Was dieser Benutzer .*kommt nicht zurück: .*topic readwrite heating2mqtt\/#\)\.$/);
  },
  20_000,
);

test('a broker that drops what the bridge publishes is told also where an older `offline` is retained', async () => {
  let isDropping = false;
  const brokerUrl = await brokerThat({
    authorizePublish: (client, packet, done) => {
      if (isDropping && client?.id === 'heating2mqtt') packet.topic = 'dropped';
      done(null);
    },
  });
  const prepare = async (_: unknown, recorder: Pick<MqttRecorder, 'publish'>): Promise<void> => {
    await recorder.publish('heating2mqtt/bridge/state', 'offline', { retain: true });
    isDropping = true;
  };
  const system = await startTestSystem({ brokerUrl, prepare });
  onTestFinished(() => system.close());
  await untilSo(() => system.logged.some(({ sentence }) => sentence.includes('does not send the bridge its own messages')));
});

test.each([
  ['ends the connection at a topic with a dot', endsAtDot],
  ['turns dots into slashes', turnsDots],
])('of a broker that %s it is said which name to change', async (_, rules) => {
  const url = await brokerThat(rules);
  const cwd = emptyFolder();
  const devices = JSON.stringify([
    { name: 'home', device: '0' },
    { name: 'my.home', device: '1' },
  ]);
  const env = { HEATING2MQTT_PLATFORM_CLIENT_ID: 'abc', HEATING2MQTT_MQTT_URL: url, HEATING2MQTT_DEVICES: devices };
  const [, ...wrong] = await testBroker(loadSettings({ env, cwd }));
  expect(wrong).toEqual([expect.objectContaining({ about: { code: 'broker_no_dots', facts: { topic: 'heating2mqtt/my.home/check' } } })]);
  expect(wrong[0]?.sentence).toMatch(/my\.home.*name without "\." in the settings/);
  expect(serverSentenceDe(['broker_no_dots'], { topic: 'heating2mqtt/my.home/check' })).toMatch(/my\.home.*Namen ohne Punkt/);
});

test('a bridge beside its check hears nothing of it, and answers nothing', async () => {
  const system = await startTestSystem();
  onTestFinished(() => system.close());
  await published(system);
  const from = system.recorder.heard.length;
  expect(await checked(system.settings)).toMatchObject({ code: 0, failed: '' });
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'nobody');
  await untilSo(() => system.recorder.heard.slice(from).some(({ topic }) => topic === 'heating2mqtt/bridge/result'));
  const answers = system.recorder.heard.slice(from).filter(({ topic }) => topic.endsWith('/result'));
  expect(answers.map(({ payload }) => JSON.parse(payload).topic)).toEqual(['heating2mqtt/bridge/poll/set']);
});
