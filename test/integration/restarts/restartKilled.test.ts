import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Settings } from '../../../src/config/settings.ts';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/simulator.ts';
import { chance, IS_LONG } from '../../support/chance.ts';
import { featureTopics, isOfComposite, recordsFrom, stateOf } from '../../support/devices/expected.ts';
import { hasMosquitto, NO_MOSQUITTO, startMosquitto } from '../../support/network/mosquitto.ts';
import { listen, type MqttRecorder } from '../../support/network/mqttRecorder.ts';
import { barrier } from '../../support/schedules/writing.ts';
import { type BridgeProcess, startProcess } from '../../support/system/process.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { stillHome, storeTokens, tempDir, testSettings } from '../../support/system/testSystem.ts';
import { untilSo } from '../../support/system/untilSo.ts';

type Place = { readonly simulator: Simulator; readonly settings: Settings; readonly recorder: MqttRecorder };

const setUp = async (brokerUrl: string): Promise<Place> => {
  const dir = tempDir();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const simulator = await startSimulator({ home: stillHome });
  onTestFinished(() => simulator.close());
  await storeTokens(dir, simulator);
  const recorder = await listen(brokerUrl);
  onTestFinished(() => recorder.close());
  return { simulator, recorder, settings: testSettings(simulator, brokerUrl, dir, { features: ['*'] }, { poll: { seconds: 1 } }) };
};

const start = (settings: Settings): BridgeProcess => {
  const bridge = startProcess(settings);
  onTestFinished(() => void bridge.end('SIGKILL'));
  return bridge;
};

/** Runs the bridge until it has told everything, with a read of what is so now. */
const runOnce = async ({ settings, recorder, simulator }: Place): Promise<void> => {
  const from = recorder.heard.length;
  const bridge = start(settings);
  await recorder.until(({ topic, retain }) => topic === 'heating2mqtt/bridge/health' && !retain, from);
  const reads = () => simulator.calls().filter(({ path }) => path.endsWith('/features')).length;
  const before = reads();
  await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
  await untilSo(() => reads() > before);
  await barrier({ recorder });
  expect(await bridge.end('SIGTERM')).toBe(0);
};

/** What lies on the broker is what a bridge with these settings has to say, and nothing else. */
const expectRight = async ({ settings, simulator }: Place): Promise<void> => {
  const retained = await retainedOn(settings.mqtt.url);
  const records = (await recordsFrom(simulator, '0')).filter(({ feature }) => !settings.devices[0]?.exclude.includes(feature));
  const wanted = stateOf('heating2mqtt/home', records);
  const seen = featureTopics(retained, 'heating2mqtt/home');
  expect([...seen.keys()].sort()).toEqual([...wanted.keys()].sort());
  for (const [topic, payload] of wanted) if (payload) expect([topic, seen.get(topic)]).toEqual([topic, payload]);
  expect([...retained.keys()].filter((topic) => !seen.has(topic) && !isOfComposite(topic)).sort()).toEqual([
    ...['auth', 'health', 'info', 'problems', 'quota', 'state'].map((leaf) => `heating2mqtt/bridge/${leaf}`),
    ...['availability', 'info', 'problems'].map((leaf) => `heating2mqtt/home/${leaf}`),
    ...['', ...PARTS.map((part) => `_part_${part}`)].map(
      (part) => `homeassistant/device/heating2mqtt_${simulator.gateway}_0${part}/config`,
    ),
    'homeassistant/device/heating2mqtt_bridge/config',
  ]);
};

/** The parts of the simulated home that are devices of their own, in the order of their topics. */
const PARTS = ['generator', 'heating_circuits_0', 'heating_circuits_1', 'heating_dhw', 'ventilation'];

const FEATURES = [
  'heating.dhw.sensors.temperature.dhwCylinder',
  'heating.sensors.temperature.outside',
  'heating.sensors.temperature.return',
];
const random = chance('killed under changing settings');
const of = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** Something happens in the test system. */
const perturb = (simulator: Simulator): void => {
  for (const feature of FEATURES) {
    const value = Math.round(random() * 1000) / 10;
    simulator.control(
      of([
        { command: 'set', feature, value },
        { command: 'remove_value', feature },
        { command: 'disable_feature', feature },
      ]),
    );
    simulator.control({ command: of(['restore_feature', 'disable_feature']), feature });
  }
};

const RUNS = IS_LONG ? 30 : 8;

test(`killed ${RUNS} times at any moment, under changing settings: afterwards every topic is right and none is left over`, async () => {
  const broker = await startEmbeddedBroker(0);
  onTestFinished(() => broker.close());
  const place = await setUp(broker.url);
  const { settings, simulator } = place;
  const [device] = settings.devices;
  if (!device) throw new Error('no device');
  for (let run = 0; run < RUNS; run += 1) {
    const changed = {
      ...device,
      name: of(['home', 'home', 'haus']),
      exclude: of([[], [], ['heating.circuits.0.heating.schedule'], ['*.circuits.*']]),
    };
    const bridge = start({ ...settings, devices: [changed] });
    perturb(simulator);
    // Half of them die in the midst of publishing: with the n-th message that is heard.
    let left = run % 2 === 0 ? random() * 250 : Number.POSITIVE_INFINITY;
    const heard = place.recorder.until(() => left-- <= 0, place.recorder.heard.length, 5000).catch(() => undefined);
    await Promise.race([heard, sleep(run % 2 === 0 ? 1500 : random() * 1200)]);
    await bridge.end('SIGKILL');
  }
  await runOnce(place);
  await expectRight(place);
}, 120_000);

test.runIf(hasMosquitto)(
  'a broker that falls back to an older state is put right',
  async () => {
    const folder = tempDir();
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const first = await startMosquitto({ persistence: folder });
    onTestFinished(() => first.stop());
    const place = await setUp(first.url);
    const { simulator } = place;
    await runOnce(place);
    await first.kill('SIGTERM');
    const database = join(folder, 'mosquitto.db');
    copyFileSync(database, `${database}.old`);
    const second = await startMosquitto({ persistence: folder, port: first.port });
    onTestFinished(() => second.stop());
    for (const feature of FEATURES) simulator.control({ command: 'set', feature, value: 77.7 });
    simulator.control({ command: 'disable_feature', feature: 'heating.circuits.0.heating.curve' });
    await runOnce(place);
    await expectRight(place);
    await second.kill('SIGTERM');
    copyFileSync(`${database}.old`, database);
    const third = await startMosquitto({ persistence: folder, port: first.port });
    onTestFinished(() => third.stop());
    await runOnce(place);
    await expectRight(place);
  },
  60_000,
);

test.skipIf(hasMosquitto)(`a broker that falls back: ${NO_MOSQUITTO}`, ({ skip }) => skip(NO_MOSQUITTO));
