import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { forget } from '../../src/cli/forget.ts';
import { bridgeDocument } from '../../src/homeassistant/document.ts';
import { defaultHome } from '../../src/simulator/home/home.ts';
import { lintDocument } from '../support/devices/discoveryLint.ts';
import { isOfPart } from '../support/devices/isOfPart.ts';
import { startLine } from '../support/network/line.ts';
import type { MqttRecorder } from '../support/network/mqttRecorder.ts';
import { published } from '../support/system/outcome.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { startTestSystem, type TestSystem, type TestSystemOptions } from '../support/system/testSystem.ts';
import { sameClock } from '../support/time/sameClock.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const BRIDGE = 'homeassistant/device/heating2mqtt_bridge/config';
const OTHER_BRIDGE = 'homeassistant/device/heating2mqtt_bridge_base_haus__47_keller/config';
const OTHER = 'haus/keller';
const SAYS = 'a bridge with another mqtt.base already publishes this device to hubs';

/** Less than everything, with parts: each test starts several bridges. */
const SOME: TestSystemOptions = { device: { features: ['heating.circuits.0.*', 'heating.dhw.*', 'heating.sensors.*'] } };

/** Another home than the one of `SOME`. */
const NEIGHBOUR: TestSystemOptions = { ...SOME, simulator: { home: { ...defaultHome, gateway: '7571381699992222' } } };

const start = async (options: TestSystemOptions, base: string): Promise<TestSystem> => {
  const system = await startTestSystem(options);
  onTestFinished(() => system.close());
  await published(system, 0, base);
  return system;
};

/** A second bridge on the broker of the first one, with the other base. */
const startOther = (system: TestSystem, options: TestSystemOptions = SOME): Promise<TestSystem> =>
  start({ ...options, overrides: { mqtt: { ...options.overrides?.mqtt, base: OTHER } }, brokerUrl: system.broker.url }, OTHER);

const documentsOn = async (system: TestSystem): Promise<ReadonlyMap<string, string>> =>
  new Map([...(await retainedOn(system.broker.url))].filter(([topic]) => topic.startsWith('homeassistant/')).sort());

const warnings = ({ logged }: TestSystem) => logged.filter(({ level, sentence }) => level === 'warn' && sentence.startsWith(SAYS));

const forgotten = async (system: TestSystem): Promise<void> => {
  const err: string[] = [];
  await system.stopApp();
  const io = { out: () => undefined, err: (text: string) => void err.push(text) };
  expect({ code: await forget(system.settings, { force: false }, io), err }).toEqual({ code: 0, err: [] });
};

