import { expect, onTestFinished, test } from 'vitest';
import { forget } from '../../../src/cli/forget.ts';
import { componentsOf, singleDocuments } from '../../../src/homeassistant/entityDocuments.ts';
import { fastClock } from '../../support/system/fastClock.ts';
import { ALL, published } from '../../support/system/outcome.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { type Overrides, startTestSystem, type TestSystem } from '../../support/system/testSystem.ts';

const PUMP = 'heating.circuits.0.circulation.pump';
const PUMP_KEY = 'heating_circuits_0_circulation_pump_status';

const deviceTopic = (house: TestSystem): string => `homeassistant/device/heating2mqtt_${house.simulator.gateway}_0/config`;

const start = async (overrides: Overrides = {}): Promise<TestSystem> => {
  const house = await startTestSystem({ ...ALL, clock: fastClock, overrides });
  onTestFinished(() => house.close());
  await published(house);
  // Who stops before has offered nothing that could be taken back.
  await house.recorder.untilTopic(deviceTopic(house));
  return house;
};

const documentsOn = async (house: TestSystem): Promise<ReadonlyMap<string, string>> =>
  new Map([...(await retainedOn(house.broker.url))].filter(([topic]) => topic.startsWith('homeassistant/')).sort());

const restarted = async (house: TestSystem, overrides: Overrides): Promise<number> => {
  await house.stopApp();
  // What the earlier run said last may still be on its way to the recorder.
  const mark = String(house.recorder.heard.length);
  await house.recorder.publish('test/stopped', mark);
  await house.recorder.untilTopic('test/stopped', mark);
  const from = house.recorder.heard.length;
  await house.restart(overrides);
  await published(house, from);
  return from;
};

/** What became of the pump's status in the versions of the document: offered, taken back, or left out. */
const pumpIn = (house: TestSystem, from: number): string[] =>
  house.recorder.heard
    .slice(from)
    .filter(({ topic, payload }) => topic === deviceTopic(house) && payload !== '')
    .map(({ payload }) => {
      const entry: object | undefined = JSON.parse(payload).components[PUMP_KEY];
      return entry === undefined ? 'left out' : componentsOf(payload).has(PUMP_KEY) ? 'offered' : `taken back ${JSON.stringify(entry)}`;
    });

const GOES = ['taken back {"platform":"sensor"}', 'left out'];

const without = (house: TestSystem): Overrides => ({ devices: house.settings.devices.map((device) => ({ ...device, exclude: [PUMP] })) });

test('entity mode: one document for each entity, and from one mode to the other and back nothing is left over', async () => {
  const house = await start();
  const documents = await documentsOn(house);
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
    const from = await restarted(house, { homeassistant: { discovery: mode } });
    await expect.poll(() => documentsOn(house)).toEqual(wanted);
    const heard = house.recorder.heard.slice(from).filter(({ topic, retain }) => topic.startsWith('homeassistant/') && !retain);
    expect(heard[0]?.payload).toBe('{"migrate_discovery":true}');
    expect(heard.some(({ topic, payload }) => wanted.has(topic) && payload === '')).toBe(false);
  }
  await restarted(house, { homeassistant: { discovery: 'off' } });
  await expect.poll(async () => (await documentsOn(house)).size).toBe(0);
});

test('a feature that goes leaves by a tombstone, and once more in three steps for Home Assistant born later', async () => {
  const house = await start();
  const from = await restarted(house, without(house));
  await expect.poll(() => pumpIn(house, from)).toEqual(GOES);
  const again = await restarted(house, without(house));
  await house.recorder.publish('homeassistant/status', 'online');
  await expect.poll(() => pumpIn(house, again)).toEqual(['offered', ...GOES]);
  const last = house.recorder.heard.length;
  await house.recorder.publish('homeassistant/status', 'online');
  await expect.poll(() => pumpIn(house, last)).toEqual(['left out']);
});

test('forget shows what hubs still had to let go, before it takes all away', { timeout: 30_000 }, async () => {
  const house = await start();
  const from = await restarted(house, without(house));
  await expect.poll(() => pumpIn(house, from)).toEqual(GOES);
  await house.stopApp();
  const silent = { out: () => undefined, err: () => undefined };
  const before = house.recorder.heard.length;
  expect(await forget(house.settings, { force: false }, silent)).toBe(0);
  const topic = `homeassistant/sensor/heating2mqtt_${house.simulator.gateway}_0/${PUMP_KEY}/config`;
  await house.recorder.untilTopic(topic, '', before);
  const shown = house.recorder.heard.slice(before).filter((heard) => heard.topic === topic);
  expect(shown.slice(0, 2).map(({ payload }) => payload !== '')).toEqual([true, false]);
  await expect.poll(() => house.recorder.last(topic)).toBeUndefined();
  expect((await retainedOn(house.broker.url)).size).toBe(0);
});
