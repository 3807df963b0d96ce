import { expect, test } from 'vitest';
import type { Home } from '../../../src/simulator/home/home.ts';
import { daily, type ShownWeek } from '../../support/schedules/weeks.ts';
import { stillHome } from '../../support/system/testSystem.ts';
import {
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  type WiredSystem,
  type WiredSystemOptions,
  wiredSystem,
} from '../../support/system/virtualSystem.ts';

/** `now`, `next` and `next_at` of schedules, kept right by the real bridge in a time of its own. */

const SCHEDULE = 'heating.circuits.0.heating.schedule';
const TOPIC = 'heating2mqtt/home/heating/circuits/0/heating/schedule';
const homeWith = (value: ShownWeek): Home => {
  const device = stillHome.devices['0'];
  const schedule = device?.features[SCHEDULE];
  const properties = { active: { type: 'boolean', value: true }, entries: { type: 'Schedule', value } };
  return {
    ...stillHome,
    devices: { ...stillHome.devices, '0': { ...device, features: { ...device?.features, [SCHEDULE]: { ...schedule, properties } } } },
  };
};

const BERLIN = { setting: 'Europe/Berlin', machine: 'UTC' };
const ONE = daily('06:00-08:00 normal, 17:00-22:00 comfort');

const houseAt = async (at: string, week = ONE, options: WiredSystemOptions = {}): Promise<WiredSystem> => {
  const system = await wiredSystem({
    poll: { seconds: 86_400, jitter: 0 },
    timeZone: BERLIN,
    simulator: { home: homeWith(week) },
    startMs: Date.parse(at),
    ...options,
  });
  await system.start();
  await system.time.pass(5 * SECOND_MS);
  return system;
};

const shown = ({ retained }: Pick<WiredSystem, 'retained'>) => ['now', 'next', 'next_at'].map((leaf) => retained.get(`${TOPIC}/${leaf}`));

const messagesOfSchedule = ({ messages }: WiredSystem) =>
  messages
    .filter(({ topic }) => topic.startsWith(`${TOPIC}/`) && topic !== `${TOPIC}/overview`)
    .map(({ topic, payload }) => [topic.slice(TOPIC.length + 1), payload]);

test('they change at their minute, once each, and cost no call', async () => {
  const system = await houseAt('2026-11-23T06:58:00Z');
  expect(shown(system)).toEqual(['normal', 'reduced', '2026-11-23T08:00:00+01:00']);
  const calls = system.calls().length;
  system.forget();
  await system.time.pass(2 * MINUTE_MS - 6 * SECOND_MS);
  expect(messagesOfSchedule(system)).toEqual([]);
  await system.time.pass(2 * SECOND_MS);
  expect(shown(system)).toEqual(['reduced', 'comfort', '2026-11-23T17:00:00+01:00']);
  expect(messagesOfSchedule(system)).toHaveLength(3);
  await system.time.pass(10 * HOUR_MS);
  expect(shown(system)).toEqual(['comfort', 'reduced', '2026-11-23T22:00:00+01:00']);
  expect(messagesOfSchedule(system)).toHaveLength(6);
  expect(system.calls()).toHaveLength(calls);
  const all = system.messages.filter(({ topic }) => !topic.startsWith('heating2mqtt/bridge/'));
  expect(all).toHaveLength(8);
});

test('a new week shows as soon as it is accepted, and the timer follows it', async () => {
  const system = await houseAt('2026-11-23T06:58:00Z');
  system.send(`${TOPIC}/set`, JSON.stringify(daily('06:00-08:30 comfort')));
  await system.time.pass(2 * SECOND_MS);
  expect(shown(system)).toEqual(['comfort', 'reduced', '2026-11-23T08:30:00+01:00']);
  await system.time.pass(31 * MINUTE_MS);
  expect(shown(system)).toEqual(['comfort', 'reduced', '2026-11-23T08:30:00+01:00']);
  await system.time.pass(2 * MINUTE_MS);
  expect(shown(system)).toEqual(['reduced', 'comfort', '2026-11-24T06:00:00+01:00']);
});

test('a week that never changes mode has only now', async () => {
  const system = await houseAt('2026-11-23T06:58:00Z', daily('00:00-24:00 comfort'));
  expect(shown(system)).toEqual(['comfort', undefined, undefined]);
  system.send(`${TOPIC}/set`, JSON.stringify(daily('')));
  await system.time.pass(2 * SECOND_MS);
  expect(shown(system)).toEqual(['reduced', undefined, undefined]);
});

test('while the schedule is not active there are none', async () => {
  const system = await houseAt('2026-11-23T06:58:00Z');
  system.simulator.control({ command: 'set', device: '0', feature: SCHEDULE, property: 'active', value: false });
  system.send('heating2mqtt/bridge/poll/set', 'all');
  await system.time.pass(5 * SECOND_MS);
  expect(system.retained.get(`${TOPIC}/active`)).toBe('false');
  expect(shown(system)).toEqual([undefined, undefined, undefined]);
  system.forget();
  await system.time.pass(2 * HOUR_MS);
  expect(messagesOfSchedule(system)).toEqual([]);
});

test('the hour that is repeated, and the offset on both sides of it', async () => {
  const system = await houseAt('2026-10-25T00:05:00Z', daily('02:10-02:50 normal'));
  expect(shown(system)).toEqual(['reduced', 'normal', '2026-10-25T02:10:00+02:00']);
  await system.time.pass(10 * MINUTE_MS);
  expect(shown(system)).toEqual(['normal', 'reduced', '2026-10-25T02:50:00+02:00']);
  await system.time.pass(40 * MINUTE_MS);
  expect(shown(system)).toEqual(['reduced', 'normal', '2026-10-25T02:10:00+01:00']);
  await system.time.pass(20 * MINUTE_MS);
  expect(shown(system)).toEqual(['normal', 'reduced', '2026-10-25T02:50:00+01:00']);
});

