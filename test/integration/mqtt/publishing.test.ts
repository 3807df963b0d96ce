import { describe, expect, test } from 'vitest';
import { defaultHome, type Home, type HomeFeature } from '../../../src/simulator/home/home.ts';
import { DEVICES, expectFound } from '../../support/devices/deviceFiles.ts';
import { describedBy, featureTopics, type RawRecord, recordsFrom, stateOf } from '../../support/devices/expected.ts';
import { started } from '../../support/schedules/writing.ts';
import { ALL, CANARY, CANARY_TOPIC, heardInPoll, isOwn, published, restarted } from '../../support/system/outcome.ts';
import type { VirtualTestSystem } from '../../support/system/virtualTestSystem.ts';

/** The home with these features of device 0 and no others. */
const homeOf = (features: Readonly<Record<string, HomeFeature>>): Home => ({
  ...defaultHome,
  lives: false,
  gatewayFeatures: {},
  devices: { '0': { features } },
});

const bridgeOf = (features: Readonly<Record<string, HomeFeature>>): Promise<VirtualTestSystem> =>
  started({ simulator: { home: homeOf(features) }, device: { features: ['*'] } });

/** The broker holds what the records of this device say, and nothing else. */
const expectRecords = async (system: VirtualTestSystem, root = 'heating2mqtt/home', device = '0'): Promise<readonly RawRecord[]> => {
  const records = await recordsFrom(system.simulator, device);
  const seen = featureTopics(await system.retained(), root);
  const moment = { nowMs: system.time.now(), zone: 'UTC' };
  const wanted = stateOf(root, records, moment);
  expect([...seen.keys()].sort()).toEqual([...wanted.keys()].sort());
  for (const [topic, payload] of wanted) if (payload !== '') expect([topic, seen.get(topic)]).toEqual([topic, payload]);
  for (const record of records) {
    const topic = [...stateOf(root, [record], moment).keys()].find((each) => each.endsWith('/record'));
    if (topic === undefined) continue;
    const shown: unknown = JSON.parse(seen.get(topic) ?? '');
    expect(shown).toEqual({ ...describedBy(record), rev: expect.stringMatching(/^[0-9a-f]{8}$/) });
  }
  return records;
};

const value = (type: string, of?: unknown, unit?: string) => ({
  type,
  ...(of === undefined ? {} : { value: JSON.parse(JSON.stringify(of)) }),
  ...(unit === undefined ? {} : { unit }),
});

describe('a property and its payload', () => {
  /** All forms of values: test/unit/topics/valuePayload.test.ts. */
  const ROWS: readonly (readonly [string, unknown, string | undefined])[] = [
    ['boolean', true, 'true'],
    ['boolean', false, 'false'],
    ['number', 21.5, '21.5'],
    ['number', 1e21, '1000000000000000000000'],
    ['string', '"quoted"', '"quoted"'],
    ['string', ' blanks kept ', ' blanks kept '],
    ['string', 'Wärme 🔥', 'Wärme 🔥'],
    ['string', '', undefined],
    ['string', null, undefined],
    ['number', undefined, undefined],
    ['array', [1, 'a', null, { b: [] }], '[1,"a",null,{"b":[]}]'],
    ['object', { a: { b: 1 } }, '{"a":{"b":1}}'],
    ['DeviceList', [{ id: '1' }], '[{"id":"1"}]'],
    ['Colour', 'red', 'red'],
    ['Pressure', 1e-9, '0.000000001'],
  ];

  test('of every type, the value bare and without what it is called', async () => {
    const properties = Object.fromEntries(ROWS.map(([type, of], index) => [`p${index}`, value(type, of, 'celsius')]));
    const { retained: read } = await bridgeOf({ 'all.types': { properties } });
    const retained = await read();
    const seen = ROWS.map(([type, of], index) => [type, of, retained.get(`heating2mqtt/home/all/types/p${index}`)]);
    expect(seen).toEqual(ROWS);
  });

  test('half a character of UTF-16 is no change after a restart', async () => {
    const system = await bridgeOf({ 'a.b': { properties: { value: value('string', '\ud800') } } });
    const from = await restarted(system);
    expect((await system.retained()).get('heating2mqtt/home/a/b/value')).toBe('\ufffd');
    expect(system.recorder.heard.slice(from).filter((heard) => !isOwn(heard))).toEqual([]);
  });

  test('a week in one order of days and keys, on its own topic and on entries', async () => {
    const entry = { position: 0, mode: 'normal', end: '22:00', start: '06:00' };
    const week = { sun: [], sat: [], fri: [], thu: [], wed: [], tue: [entry], mon: [] };
    const { retained: read } = await bridgeOf({
      'a.schedule': { properties: { plan: value('Schedule', week), active: value('boolean', true) } },
    });
    const retained = await read();
    const text =
      '{"mon":[],"tue":[{"start":"06:00","end":"22:00","mode":"normal","position":0}],"wed":[],"thu":[],"fri":[],"sat":[],"sun":[]}';
    expect(retained.get('heating2mqtt/home/a/schedule/plan')).toBe(text);
    expect(retained.get('heating2mqtt/home/a/schedule/entries')).toBe(text);
  });
});

