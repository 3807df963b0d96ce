import { expect, onTestFinished, test } from 'vitest';
import { forget } from '../../src/cli/forget.ts';
import { componentsOf } from '../../src/homeassistant/documents/publishedDocument.ts';
import { started } from '../support/schedules/writing.ts';
import { clockWithSpeed } from '../support/system/clockWithSpeed.ts';
import { ALL, published } from '../support/system/outcome.ts';
import { retainedOn } from '../support/system/retainedTopics.ts';
import { type BridgeSystem, type Overrides, startTestSystem } from '../support/system/testSystem.ts';
import { MINUTE_MS } from '../support/system/virtualSystem.ts';
import type { VirtualTestSystem } from '../support/system/virtualTestSystem.ts';

const PUMP = 'heating.circuits.0.circulation.pump';
const PUMP_KEY = 'heating_circuits_0_circulation_pump_status';

/** The object id of the circuit's own device. */
const circuitOf = ({ simulator }: BridgeSystem): string => `heating2mqtt_${simulator.gateway}_0_part_heating_circuits_0`;
const circuitTopic = (system: BridgeSystem): string => `homeassistant/device/${circuitOf(system)}/config`;

const documentsOn = ({ onBroker }: VirtualTestSystem): ReadonlyMap<string, string> =>
  new Map([...onBroker].filter(([topic]) => topic.startsWith('homeassistant/')).sort());

const restarted = async (system: BridgeSystem, overrides: Overrides): Promise<number> => {
  await system.stopApp();
  // What the earlier run said last may still be on its way to the recorder.
  const mark = String(system.recorder.heard.length);
  await system.recorder.publish('test/stopped', mark);
  await system.recorder.untilTopic('test/stopped', mark);
  const from = system.recorder.heard.length;
  await system.restart(overrides);
  await published(system, from);
  return from;
};

/** What became of the pump's status in the versions of the circuit's document: offered, taken back, or left out. */
const pumpIn = (system: BridgeSystem, from: number): string[] =>
  system.recorder.heard
    .slice(from)
    .filter(({ topic, payload }) => topic === circuitTopic(system) && payload !== '')
    .map(({ payload }) => {
      const entry: object | undefined = JSON.parse(payload).components[PUMP_KEY];
      return entry === undefined ? 'left out' : componentsOf(payload).has(PUMP_KEY) ? 'offered' : `taken back ${JSON.stringify(entry)}`;
    });

const GOES = ['taken back {"platform":"binary_sensor"}', 'left out'];

const without = (system: BridgeSystem): Overrides => ({
  devices: system.settings.devices.map((device) => ({ ...device, exclude: [PUMP] })),
});

/** One part, and with it everything else. */
const ONE_PART = { device: { features: ['heating.circuits.0.*', 'heating.sensors.*', 'device.*'] } };

const entitiesOn = (system: VirtualTestSystem): ReadonlyMap<unknown, string> =>
  new Map(
    [...documentsOn(system)].flatMap(([topic, payload]) =>
      [...componentsOf(payload).values()].map((one) => [one['unique_id'], topic] as const),
    ),
  );

test('a device that gets more parts: their entities move to documents of their own, released first; with `off` all are withdrawn', async () => {
  const system = await started(ONE_PART);
  const before = entitiesOn(system);
  expect(new Set(before.values()).size).toBe(2);
  const from = await restarted(system, { devices: system.settings.devices.map((device) => ({ ...device, features: ['*'] })) });
  await system.time.pass(2 * MINUTE_MS);
  const after = entitiesOn(system);
  expect([...before.keys()].filter((id) => !after.has(id))).toEqual([]);
  expect([...before].filter(([id, topic]) => after.get(id) !== topic).length).toBeGreaterThan(10);
  const heard = system.recorder.heard.slice(from).filter(({ topic, retain }) => topic.startsWith('homeassistant/') && !retain);
  expect(heard[0]?.payload).toBe('{"migrate_discovery":true}');
  for (const { topic, payload } of heard.slice(1)) expect(documentsOn(system).get(topic)).toBe(payload);
  await restarted(system, { homeassistant: { discovery: 'off' } });
  await system.untilSo(() => documentsOn(system).size === 0);
});

test('a feature that goes leaves by a tombstone, and once more in three steps for Home Assistant born later', async () => {
  const system = await started(ALL);
  const from = await restarted(system, without(system));
  await system.time.pass(2 * MINUTE_MS);
  expect(pumpIn(system, from)).toEqual(GOES);
  const again = await restarted(system, without(system));
  await system.recorder.publish('homeassistant/status', 'online');
  await system.time.pass(2 * MINUTE_MS);
  expect(pumpIn(system, again)).toEqual(['offered', ...GOES]);
  const last = system.recorder.heard.length;
  await system.recorder.publish('homeassistant/status', 'online');
  await system.time.pass(2 * MINUTE_MS);
  expect(pumpIn(system, last)).toEqual(['left out']);
});

test('forget shows what hubs still had to let go, before it takes all away', async () => {
  const { clock, setSpeed } = clockWithSpeed();
  setSpeed(20);
  const system = await startTestSystem({ ...ALL, clock });
  onTestFinished(() => system.close());
  await published(system);
  // Who stops before has offered nothing that could be taken back.
  await system.recorder.untilTopic(circuitTopic(system));
  const from = await restarted(system, without(system));
  await expect.poll(() => pumpIn(system, from)).toEqual(GOES);
  await system.stopApp();
  const silent = { out: () => undefined, err: () => undefined };
  const before = system.recorder.heard.length;
  expect(await forget(system.settings, { force: false }, silent)).toBe(0);
  await system.recorder.untilTopic(circuitTopic(system), '', before);
  expect(pumpIn(system, before)).toEqual(['offered']);
  expect((await retainedOn(system.broker.url)).size).toBe(0);
});