test('a restart shows what is right now at once, with the platform away', async () => {
  const system = await houseAt('2026-11-23T06:58:00Z');
  await system.stop();
  await system.time.pass(12 * HOUR_MS);
  await system.simulator.close();
  system.forget();
  await system.start();
  await system.time.pass(SECOND_MS);
  expect(shown(system)).toEqual(['comfort', 'reduced', '2026-11-23T22:00:00+01:00']);
  // Nothing was cleared, or shown wrong, on the way.
  expect(messagesOfSchedule(system)).toEqual([
    ['now', 'comfort'],
    ['next_at', '2026-11-23T22:00:00+01:00'],
  ]);
});

test.each([
  [HOUR_MS, 'within ten minutes', ['reduced', 'comfort', '2026-11-23T17:00:00+01:00']],
  [-2 * HOUR_MS, 'within ten minutes', ['reduced', 'normal', '2026-11-23T06:00:00+01:00']],
  [HOUR_MS, 'at the next read', ['reduced', 'comfort', '2026-11-23T17:00:00+01:00']],
  [-2 * HOUR_MS, 'at the next read', ['reduced', 'normal', '2026-11-23T06:00:00+01:00']],
])('a clock that is set by %i ms is followed %s', async (byMs, when, then) => {
  const system = await houseAt('2026-11-23T06:30:00Z');
  expect(shown(system)).toEqual(['normal', 'reduced', '2026-11-23T08:00:00+01:00']);
  system.time.setWall(byMs);
  if (when === 'at the next read') system.send('heating2mqtt/bridge/poll/set', 'all');
  await system.time.pass(when === 'at the next read' ? 5 * SECOND_MS : 10 * MINUTE_MS);
  expect(shown(system)).toEqual(then);
});

const AUTO = { setting: 'auto', machine: 'Asia/Kolkata' };
const infoOf = ({ retained }: WiredSystem) => JSON.parse(retained.get('heating2mqtt/bridge/info') ?? '{}').devices;
const warnings = ({ logged }: WiredSystem) => logged.filter(({ sentence }) => sentence.includes('time zone'));

test("the machine's zone is the last resort: told once, and in bridge/info", async () => {
  const system = await houseAt('2026-11-23T06:30:00Z', ONE, { timeZone: AUTO });
  expect(shown(system)).toEqual(['reduced', 'comfort', '2026-11-23T17:00:00+05:30']);
  expect(warnings(system)).toEqual([
    { level: 'warn', facts: { time_zone: 'Asia/Kolkata' }, sentence: expect.stringContaining('schedules.time_zone') },
  ]);
  await system.time.pass(2 * MINUTE_MS);
  expect(infoOf(system)).toMatchObject([{ name: 'home', time_zone: 'Asia/Kolkata', time_zone_from: 'machine' }]);
  await system.time.pass(HOUR_MS);
  expect(warnings(system)).toHaveLength(1);
});

const GATEWAY: Home['devices'][string] = {
  features: { 'device.timezone': { properties: { value: { type: 'string', value: 'America/New_York' } } } },
};

const place = { installation: String(stillHome.installation), gateway: stillHome.gateway, exclude: [] };

test('a zone that another device of the gateway tells holds, no other is shown before, and one that is told later is followed', async () => {
  const home = homeWith(ONE);
  const system = await houseAt('2026-11-23T12:30:00Z', ONE, {
    timeZone: AUTO,
    simulator: { home: { ...home, devices: { ...home.devices, tcu: GATEWAY } } },
    devices: [
      { ...place, name: 'home', device: '0', features: [SCHEDULE] },
      { ...place, name: 'box', device: 'tcu', features: ['device.timezone'] },
    ],
  });
  await system.time.pass(10 * MINUTE_MS);
  expect(shown(system)).toEqual(['normal', 'reduced', '2026-11-23T08:00:00-05:00']);
  expect(messagesOfSchedule(system).filter(([leaf]) => leaf === 'next_at')).toHaveLength(1);
  const told = (time_zone: string) => ['home', 'box'].map((name) => ({ name, time_zone, time_zone_from: 'platform' }));
  expect(infoOf(system)).toMatchObject(told('America/New_York'));
  expect(warnings(system)).toEqual([]);
  system.simulator.control({ command: 'set', device: 'tcu', feature: 'device.timezone', value: 'Europe/Helsinki' });
  system.send('heating2mqtt/bridge/poll/set', 'box');
  await system.time.pass(10 * SECOND_MS);
  expect(shown(system)).toEqual(['reduced', 'comfort', '2026-11-23T17:00:00+02:00']);
  await system.time.pass(2 * MINUTE_MS);
  expect(infoOf(system)).toMatchObject(told('Europe/Helsinki'));
});

test('a restart that knows only a part clears nothing while it waits for the rest', async () => {
  const system = await houseAt('2026-11-23T06:30:00Z', ONE, {
    timeZone: AUTO,
    devices: [{ ...place, name: 'home', device: '0', features: [SCHEDULE, 'heating.not.there.yet'] }],
  });
  await system.time.pass(MINUTE_MS);
  const before = shown(system);
  expect(before).toEqual(['reduced', 'comfort', '2026-11-23T17:00:00+05:30']);
  await system.stop();
  await system.simulator.close();
  system.forget();
  await system.start();
  await system.time.pass(20 * SECOND_MS);
  expect(shown(system)).toEqual(before);
  expect(messagesOfSchedule(system)).toEqual([]);
});