describe('names', () => {
  test('what is no plain character of a topic is written %XX; `__proto__` and the like are names as any other', async () => {
    const names = ['a b', 'a/b', 'a+b', 'a#b', 'ä', '%41', '🔥', 'a.b', '__proto__', 'constructor', 'toString', '$SYS'];
    const properties = Object.fromEntries(names.map((name, index) => [name, value('number', index)]));
    const system = await bridgeOf({ 'odd.näme #1': { properties }, __proto__: { properties: { value: value('string', 'x') } } });
    const retained = await system.retained();
    expect(retained.get('heating2mqtt/home/odd/n%C3%A4me%20%231/a%2Fb')).toBe('1');
    expect(retained.get('heating2mqtt/home/odd/n%C3%A4me%20%231/%F0%9F%94%A5')).toBe('6');
    expect(retained.get('heating2mqtt/home/odd/n%C3%A4me%20%231/__proto__')).toBe('8');
    await expectRecords(system);
  });

  test('a property with a reserved name is told once and lives in the record', async () => {
    const reserved = 'set call result record validate undo until profile text overview now next next_at mon sun'.split(' ');
    const properties = Object.fromEntries(reserved.map((name) => [name, value('string', `of ${name}`)]));
    const system = await bridgeOf({ 'a.b': { properties }, [CANARY]: { properties: { value: value('number', 1) } } });
    await heardInPoll(system);
    const retained = await system.retained();
    await expectRecords(system);
    expect(JSON.parse(retained.get('heating2mqtt/home/a/b/record') ?? '')).toMatchObject({ properties: { mon: { value: 'of mon' } } });
    expect(system.logged.filter(({ sentence }) => sentence.includes('the name of this property is reserved'))).toHaveLength(
      reserved.length,
    );
  });
});

