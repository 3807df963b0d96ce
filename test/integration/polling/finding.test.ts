import { expect, onTestFinished, test } from 'vitest';
import { machineZone } from '../../../src/shared/timeZone.ts';
import { defaultHome } from '../../../src/simulator/home/home.ts';
import type { SimulatorOptions } from '../../../src/simulator/simulator.ts';
import { changeValues, emptied, valuesIn } from '../../support/system/database.ts';
import { published } from '../../support/system/outcome.ts';
import { type Overrides, SCHEDULE, stillHome } from '../../support/system/testSystem.ts';
import { startVirtualSystem, type VirtualTestOptions, type VirtualTestSystem } from '../../support/system/virtualTestSystem.ts';

const V2 = { profile: 'v2', read: 'auto' } as const;
const ROOMS = 'heating2mqtt/7571381699991111-RoomControl-1';

const start = async (
  choices: Overrides['choices'] = [],
  overrides: Overrides = {},
  options: VirtualTestOptions = {},
): Promise<VirtualTestSystem> => {
  const system = await startVirtualSystem({
    ...options,
    overrides: { ...overrides, platform: { ...V2, ...overrides.platform }, choices: choices ?? [] },
  });
  onTestFinished(() => system.close());
  return system;
};

const paths = (system: VirtualTestSystem): readonly string[] =>
  system.simulator
    .calls()
    .map(({ method, path, status }) => `${method} ${path.replace(/^.*(?=\/(?:gateways|installations)\b)/, '')} ${status}`);

const ofRooms = (system: VirtualTestSystem): readonly string[] =>
  [...system.onBroker.keys()].filter((topic) => topic.startsWith(`${ROOMS}/`));

/** The devices in `bridge/info`. */
const devicesIn = ({ recorder }: VirtualTestSystem): readonly object[] =>
  JSON.parse(recorder.last('heating2mqtt/bridge/info') ?? '{"devices":[]}').devices;

/** What the devices are called that hubs are offered. */
const calledIn = (system: VirtualTestSystem): readonly string[] =>
  [...system.onBroker]
    .flatMap(([topic, payload]) => (topic.startsWith('homeassistant/device/') ? [String(JSON.parse(payload).device.name)] : []))
    .sort();

const LIST = 'GET /installations?includeGateways=true 200';
const ALL_OF_GATEWAY = 'GET /gateways/7571381699991111/features?includeDevicesFeatures=true&skipDisabled=true 200';

test('devices are found, and one call reads them all; a restart asks for neither again', async () => {
  const system = await start();
  await system.recorder.untilTopic(`${ROOMS}/availability`, 'online');
  await system.recorder.untilTopic('heating2mqtt/7571381699991111-0/availability', 'online');
  const own = await system.recorder.untilTopic('heating2mqtt/7571381699991111-gateway/availability', 'online');
  expect(own.payload).toBe('online');
  expect(JSON.parse(system.recorder.last('heating2mqtt/7571381699991111-gateway/info') ?? '')).toMatchObject({
    type: 'vitoconnect',
    roles: ['type:gateway;VitoconnectOpto2/OT2', 'type:gatewayConfiguration'],
  });
  expect(system.recorder.last('heating2mqtt/7571381699991111-0/heating/dhw/schedule/entries')).toContain('mon');
  expect(paths(system)).toEqual([LIST, ALL_OF_GATEWAY]);
  // Without names in the settings hubs call them by their model or by what they are.
  const wanted = ['Gateway', 'HeatPump 8 kW', 'Room control'];
  await system.untilSo(
    () =>
      calledIn(system)
        .filter((name) => wanted.includes(name))
        .join() === wanted.join(),
  );
  const documents = JSON.stringify([...system.onBroker.values()]);
  expect(documents).toContain('sensor.heatpump_8_kw_outside_temperature');

  await system.stopApp();
  system.simulator.control({ command: 'reset' });
  const from = system.recorder.heard.length;
  await system.restart();
  await published(system, from);
  // What was read lately is remembered too.
  expect(paths(system)).toEqual([]);
});

