import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedBroker } from '../../../src/mqtt/embeddedBroker.ts';
import { featureTopics, recordsFrom, stateOf } from '../../support/devices/expected.ts';
import { barrier } from '../../support/schedules/writing.ts';
import { emptied, PUBLISHED } from '../../support/system/database.ts';
import { ALL, isOwn, published } from '../../support/system/outcome.ts';
import { retainedOn } from '../../support/system/retainedTopics.ts';
import { type Overrides, startTestSystem, stillHome, type TestSystem, type TestSystemOptions } from '../../support/system/testSystem.ts';

const start = async (options: TestSystemOptions = ALL): Promise<TestSystem> => {
  const house = await startTestSystem(options);
  onTestFinished(() => house.close());
  await published(house);
  return house;
};

/** Restarts the bridge and gives what was heard of it until it has told all. */
const restarted = async (house: TestSystem, overrides: Overrides = {}, base = 'heating2mqtt') => {
  await house.stopApp();
  const from = house.recorder.heard.length;
  await house.restart(overrides);
  await published(house, from, base);
  return house.recorder.heard.slice(from);
};

const FOREIGN = [
  'heating2mqtt/other',
  'heating2mqtt/home/mine',
  'heating2mqtt/bridge/mine',
  'homeassistant/sensor/other/config',
  'homeassistant/device/other/config',
  'zigbee2mqtt/bridge/state',
];
/** Retained topics of somebody else's, beside and between ours. */
const plantForeign = async ({ recorder }: TestSystem): Promise<void> => {
  for (const topic of FOREIGN) {
    await recorder.publish(topic, 'somebody else', { retain: true });
    await recorder.untilTopic(topic, 'somebody else');
  }
};

/** Nothing of others was touched; gives what is left: ours. */
const withoutForeign = (retained: ReadonlyMap<string, string>): Map<string, string> => {
  const rest = new Map(retained);
  for (const topic of FOREIGN) {
    expect([topic, rest.get(topic)]).toEqual([topic, 'somebody else']);
    rest.delete(topic);
  }
  return rest;
};

/** All that a bridge with this base has on the broker, as far as the records tell. */
const expectAll = async (
  retained: ReadonlyMap<string, string>,
  house: TestSystem,
  names: readonly string[] = ['home'],
  base = 'heating2mqtt',
) => {
  const documents = names.map((_, index) => house.settings.devices[index]?.device ?? '');
  expect([...retained.keys()].filter((topic) => topic.startsWith('homeassistant/'))).toHaveLength(documents.length + 1);
  for (const [index, name] of names.entries()) {
    const root = `${base}/${name}`;
    const { device = '', features = [], exclude = [] } = house.settings.devices[index] ?? {};
    const records = (await recordsFrom(house.simulator, device)).filter(
      ({ feature }) => (features.includes('*') || features.includes(feature)) && !exclude.includes(feature),
    );
    const wanted = stateOf(root, records);
    const seen = featureTopics(retained, root);
    expect([...seen.keys()].sort()).toEqual([...wanted.keys()].sort());
    for (const [topic, payload] of wanted) if (payload) expect([topic, seen.get(topic)]).toEqual([topic, payload]);
  }
  const levels = new Set(
    [...retained.keys()].filter((topic) => !topic.startsWith('homeassistant/')).map((topic) => topic.split('/').slice(0, 2).join('/')),
  );
  expect([...levels].sort()).toEqual([`${base}/bridge`, ...names.map((name) => `${base}/${name}`)].sort());
};

describe('a restart', () => {
  test('against a broker that remembers publishes nothing outside bridge/', async () => {
    const house = await start();
    const before = await retainedOn(house.broker.url);
    for (let round = 0; round < 3; round += 1) {
      const heard = await restarted(house);
      expect(heard.filter((one) => !isOwn(one))).toEqual([]);
    }
    expect([...(await retainedOn(house.broker.url)).keys()].sort()).toEqual([...before.keys()].sort());
  });

  test('publishes what has changed meanwhile, and only that', async () => {
    const house = await start();
    await house.stopApp();
    house.simulator.control({ command: 'set', feature: 'heating.dhw.sensors.temperature.dhwCylinder', value: 47.3 });
    house.simulator.control({ command: 'remove_value', feature: 'heating.sensors.temperature.outside' });
    const from = house.recorder.heard.length;
    await house.restart();
    await published(house, from);
    const root = 'heating2mqtt/home/heating';
    await house.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await house.recorder.untilTopic(`${root}/dhw/sensors/temperature/dhwCylinder/value`, '47.3', from);
    await house.recorder.untilTopic(`${root}/sensors/temperature/outside/status`, 'notConnected', from);
    await barrier(house);
    const heard = house.recorder.heard.slice(from).filter(({ topic }) => topic.startsWith(root));
    expect(new Map(heard.filter((one) => !isOwn(one)).map(({ topic, payload }) => [topic, payload]))).toEqual(
      new Map([
        [`${root}/dhw/sensors/temperature/dhwCylinder/value`, '47.3'],
        [`${root}/sensors/temperature/outside/value`, ''],
        [`${root}/sensors/temperature/outside/status`, 'notConnected'],
      ]),
    );
  });

  test('against a broker that forgot everything publishes everything, once', async () => {
    const broker = await startEmbeddedBroker(0);
    const house = await start({ ...ALL, brokerUrl: broker.url });
    const before = await retainedOn(broker.url);
    await house.stopApp();
    await broker.close();
    const again = await startEmbeddedBroker(broker.port);
    onTestFinished(() => again.close());
    const from = house.recorder.heard.length;
    await house.restart();
    await published(house, from);
    const after = await retainedOn(again.url);
    expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
    for (const [topic, payload] of before) if (!topic.startsWith('heating2mqtt/bridge/')) expect(after.get(topic)).toBe(payload);
    const heard = house.recorder.heard.slice(from).filter((one) => !isOwn(one) && !one.retain && !one.topic.startsWith('test/'));
    expect(new Set(heard.map(({ topic }) => topic)).size).toBe(heard.length);
  });

  test('without its data folder publishes everything', async () => {
    const house = await start();
    const before = await retainedOn(house.broker.url);
    await house.stopApp();
    emptied(house.settings.data_dir, ...PUBLISHED);
    const heard = await restarted(house);
    const topics = [...before.keys()].filter((topic) => !topic.startsWith('heating2mqtt/bridge/'));
    expect(
      heard
        .filter((one) => !isOwn(one) && !one.retain)
        .map(({ topic }) => topic)
        .sort(),
    ).toEqual(topics.sort());
  });
});

