import { describe, expect, test } from 'vitest';
import { defaultHome, type Home, type HomeFeature } from '../../../src/simulator/home/home.ts';
import { sentBy, sharedSystem, started, write } from '../../support/schedules/writing.ts';
import { polled, published } from '../../support/system/outcome.ts';
import { type BridgeSystem, stillHome } from '../../support/system/testSystem.ts';
import type { VirtualTestOptions } from '../../support/system/virtualTestSystem.ts';

const { installation, gateway } = defaultHome;
const DEVICES: VirtualTestOptions = {
  overrides: {
    devices: Object.entries({ '0': 'home', 'RoomControl-1': 'rooms' }).map(([device, name]) => ({
      ...{ name, installation: String(installation), gateway, device, features: ['*'], exclude: [] },
    })),
    commands: { confirm_s: [0.02, 0.1, 0.5] },
  },
};

const C0 = 'heating2mqtt/home/heating/circuits/0/climate';
const C1 = 'heating2mqtt/home/heating/circuits/1/climate';
const ROOM = 'heating2mqtt/rooms/rooms/0/climate';
const W = 'heating2mqtt/home/heating/dhw/water_heater';
const MODE = 'heating.circuits.1.operating.modes.active';

const shown = (system: BridgeSystem, topic: string): Record<string, string | undefined> =>
  Object.fromEntries(
    ['mode', 'target', 'current', 'preset', 'action'].flatMap((part) => {
      const payload = system.recorder.last(`${topic}/${part}`);
      return payload === undefined ? [] : [[part, payload]];
    }),
  );

describe('the heating as a whole', () => {
  const system = sharedSystem(DEVICES);

  test('is shown of what the device has', async () => {
    expect(shown(system(), C0)).toEqual({ mode: 'auto', target: '21', current: '21.3', preset: 'none', action: 'idle' });
    expect(shown(system(), C1)).toEqual({ mode: 'off', preset: 'none', action: 'off' });
    expect(shown(system(), ROOM)).toEqual({ target: '20.5', current: '20.8', preset: 'none', action: 'idle' });
    expect(shown(system(), W)).toEqual({ mode: 'eco', target: '50', current: '48.6' });
    const topics = [...(await system().retained()).keys()].filter((topic) => /\/(?:climate|water_heater)\//.test(topic));
    expect(topics).toHaveLength(15);
  });

  test.each<[topic: string, payload: string, through: string, command: string, body: object, shows: string]>([
    [`${C0}/target`, '22.4', 'heating.circuits.0.operating.programs.normal', 'setTemperature', { targetTemperature: 22 }, '22'],
    [`${C0}/mode`, 'OFF', 'heating.circuits.0.operating.modes.active', 'setMode', { mode: 'standby' }, 'off'],
    [`${C0}/mode`, '"auto"', 'heating.circuits.0.operating.modes.active', 'setMode', { mode: 'heating' }, 'auto'],
    [`${C0}/preset`, 'comfort', 'heating.circuits.0.operating.programs.comfort', 'activate', {}, 'comfort'],
    [`${C0}/preset`, 'none', 'heating.circuits.0.operating.programs.comfort', 'deactivate', {}, 'none'],
    [`${C1}/mode`, 'auto', MODE, 'setMode', { mode: 'dhwAndHeating' }, 'auto'],
    [`${C1}/mode`, 'off', MODE, 'setMode', { mode: 'dhw' }, 'off'],
    [`${W}/mode`, 'high_demand', 'heating.dhw.operating.modes.active', 'setMode', { mode: 'efficientWithMinComfort' }, 'high_demand'],
    [`${W}/target`, '51 °C', 'heating.dhw.temperature.main', 'setTargetTemperature', { temperature: 51 }, '51'],
  ])('%s %s goes through %s', async (topic, payload, through, command, body, shows) => {
    const result = topic.replace(/[^/]+$/, 'result');
    const outcome = await write(system(), `${topic}/set`, payload, { result });
    const feature = topic.split('/').slice(2, -1).join('.');
    expect(outcome.terminal).toMatchObject({ status: 'applied', feature, through, command });
    expect(sentBy(outcome)).toEqual(body);
    expect(outcome.posts[0]?.path).toContain(`${through}/commands/${command}`);
    expect(system().recorder.last(topic)).toBe(shows);
    const again = await write(system(), `${topic}/set`, shows, { result });
    expect(again).toMatchObject({ terminal: { status: 'unchanged', feature }, posts: [] });
    const old = await write(system(), `${topic}/set`, `{"value":"${shows}","if_rev":"00000000","id":1}`, { result });
    expect(old.terminal).toMatchObject({ id: 1, status: 'rejected', code: 'conflict' });
  });

  test('what a part shows is accepted and changes nothing', async () => {
    const parts = [...(await system().retained())].filter(([topic]) => /\/(?:climate|water_heater)\/(?:mode|target|preset)$/.test(topic));
    expect(parts.length).toBeGreaterThan(7);
    for (const [topic, payload] of parts) {
      const { terminal, posts } = await write(system(), `${topic}/set`, payload);
      expect({ status: terminal.status, posts }, topic).toEqual({ status: 'unchanged', posts: [] });
    }
  });

  test.each<[topic: string, payload: string, refusal: object]>([
    [`${C1}/target`, '21', { code: 'not_writable', message: expect.stringContaining('the program standby, which is in force') }],
    [`${C0}/mode`, 'cool', { code: 'invalid', message: expect.stringContaining('off, auto') }],
    [`${C0}/target`, 'warm', { code: 'invalid' }],
    [`${C0}/target`, '{"value":38}', { code: 'invalid', errors: [expect.objectContaining({ path: '/value', rule: 'max' })] }],
    [`${C0}/target`, '{"value":21,"fro":"1h"}', { code: 'invalid', errors: [expect.objectContaining({ path: '/fro' })] }],
    [`${C0}/target`, '22.9 °F', { code: 'invalid' }],
    [`${C0}/current`, '20', { code: 'not_writable', message: expect.stringContaining('mode/set, target/set') }],
    [`${C0}/preset`, 'party', { code: 'invalid' }],
    [
      `${C0}/targt`,
      '20',
      { code: 'not_writable', message: expect.stringContaining('use mode/set, target/set, preset/set of heating.circuits.0.climate') },
    ],
    [C0, '{"mode":"off"}', { code: 'not_writable', message: expect.stringContaining('use mode/set') }],
    [`${W}/mode`, 'gas', { code: 'invalid' }],
    ['heating2mqtt/rooms/rooms/1/climate/target', '20', { code: 'unknown_feature' }],
  ])('refused without a command: %s %s', async (topic, payload, refusal) => {
    const { terminal, posts } = await write(system(), `${topic}/set`, payload);
    expect(terminal).toMatchObject({ status: 'rejected', ...refusal });
    expect(posts).toEqual([]);
  });
});

test("a room's target overrides its schedule, and shows what was sent until that has ended", async () => {
  const system = await started(DEVICES);
  const override = 'rooms.0.quickmodes.manualTillNextSchedule';
  const first = await write(system, `${ROOM}/target/set`, '22.3');
  expect(first.terminal).toMatchObject({ status: 'applied', command: 'activate', through: override, rounded_from: 22.3 });
  expect(sentBy(first)).toEqual({ temperature: 22.5 });
  expect(shown(system, ROOM)).toMatchObject({ target: '22.5', preset: 'manualTillNextSchedule' });
  const second = await write(system, `${ROOM}/target/set`, '23');
  expect(second.terminal).toMatchObject({ status: 'applied', command: 'setTemperature', through: override });
  expect(system.recorder.last(`${ROOM}/target`)).toBe('23');
  await system.restart();
  const from = system.recorder.heard.length;
  await published(system, from);
  expect((await write(system, `${ROOM}/target/set`, '23')).terminal.status).toBe('unchanged');
  const ended = system.recorder.heard.length;
  system.simulator.control({ command: 'set', device: 'RoomControl-1', feature: override, property: 'active', value: false });
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'rooms');
  await system.recorder.untilTopic(`${ROOM}/target`, '20.5', ended);
  await system.recorder.untilTopic(`${ROOM}/preset`, 'none', ended);
});