test('what a gateway shows of itself is a device, also where no list names it', async () => {
  const own = 'heating2mqtt/7571381699991111-gateway';
  const system = await start([], {}, { simulator: { home: { ...defaultHome, gatewayUnlisted: true } } });
  await system.recorder.untilTopic(`${own}/availability`, 'online');
  await system.recorder.until(({ topic }) => topic === `${own}/gateway/wifi/strength`);
  await system.recorder.until(({ topic }) => topic === `${own}/gateway/devices/devices`);
  expect(JSON.parse((await system.recorder.untilTopic(`${own}/info`)).payload)).toMatchObject({
    gateway: '7571381699991111',
    device: 'gateway',
  });
  await system.recorder.untilTopic('homeassistant/device/heating2mqtt_7571381699991111_gateway/config');
  // The read that shows a device more is made once more.
  await system.untilSo(() => paths(system).length >= 3);
  await published(system);
  expect(paths(system)).toEqual([LIST, ALL_OF_GATEWAY, ALL_OF_GATEWAY]);
  await system.stopApp();
  system.simulator.control({ command: 'reset' });
  const from = system.recorder.heard.length;
  await system.restart();
  await published(system, from);
  expect(system.onBroker.get(`${own}/availability`)).toBe('online');
  expect(paths(system)).toEqual([]);
});

test('a gateway that the settings do not choose gets no device by what it shows', async () => {
  const choices = [{ device: '0', features: ['*'], exclude: [] }];
  const system = await start(
    choices,
    { platform: { read: 'gateway' } },
    { simulator: { home: { ...defaultHome, gatewayUnlisted: true } } },
  );
  await system.recorder.untilTopic('heating2mqtt/7571381699991111-0/info');
  await system.time.pass(1000);
  expect([...system.onBroker.keys()].filter((topic) => topic.includes('7571381699991111-gateway'))).toEqual([]);
});

test('where the list of devices was lost from disk, the first new one takes nothing away', async () => {
  const system = await start();
  await system.recorder.untilTopic(`${ROOMS}/availability`, 'online');
  await system.stopApp();
  const before = ofRooms(system);
  expect(before.length).toBeGreaterThan(5);
  emptied(system.settings.data_dir, 'inventory');
  system.simulator.control({ command: 'remove_device', device: 'RoomControl-1' });
  for (let run = 0; run < 2; run += 1) {
    const from = system.recorder.heard.length;
    await system.restart();
    await published(system, from);
    await system.untilSo(() => devicesIn(system).length === 2);
    expect(ofRooms(system)).toEqual(before);
    await system.stopApp();
  }
});

test('settings name and filter: the first entry that fits a device counts', async () => {
  const system = await start([
    { name: 'rooms', device: 'RoomControl-*', features: ['rooms.*.temperature'], exclude: [] },
    { name: 'home', role: 'type:heat*', features: [SCHEDULE, 'heating.dhw.schedule'], exclude: [] },
  ]);
  await system.recorder.untilTopic('heating2mqtt/home/availability', 'online');
  await system.recorder.untilTopic('heating2mqtt/rooms/availability', 'online');
  const retained = [...system.onBroker.keys()]
    .filter((topic) => topic.startsWith('heating2mqtt/'))
    .map((topic) => topic.split('/').slice(0, 2).join('/'));
  expect([...new Set(retained)].sort()).toEqual(['heating2mqtt/bridge', 'heating2mqtt/home', 'heating2mqtt/rooms']);
  expect(paths(system)).toEqual([LIST, ALL_OF_GATEWAY]);
});

test('where what is kept of the devices makes no sense, they are asked for again', async () => {
  const system = await start();
  await system.recorder.untilTopic(`${ROOMS}/availability`, 'online');
  await system.stopApp();
  changeValues(system.settings.data_dir, 'inventory', (text) => text.slice(0, 10));
  system.simulator.control({ command: 'reset' });
  await system.restart();
  await system.untilSo(() => paths(system).includes(LIST));
});