describe('settings that changed between two runs', () => {
  const device = (house: TestSystem) => {
    const [first] = house.settings.devices;
    if (!first) throw new Error('no device');
    return first;
  };

  test('a device renamed: its old topics are gone, its new ones there', async () => {
    const house = await start();
    await plantForeign(house);
    await restarted(house, { devices: [{ ...device(house), name: 'my house' }] });
    const retained = withoutForeign(await retainedOn(house.broker.url));
    await expectAll(retained, house, ['my%20house']);
  });

  test('a feature dropped: its topics are gone, no other is touched', async () => {
    const house = await start();
    await plantForeign(house);
    const dropped = 'heating.circuits.0.heating.schedule';
    const heard = await restarted(house, { devices: [{ ...device(house), exclude: [dropped] }] });
    await expectAll(withoutForeign(await retainedOn(house.broker.url)), house);
    const outside = heard.filter((one) => !isOwn(one) && !one.topic.startsWith('homeassistant/'));
    expect(new Set(outside.map(({ payload }) => payload))).toEqual(new Set(['']));
    expect(outside.every(({ topic }) => topic.startsWith('heating2mqtt/home/heating/circuits/0/heating/schedule/'))).toBe(true);
  });

  test('another base: nothing is left under the old one', async () => {
    const house = await start();
    await plantForeign(house);
    await restarted(house, { mqtt: { base: 'haus/heizung' } }, 'haus/heizung');
    const retained = withoutForeign(await retainedOn(house.broker.url));
    expect([...retained.keys()].filter((topic) => topic.startsWith('heating2mqtt/'))).toEqual([]);
    const state = [...retained].find(([topic]) => topic === 'haus/heizung/bridge/state');
    expect(state).toEqual(['haus/heizung/bridge/state', 'online']);
  });

  test('discovery off, and another prefix: the old documents are withdrawn', async () => {
    const house = await start();
    await plantForeign(house);
    const documents = async () =>
      [...withoutForeign(await retainedOn(house.broker.url)).keys()].filter((topic) => topic.endsWith('/config'));
    const before = await documents();
    expect(before).toHaveLength(2);
    const heard = await restarted(house, { homeassistant: { prefix: 'ha' } });
    expect((await documents()).sort()).toEqual(before.map((topic) => topic.replace('homeassistant/', 'ha/')).sort());
    expect(heard.some(({ topic }) => topic.startsWith('heating2mqtt/home/'))).toBe(false);
    await restarted(house, { homeassistant: { discovery: 'off' } });
    expect(await documents()).toEqual([]);
  });

  test('a device removed, another added: only theirs change', async () => {
    const simulator = {
      home: { ...stillHome, devices: { ...stillHome.devices, second: { features: stillHome.devices['0']?.features ?? {} } } },
    };
    const house = await start({ ...ALL, simulator });
    await plantForeign(house);
    const first = device(house);
    const second = { ...first, name: 'second', device: 'second' };
    await restarted(house, { devices: [first, second] });
    await expectAll(withoutForeign(await retainedOn(house.broker.url)), house, ['home', 'second']);
    const heard = await restarted(house, { devices: [second] });
    await expectAll(withoutForeign(await retainedOn(house.broker.url)), house, ['second']);
    expect(heard.some(({ topic }) => topic.startsWith('heating2mqtt/second/'))).toBe(false);
    await restarted(house, {
      devices: [
        { ...first, name: 'second' },
        { ...second, name: 'home' },
      ],
    });
    await restarted(house, {
      devices: [
        { ...first, name: 'home' },
        { ...second, name: 'second' },
      ],
    });
    await expectAll(withoutForeign(await retainedOn(house.broker.url)), house, ['home', 'second']);
  });

  test('while the platform is away: what is configured away goes at once, the rest stays', async () => {
    const house = await start();
    await plantForeign(house);
    const before = featureTopics(await retainedOn(house.broker.url), 'heating2mqtt/home');
    await house.stopApp();
    house.simulator.control({ command: 'fault', kind: 'html502' });
    const schedule = 'heating2mqtt/home/heating/circuits/0/heating/schedule/';
    const wanted = [...before].filter(([topic]) => !topic.startsWith(schedule));
    const from = house.recorder.heard.length;
    await house.restart({ devices: [{ ...device(house), exclude: ['heating.circuits.0.heating.schedule'] }] });
    await house.recorder.untilTopic(`${schedule}entries`, '', from);
    await published(house, from);
    expect([...featureTopics(withoutForeign(await retainedOn(house.broker.url)), 'heating2mqtt/home')]).toEqual(wanted);
  });
});