/** The built-in home, with a circuit 1 that has two modes which mean `auto`. */
const twoModes = (): Home => {
  const home = structuredClone(stillHome);
  const device = home.devices['0'];
  const setMode = {
    params: { mode: { type: 'string', required: true, constraints: { enum: ['standby', 'dhw', 'heating', 'dhwAndHeating'] } } },
  };
  const mode: HomeFeature = { properties: { value: { type: 'string', value: 'heating' } }, commands: { setMode } };
  return { ...home, devices: { ...home.devices, '0': { ...device, features: { ...device?.features, [MODE]: mode } } } };
};

test('auto goes back to the last mode that meant it, also after a restart', async () => {
  const system = await started({ ...DEVICES, simulator: { home: twoModes() } });
  expect(system.recorder.last(`${C1}/mode`)).toBe('auto');
  await write(system, `${C1}/mode/set`, 'off');
  await system.restart();
  await published(system, system.recorder.heard.length);
  expect(sentBy(await write(system, `${C1}/mode/set`, 'auto'))).toEqual({ mode: 'heating' });
});

test('with the parts the composite vanishes, and comes back with them', async () => {
  const system = await started(DEVICES);
  const sensor = 'rooms.0.sensors.temperature';
  const from = system.recorder.heard.length;
  system.simulator.control({ command: 'set', device: 'RoomControl-1', feature: sensor, property: 'status', value: 'notConnected' });
  await polled(system);
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'rooms');
  await system.recorder.untilTopic(`${ROOM}/target`, '', from);
  await system.recorder.untilTopic(`${ROOM}/preset`, '', from);
  const back = system.recorder.heard.length;
  system.simulator.control({ command: 'set', device: 'RoomControl-1', feature: sensor, property: 'status', value: 'connected' });
  await system.recorder.publish('heating2mqtt/bridge/poll/set', 'rooms');
  await system.recorder.untilTopic(`${ROOM}/target`, '20.5', back);
});

test('in a living house the target follows the program that a person activates', async () => {
  const system = await started({ ...DEVICES, simulator: { home: defaultHome } });
  const { terminal } = await write(system, `${C0}/preset/set`, 'comfort');
  expect(terminal.status).toBe('applied');
  await system.recorder.untilTopic(`${C0}/target`, '22');
  const outcome = await write(system, `${C0}/target/set`, '23');
  expect(outcome.terminal).toMatchObject({
    status: 'applied',
    through: 'heating.circuits.0.operating.programs.comfort',
    command: 'setTemperature',
  });
});
