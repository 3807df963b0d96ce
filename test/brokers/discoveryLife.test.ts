import { expect, onTestFinished, test } from 'vitest';
import { forget } from '../../src/cli/forget.ts';
import { componentsOf, singleDocuments } from '../../src/homeassistant/documents/entityDocuments.ts';
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

const GOES = ['taken back {"platform":"sensor"}', 'left out'];

const without = (system: BridgeSystem): Overrides => ({
  devices: system.settings.devices.map((device) => ({ ...device, exclude: [PUMP] })),
});

test('entity mode: one document for each entity, and from one mode to the other and back nothing is left over', async () => {
  const system = await started(ALL);
  const documents = documentsOn(system);
  const singles = new Map(
    [...documents]
      .flatMap(([topic, payload]) => singleDocuments({ topic, payload }).map((one) => [one.topic, one.payload] as const))
      .sort(),
  );
  expect(singles.size).toBeGreaterThan(40);
  for (const [mode, wanted] of [
    ['entity', singles],
    ['device', documents],
    ['entity', singles],
  ] as const) {
    const from = await restarted(system, { homeassistant: { discovery: mode } });
    await system.time.pass(2 * MINUTE_MS);
    expect(documentsOn(system)).toEqual(wanted);
    const heard = system.recorder.heard.slice(from).filter(({ topic, retain }) => topic.startsWith('homeassistant/') && !retain);
    expect(heard[0]?.payload).toBe('{"migrate_discovery":true}');
    // What the run before has cleared may be cleared once more at the start, but nothing that is offered now.
    const offered = new Set<string>();
    for (const { topic, payload } of heard) {
      if (wanted.get(topic) === payload) offered.add(topic);
      else expect([topic, payload === '' && offered.has(topic)]).toEqual([topic, false]);
    }
  }
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
  const topic = `homeassistant/sensor/${circuitOf(system)}/${PUMP_KEY}/config`;
  await system.recorder.untilTopic(topic, '', before);
  const shown = system.recorder.heard.slice(before).filter((heard) => heard.topic === topic);
  expect(shown.slice(0, 2).map(({ payload }) => payload !== '')).toEqual([true, false]);
  await expect.poll(() => system.recorder.last(topic)).toBeUndefined();
  expect((await retainedOn(system.broker.url)).size).toBe(0);
});