test('the zone of the installation, as the list tells it, is that of its schedules', async () => {
  const simulator = { home: { ...stillHome, timeZone: 'Asia/Kolkata' } };
  const system = await start([], { schedules: { time_zone: 'auto' } }, { simulator });
  const next = await system.recorder.until(({ topic }) => topic === 'heating2mqtt/7571381699991111-0/heating/dhw/schedule/next_at');
  expect(next.payload).toMatch(/T\d\d:\d\d:00\+05:30$/u);
  const device = { name: '7571381699991111-0', gateway: '7571381699991111', device: '0' };
  await system.untilSo(() => JSON.stringify(devicesIn(system)).includes('"time_zone_from":"platform"'));
  expect(devicesIn(system)).toContainEqual({ ...device, time_zone: 'Asia/Kolkata', time_zone_from: 'platform' });
  expect(system.logged.filter(({ sentence }) => sentence.includes('time zone'))).toEqual([]);

  await system.restart();
  expect(valuesIn(system.settings.data_dir, 'inventory').get('7571381699991111/0')).toMatchObject({ timeZone: 'Asia/Kolkata' });
});

test.each([
  ['auto', {}],
  ['device', {}],
  ['auto', { furtherGateways: 1 }],
] as const)('that no zone is told is warned of once, also at a first start: read %s, %j', async (read, simulator) => {
  const system = await start([], { schedules: { time_zone: 'auto' }, platform: { read } }, { simulator });
  const warnings = () => system.logged.filter(({ level, sentence }) => level === 'warn' && sentence.includes('gives no time zone'));
  await system.untilSo(() => warnings().length > 0);
  expect(warnings()[0]?.facts).toEqual({ time_zone: machineZone() });
  await system.recorder.until(({ topic }) => topic === 'heating2mqtt/7571381699991111-0/heating/dhw/schedule/next_at');
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'x');
  await system.recorder.untilTopic('heating2mqtt/bridge/result');
  await system.stopApp();
  expect(warnings()).toHaveLength(1);
});

/** As if so many hours had passed since the last list. */
const age = (system: VirtualTestSystem, hours: number): void => {
  const earlier = (text: string): string => String(Number(text) - hours * 3_600_000);
  changeValues(system.settings.data_dir, 'inventory', (text) => text.replaceAll(/(?<="(?:listed_at_ms|since_ms)":)\d+/gu, earlier));
};

test('a device that vanishes goes after three lists over a day, one that appears comes with the next', async () => {
  const system = await start();
  await system.recorder.untilTopic(`${ROOMS}/availability`, 'online');
  system.simulator.control({ command: 'remove_device', device: 'RoomControl-1' });
  for (let list = 1; list <= 3; list += 1) {
    await system.stopApp();
    age(system, 25);
    system.simulator.control({ command: 'reset' });
    const from = system.recorder.heard.length;
    expect(ofRooms(system).length).toBeGreaterThan(10);
    const before = JSON.stringify([...valuesIn(system.settings.data_dir, 'inventory')]);
    await system.restart();
    await system.untilSo(() => paths(system).includes(LIST));
    // The list is on disk as soon as it has counted.
    await system.untilSo(() => JSON.stringify([...valuesIn(system.settings.data_dir, 'inventory')]) !== before);
    if (list === 3) await system.recorder.untilTopic(`${ROOMS}/availability`, '', from);
  }
  await system.untilSo(() => ofRooms(system).length === 0);

  await system.stopApp();
  age(system, 25);
  system.simulator.control({ command: 'restore_device', device: 'RoomControl-1' });
  const from = system.recorder.heard.length;
  await system.restart();
  await system.recorder.untilTopic(`${ROOMS}/availability`, 'online', from);
});