describe('the retained topics are what the records say', () => {
  test.each([
    ['auto', false],
    ['auto', true],
    ['feature', false],
    ['feature', true],
  ] as const)('of the built-in home, read: %s, wrapped: %s', async (read, wrapped) => {
    const features = read === 'auto' ? ['*'] : Object.keys(defaultHome.devices['0']?.features ?? {});
    const system = await started({ ...ALL, simulator: { wrapped }, device: { features }, overrides: { platform: { read } } });
    expect((await expectRecords(system)).length).toBeGreaterThan(70);
    expect(system.logged.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('of every device', async () => {
    const system = await started({ simulator: { recorded: DEVICES }, device: { features: ['*'], device: 'none' } });
    const { simulator } = system;
    const device = (id: string) => ({
      name: `the ${id}`,
      installation: String(simulator.installation),
      gateway: simulator.gateway,
      device: id,
      features: ['*'],
      exclude: [],
    });
    const from = system.recorder.heard.length;
    await system.restart({ devices: simulator.devices.map(device) });
    await published(system, from);
    const retained = await system.retained();
    expectFound(simulator.devices.length, 19);
    for (const id of simulator.devices) {
      await expectRecords(system, `heating2mqtt/the%20${id}`, id);
      expect(retained.get(`heating2mqtt/the%20${id}/availability`)).toBe('online');
      expect(JSON.parse(retained.get(`heating2mqtt/the%20${id}/info`) ?? '')).toMatchObject({ device: id, gateway: simulator.gateway });
    }
  });
});

describe('a poll', () => {
  test('that changes nothing publishes nothing outside bridge/, and there nothing twice within a minute', async () => {
    const system = await started(ALL);
    const from = system.recorder.heard.length;
    for (let round = 0; round < 5; round += 1) expect(await heardInPoll(system)).toEqual([]);
    const own = system.recorder.heard.slice(from).filter(({ topic }) => topic !== CANARY_TOPIC && !/\/(poll\/set|result)$/.test(topic));
    expect(own).toEqual([]);
  });

  test('publishes exactly what changed, the record only where rev changed', async () => {
    const system = await started(ALL);
    const root = 'heating2mqtt/home/heating';
    system.simulator.control({ command: 'set', feature: 'heating.dhw.sensors.temperature.dhwCylinder', value: 47.3 });
    expect(await heardInPoll(system)).toMatchObject([{ topic: `${root}/dhw/sensors/temperature/dhwCylinder/value`, payload: '47.3' }]);
    const before = JSON.parse(system.recorder.last(`${root}/circuits/0/heating/curve/record`) ?? '');
    system.simulator.control({ command: 'set', feature: 'heating.circuits.0.heating.curve', property: 'slope', value: 1.1 });
    const heard = await heardInPoll(system);
    expect(heard.map(({ topic }) => topic).sort()).toEqual([
      `${root}/circuits/0/heating/curve/record`,
      `${root}/circuits/0/heating/curve/slope`,
    ]);
    const after = JSON.parse(system.recorder.last(`${root}/circuits/0/heating/curve/record`) ?? '');
    expect(after).toEqual({ ...before, rev: expect.not.stringMatching(before.rev) });
  });

  test('clears the topic of a value that is gone, and shows it again when it is back', async () => {
    const system = await started(ALL);
    const feature = 'heating.dhw.sensors.temperature.dhwCylinder';
    const topic = 'heating2mqtt/home/heating/dhw/sensors/temperature/dhwCylinder/value';
    system.simulator.control({ command: 'remove_value', feature });
    const heard = await heardInPoll(system);
    expect(heard.map(({ topic, payload }) => [topic, payload])).toEqual(
      expect.arrayContaining([
        [topic, ''],
        [topic.replace('value', 'status'), 'notConnected'],
      ]),
    );
    expect(heard).toHaveLength(2);
    expect((await system.retained()).has(topic)).toBe(false);
    system.simulator.control({ command: 'set', feature, value: 44 });
    expect((await heardInPoll(system)).map(({ topic, payload }) => [topic, payload])).toContainEqual([topic, '44']);
  });

  test('clears all topics of a feature that was disabled', async () => {
    const system = await started(ALL);
    const root = 'heating2mqtt/home/heating/dhw/sensors/temperature/dhwCylinder/';
    const before = [...(await system.retained()).keys()].filter((topic) => topic.startsWith(root));
    expect(before.length).toBeGreaterThan(1);
    system.simulator.control({ command: 'disable_feature', feature: 'heating.dhw.sensors.temperature.dhwCylinder' });
    const heard = await heardInPoll(system);
    expect(
      heard
        .filter(({ topic }) => topic.startsWith(root))
        .map(({ topic, payload }) => [topic, payload])
        .sort(),
    ).toEqual(before.sort().map((topic) => [topic, '']));
    await expectRecords(system);
  });

  test('a record that makes no sense spoils itself only, and is told once', async () => {
    const system = await started(ALL);
    const before = featureTopics(await system.retained(), 'heating2mqtt/home');
    const records = await recordsFrom(system.simulator, '0');
    const rotten = { feature: 'heating.dhw', gatewayId: system.simulator.gateway, deviceId: '0', isEnabled: 'perhaps', properties: 7 };
    const list = [...records.filter(({ feature }) => feature !== 'heating.dhw'), rotten, null, 'text', { feature: 7 }];
    const read = (value: number) =>
      list.map((record) =>
        record !== null && typeof record === 'object' && record.feature === CANARY
          ? { ...record, properties: { value: { type: 'number', value } } }
          : record,
      );
    for (const value of [31, 32, 33]) {
      system.simulator.control({ command: 'clear' });
      system.simulator.control({ command: 'fault', match: { path: 'features$' }, body: { data: read(value) } });
      const from = system.recorder.heard.length;
      await system.recorder.publish('heating2mqtt/bridge/poll/set', 'home');
      await system.recorder.untilTopic(CANARY_TOPIC, String(value), from);
    }
    const after = featureTopics(await system.retained(), 'heating2mqtt/home');
    for (const [topic, payload] of before) if (!topic.includes('/outside/')) expect([topic, after.get(topic)]).toEqual([topic, payload]);
    const told = system.logged.filter(({ level, sentence }) => level === 'warn' && sentence.includes('is invalid and is ignored'));
    expect(told).toHaveLength(4);
    expect(told).toContainEqual(expect.objectContaining({ facts: expect.objectContaining({ feature: 'heating.dhw', device: 'home' }) }));
  });
});

test('the line of the first read counts the topics of features that there are then', async () => {
  const system = await started(ALL);
  const topics = featureTopics(await system.retained(), 'heating2mqtt/home').size;
  const line = system.logged.find(({ sentence }) => sentence === 'the first read is done');
  expect(line?.facts).toMatchObject({ topics });
});