describe('two bridges with two bases', () => {
  const startFirst = (): Promise<TestSystem> => start(SOME, 'heating2mqtt');

  test('of two homes: each has its own device of the bridge, and takes back nothing of the other', async () => {
    const system = await startFirst();
    const before = await documentsOn(system);
    expect([...before.keys()]).toContain(BRIDGE);
    const other = await startOther(system, NEIGHBOUR);
    const both = await documentsOn(system);
    expect([...both.keys()]).toContain(OTHER_BRIDGE);
    expect(both.size).toBe(2 * before.size);
    for (const [topic, payload] of before) expect(both.get(topic), topic).toBe(payload);
    for (const [topic, payload] of both) expect(lintDocument({ topic, payload, retain: true }), topic).toEqual([]);
    const devices = [...both.values()].map((payload) => JSON.parse(payload).device);
    expect(new Set(devices.map(({ identifiers }) => identifiers[0])).size).toBe(both.size);
    // None above the two bridges, these, and the two heatings above their parts.
    expect(new Set(devices.map(({ via_device }) => via_device)).size).toBe(5);
    await other.app.stop({ withdraw: true });
    expect(await documentsOn(system)).toEqual(before);
    expect([...warnings(system), ...warnings(other)]).toEqual([]);
  });

  test('of one home: the second leaves the device to the first and says so, and what it forgets is its own', async () => {
    const system = await startFirst();
    const before = await documentsOn(system);
    const other = await startOther(system);
    const both = await documentsOn(system);
    expect([...both.keys()].sort()).toEqual([...before.keys(), OTHER_BRIDGE].sort());
    for (const [topic, payload] of before) expect(both.get(topic), topic).toBe(payload);
    expect(warnings(other).map(({ facts }) => facts)).toEqual([
      { device: `${system.simulator.gateway}/0`, topic: [...before.keys()].find((topic) => topic !== BRIDGE), other_base: 'heating2mqtt' },
    ]);
    // It shows and takes all the same.
    expect((await retainedOn(system.broker.url)).has(`${OTHER}/home/info`)).toBe(true);
    await other.recorder.publish(`${OTHER}/bridge/republish/set`, 'x');
    await other.recorder.untilTopic(`${OTHER}/bridge/result`);
    await forgotten(other);
    expect(await documentsOn(system)).toEqual(before);
    expect([...(await retainedOn(system.broker.url)).keys()].filter((topic) => topic.startsWith(`${OTHER}/`))).toEqual([]);
    expect(warnings(other)).toHaveLength(1);
  });

  test('of one home: the second takes the device over when the first has gone, and the first leaves it to it then', async () => {
    const system = await startFirst();
    const other = await startOther(system);
    const device = `homeassistant/device/heating2mqtt_${system.simulator.gateway}_0/config`;
    await forgotten(system);
    const from = other.recorder.heard.length;
    await other.recorder.publish(`${OTHER}/bridge/republish/set`, 'x');
    const taken = await other.recorder.until(({ topic, payload }) => topic === device && payload !== '', from);
    expect(taken.payload).toContain(`"${OTHER}/bridge/state"`);
    await system.restart();
    await published(system, from);
    expect((await documentsOn(system)).get(device)).toBe(taken.payload);
    expect(warnings(system)).toHaveLength(1);
    await system.app.stop({ withdraw: true });
    expect((await documentsOn(system)).get(device)).toBe(taken.payload);
  });

  test('of one home: the second takes the device over also where the first goes while the second is not connected', async () => {
    const system = await startFirst();
    const line = await startLine(Number(new URL(system.broker.url).port));
    const other = await startOther(system, { ...SOME, overrides: { mqtt: { url: `mqtt://127.0.0.1:${line.port}` } } });
    line.cut(true);
    await forgotten(system);
    line.cut(false);
    await system.recorder.until(({ topic, payload }) => topic.endsWith('_0/config') && payload.includes(`"${OTHER}/bridge/state"`));
    expect(warnings(other)).toHaveLength(1);
  });

  test('of one home: each part belongs to the bridge that has the heating', async () => {
    const system = await startFirst();
    const other = await startOther(system);
    const objects = async (base: string): Promise<readonly string[]> =>
      [...(await documentsOn(system))].flatMap(([topic, payload]) => (payload.includes(`"${base}/home/availability"`) ? [topic] : []));
    expect((await objects('heating2mqtt')).some(isOfPart)).toBe(true);
    expect(await objects(OTHER)).toEqual([]);
    await forgotten(system);
    expect(await objects('heating2mqtt')).toEqual([]);
    await other.recorder.publish(`${OTHER}/bridge/republish/set`, 'x');
    await expect.poll(async () => (await objects(OTHER)).some(isOfPart)).toBe(true);
    const from = system.recorder.heard.length;
    await system.restart();
    await published(system, from);
    expect(await objects('heating2mqtt')).toEqual([]);
    await forgotten(other);
    expect(await objects(OTHER)).toEqual([]);
  });

  test('what an earlier version left of the bridge itself is taken back', async () => {
    const options = { ...SOME, overrides: { mqtt: { base: OTHER } } };
    const earlier = { ...bridgeDocument({ base: OTHER, prefix: 'homeassistant', version: '0.1.0' }), topic: BRIDGE };
    const leave = (_: unknown, recorder: MqttRecorder) => recorder.publish(BRIDGE, earlier.payload, { retain: true });
    const other = await start({ ...options, prepare: leave }, OTHER);
    const { payload } = await other.recorder.until(({ topic, retain }) => topic === BRIDGE && !retain, other.recorder.heard.length);
    expect(payload).toBe('');
  });
});

test('a bridge whose base has changed offers its devices under the new one', async () => {
  const system = await start(SOME, 'heating2mqtt');
  const from = system.recorder.heard.length;
  await system.restart({ mqtt: { base: 'new' } });
  await published(system, from, 'new');
  const documents = await documentsOn(system);
  const objects = [...documents.keys()].map((topic) => topic.split('/')[2] ?? '');
  const heating = `heating2mqtt_${system.simulator.gateway}_0`;
  expect(objects.filter((object) => !object.startsWith(`${heating}_part_`))).toEqual([heating, 'heating2mqtt_bridge_base_new']);
  for (const payload of documents.values()) expect(payload).toContain('"new/bridge/state"');
  expect(warnings(system)).toEqual([]);
});

test('a demo beside a bridge leaves its documents alone, also when it stops', async () => {
  const system = await start(SOME, 'heating2mqtt');
  const before = await documentsOn(system);
  const cwd = mkdtempSync(join(tmpdir(), 'heating2mqtt-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const child = spawn(process.execPath, [MAIN, 'demo', '--broker', system.broker.url], {
    cwd,
    env: { ...sameClock(), HOME: cwd },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await system.recorder.until(({ topic }) => topic === 'heating2mqtt-demo/bridge/health', 0);
  const during = await documentsOn(system);
  for (const [topic, payload] of before) expect(during.get(topic), topic).toBe(payload);
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(await documentsOn(system)).toEqual(before);
});