test.each([
  ['not paid', { status: 402, body: { errorType: 'PACKAGE_NOT_PAID_FOR', statusCode: 402, message: null } }],
  ['not found', { status: 404, body: { errorType: 'NOT_FOUND', statusCode: 404, message: 'no' } }],
])('a gateway read that is %s falls back to one call for each device', async (_, fault) => {
  const system = await start(
    undefined,
    {},
    { prepare: (simulator) => void simulator.control({ command: 'fault', match: { path: 'includeDevicesFeatures' }, ...fault }) },
  );
  await system.recorder.untilTopic(`${ROOMS}/availability`, 'online');
  await system.recorder.untilTopic('heating2mqtt/7571381699991111-gateway/availability', 'online');
  await system.recorder.untilTopic('heating2mqtt/7571381699991111-0/availability', 'online');
  const features = paths(system).slice(1);
  expect(features.filter((path) => path.includes('includeDevicesFeatures'))).toHaveLength(1);
  expect(features.slice(1).sort()).toEqual([
    'GET /gateways/7571381699991111/devices/0/features?skipDisabled=true 200',
    'GET /gateways/7571381699991111/devices/RoomControl-1/features?skipDisabled=true 200',
    'GET /gateways/7571381699991111/features?skipDisabled=true 200',
  ]);
});

test('a command goes to the gateway level for the device gateway, and its features are written where they are read', async () => {
  const system = await start();
  await system.recorder.untilTopic(`${ROOMS}/availability`, 'online');
  await system.recorder.publish('heating2mqtt/7571381699991111-0/heating/dhw/temperature/main/call/setTargetTemperature', '51');
  const done = await system.recorder.until(({ topic, payload }) => topic.endsWith('-0/result') && !payload.includes('"accepted"'));
  expect(JSON.parse(done.payload)).toMatchObject({ status: 'applied' });
  expect(system.posts().map(({ path }) => path)).toEqual([
    '/iot/v2/features/installations/111222/gateways/7571381699991111/devices/0/features/heating.dhw.temperature.main/commands/setTargetTemperature',
  ]);
});

const many = Array.from({ length: 60 }, (_, i) => ({
  id: 5000 + i,
  gateways: [{ serial: `g${i}`, gatewayType: i % 2 === 0 ? 'Lancard' : 'VitoconnectOpto1', devices: [{ id: '0', roles: [] }] }],
}));

test('all pages of the list are read, and gateways of type Lancard are left out', async () => {
  const simulator: SimulatorOptions = { home: { ...stillHome, neighbours: many } };
  const system = await start([{ device: '0', gateway: 'g*', features: ['*'], exclude: [] }], {}, { simulator });
  await system.untilSo(() => devicesIn(system).length === 30);
  expect(paths(system).slice(0, 2)).toEqual([LIST, LIST.replace('=true', '=true&cursor=50')]);
});

test('paths that are gone: one message with what took their place, one call, no storm', async () => {
  const features = ['heating.circuits.0.heating.schedule', 'heating.dhw.schedule', 'heating.sensors.temperature.outside'];
  const system = await startVirtualSystem({ simulator: { v1Retired: true }, device: { features }, overrides: { poll: { seconds: 1 } } });
  onTestFinished(() => system.close());
  await system.untilSo(() => system.logged.some(({ facts }) => 'code' in facts && facts.code === 'gone'));
  // From then on commands are heard.
  await system.recorder.untilTopic('heating2mqtt/bridge/state', 'online');
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'now');
  const { payload } = await system.recorder.until(({ topic }) => topic === 'heating2mqtt/bridge/result');
  expect(JSON.parse(payload)).toMatchObject({ status: 'rejected', code: 'unreadable' });
  expect(system.reads()).toBe(1);
  const said = system.logged.filter(({ level }) => level === 'warn');
  expect(said).toHaveLength(1);
  expect(JSON.stringify(said)).toContain('GET /iot/v2/features/installations/');
});

test.each([
  [undefined, '; `heating2mqtt check --devices` prints them'],
  ['parents', '; `heating2mqtt check --account parents --devices` prints them'],
  [false, ''],
] as const)('an entry that chooses no device is told once, with what prints the devices of the account %s', async (account, tail) => {
  const choices = [
    { device: '0', features: ['*'], exclude: [] },
    { device: '9', features: ['*'], exclude: [] },
  ];
  const system = await start(choices, account === undefined ? {} : { account });
  const told = system.logged.filter(({ sentence }) => sentence.startsWith('these entries of devices match no device'));
  expect(told).toMatchObject([
    { facts: { entries: [{ device: '9' }] }, sentence: `these entries of devices match no device that the platform lists${tail}` },
  ]);
});
