import { describe, expect, test } from 'vitest';
import { mainDocumentTopic } from '../../../src/homeassistant/documents/publishedDocument.ts';
import { featureTopics, recordsFrom, stateOf } from '../../support/devices/expected.ts';
import { isOfPart } from '../../support/devices/isOfPart.ts';
import { barrier, started } from '../../support/schedules/writing.ts';
import { emptied, PUBLISHED } from '../../support/system/database.ts';
import { ALL, isOwn, published } from '../../support/system/outcome.ts';
import { type Overrides, stillHome } from '../../support/system/testSystem.ts';
import type { VirtualTestOptions, VirtualTestSystem } from '../../support/system/virtualTestSystem.ts';

const start = (options: VirtualTestOptions = ALL): Promise<VirtualTestSystem> => started(options);

/** Restarts the bridge and gives what was heard of it until it has told all. */
const restarted = async (system: VirtualTestSystem, overrides: Overrides = {}, base = 'heating2mqtt') => {
  await system.stopApp();
  await system.recorder.caughtUp();
  const from = system.recorder.heard.length;
  await system.restart(overrides);
  await published(system, from, base);
  // Then the documents are out too.
  await system.time.pass(1000);
  return system.recorder.heard.slice(from);
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
const plantForeign = async ({ recorder }: VirtualTestSystem): Promise<void> => {
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
  system: VirtualTestSystem,
  names: readonly string[] = ['home'],
  base = 'heating2mqtt',
) => {
  const documents = names.map((_, index) => system.settings.devices[index]?.device ?? '');
  const offered = [...retained.keys()].filter((topic) => topic.startsWith('homeassistant/'));
  expect(offered.filter((topic) => !isOfPart(topic))).toHaveLength(documents.length + 1);
  for (const topic of offered) expect(offered).toContain(mainDocumentTopic(topic));
  for (const [index, name] of names.entries()) {
    const root = `${base}/${name}`;
    const { device = '', features = [], exclude = [] } = system.settings.devices[index] ?? {};
    const records = (await recordsFrom(system.simulator, device)).filter(
      ({ feature }) => (features.includes('*') || features.includes(feature)) && !exclude.includes(feature),
    );
    const wanted = stateOf(root, records, { nowMs: system.time.now(), zone: 'UTC' });
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
    const system = await start();
    const before = await system.retained();
    for (let round = 0; round < 2; round += 1) expect((await restarted(system)).filter((one) => !isOwn(one))).toEqual([]);
    expect([...(await system.retained()).keys()].sort()).toEqual([...before.keys()].sort());
  });

  test('publishes what has changed meanwhile, and only that', async () => {
    const system = await start();
    await system.stopApp();
    system.simulator.control({ command: 'set', feature: 'heating.dhw.sensors.temperature.dhwCylinder', value: 47.3 });
    system.simulator.control({ command: 'remove_value', feature: 'heating.sensors.temperature.outside' });
    const from = system.recorder.heard.length;
    await system.restart();
    await published(system, from);
    const root = 'heating2mqtt/home/heating';
    await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await system.recorder.untilTopic(`${root}/dhw/sensors/temperature/dhwCylinder/value`, '47.3', from);
    await system.recorder.untilTopic(`${root}/sensors/temperature/outside/status`, 'notConnected', from);
    await barrier(system);
    const heard = system.recorder.heard.slice(from).filter(({ topic }) => topic.startsWith(root));
    expect(new Map(heard.filter((one) => !isOwn(one)).map(({ topic, payload }) => [topic, payload]))).toEqual(
      new Map([
        [`${root}/dhw/sensors/temperature/dhwCylinder/value`, '47.3'],
        [`${root}/sensors/temperature/outside/value`, ''],
        [`${root}/sensors/temperature/outside/status`, 'notConnected'],
      ]),
    );
  });

  test('without its data folder publishes everything', async () => {
    const system = await start();
    const before = await system.retained();
    await system.stopApp();
    emptied(system.settings.data_dir, ...PUBLISHED);
    const heard = await restarted(system);
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
  const device = (system: VirtualTestSystem) => {
    const [first] = system.settings.devices;
    if (!first) throw new Error('no device');
    return first;
  };

  test('a device renamed: its old topics are gone, its new ones there', async () => {
    const system = await start();
    await plantForeign(system);
    await restarted(system, { devices: [{ ...device(system), name: 'my house' }] });
    const retained = withoutForeign(await system.retained());
    await expectAll(retained, system, ['my%20house']);
  });

  test('a feature dropped: its topics are gone, no other is touched', async () => {
    const system = await start();
    await plantForeign(system);
    const dropped = 'heating.circuits.0.heating.schedule';
    const heard = await restarted(system, { devices: [{ ...device(system), exclude: [dropped] }] });
    await expectAll(withoutForeign(await system.retained()), system);
    const outside = heard.filter((one) => !isOwn(one) && !one.topic.startsWith('homeassistant/'));
    expect(new Set(outside.map(({ payload }) => payload))).toEqual(new Set(['']));
    expect(outside.every(({ topic }) => topic.startsWith('heating2mqtt/home/heating/circuits/0/heating/schedule/'))).toBe(true);
  });

  test('another base: nothing is left under the old one', async () => {
    const system = await start();
    await plantForeign(system);
    await restarted(system, { mqtt: { base: 'haus/heizung' } }, 'haus/heizung');
    const retained = withoutForeign(await system.retained());
    expect([...retained.keys()].filter((topic) => topic.startsWith('heating2mqtt/'))).toEqual([]);
    const state = [...retained].find(([topic]) => topic === 'haus/heizung/bridge/state');
    expect(state).toEqual(['haus/heizung/bridge/state', 'online']);
  });

  test('discovery off, and another prefix: the old documents are withdrawn', async () => {
    const system = await start();
    await plantForeign(system);
    const documents = async () => [...withoutForeign(await system.retained()).keys()].filter((topic) => topic.endsWith('/config'));
    const before = await documents();
    expect(before.filter((topic) => !isOfPart(topic))).toHaveLength(2);
    expect(before.some(isOfPart)).toBe(true);
    const heard = await restarted(system, { homeassistant: { prefix: 'ha' } });
    expect((await documents()).sort()).toEqual(before.map((topic) => topic.replace('homeassistant/', 'ha/')).sort());
    expect(heard.some(({ topic }) => topic.startsWith('heating2mqtt/home/'))).toBe(false);
    await restarted(system, { homeassistant: { discovery: 'off' } });
    expect(await documents()).toEqual([]);
  });

  test('a device removed, another added: only theirs change', async () => {
    const simulator = {
      home: { ...stillHome, devices: { ...stillHome.devices, second: { features: stillHome.devices['0']?.features ?? {} } } },
    };
    const system = await start({ ...ALL, simulator });
    await plantForeign(system);
    const first = device(system);
    const second = { ...first, name: 'second', device: 'second' };
    await restarted(system, { devices: [first, second] });
    await expectAll(withoutForeign(await system.retained()), system, ['home', 'second']);
    const heard = await restarted(system, { devices: [second] });
    await expectAll(withoutForeign(await system.retained()), system, ['second']);
    expect(heard.some(({ topic }) => topic.startsWith('heating2mqtt/second/'))).toBe(false);
    await restarted(system, {
      devices: [
        { ...first, name: 'second' },
        { ...second, name: 'home' },
      ],
    });
    await restarted(system, {
      devices: [
        { ...first, name: 'home' },
        { ...second, name: 'second' },
      ],
    });
    await expectAll(withoutForeign(await system.retained()), system, ['home', 'second']);
  });

  test('while the platform is away: what is configured away goes at once, the rest stays', async () => {
    const system = await start();
    await plantForeign(system);
    const before = featureTopics(await system.retained(), 'heating2mqtt/home');
    await system.stopApp();
    system.simulator.control({ command: 'fault', kind: 'html502' });
    const schedule = 'heating2mqtt/home/heating/circuits/0/heating/schedule/';
    const wanted = [...before].filter(([topic]) => !topic.startsWith(schedule));
    const from = system.recorder.heard.length;
    await system.restart({ devices: [{ ...device(system), exclude: ['heating.circuits.0.heating.schedule'] }] });
    await system.recorder.untilTopic(`${schedule}entries`, '', from);
    await published(system, from);
    expect([...featureTopics(withoutForeign(await system.retained()), 'heating2mqtt/home')]).toEqual(wanted);
  });
});
