import { describe, expect, onTestFinished, test } from 'vitest';
import { startSimulator } from '../../../src/simulator/simulator.ts';
import { DEVICES, expectFound } from '../../support/devices/deviceFiles.ts';
import { daily, day, type ShownWeek, weekText } from '../../support/schedules/weeks.ts';
import {
  ENTRIES,
  ENTRIES_SET,
  type Outcome,
  RESULT,
  resultIn,
  resultOf,
  SET,
  sharedSystem,
  terminalFor,
  write,
} from '../../support/schedules/writing.ts';
import { type BridgeSystem, SCHEDULE } from '../../support/system/testSystem.ts';
import { startVirtualSystem } from '../../support/system/virtualTestSystem.ts';

const DHW = 'heating2mqtt/home/heating/dhw/schedule';
const VENTILATION = 'heating2mqtt/home/ventilation/schedule';
const POST_PATH = '/iot/v1/equipment/installations/111222/gateways/7571381699991111/devices/0/features';

const shownOn = (system: BridgeSystem, topic: string): ShownWeek => JSON.parse(system.recorder.last(topic) ?? '');
const json = (value: unknown): string => JSON.stringify(value);

/** One POST with exactly this week, one read that confirms it, and the week shown as soon as the platform has said yes. */
const expectSent = (outcome: Outcome, week: ShownWeek, schedule: string, changed: readonly string[]): void => {
  const text = weekText(week);
  expect(outcome.statuses).toEqual(['accepted', 'applied']);
  expect(outcome.posts.map(({ path, body }) => [path, body])).toEqual([
    [`${POST_PATH}/${schedule}/commands/setSchedule`, `{"newSchedule":${text}}`],
  ]);
  expect(outcome.reads).toBe(1);
  expect(outcome.terminal).toMatchObject({ feature: schedule, command: 'setSchedule', changed });
  const entries = outcome.others.filter(({ topic }) => topic.endsWith('/schedule/entries'));
  expect(entries.map(({ payload }) => payload)).toEqual([text]);
};

describe('a week that is accepted', () => {
  const system = sharedSystem({ device: { features: [SCHEDULE, 'heating.dhw.schedule', 'ventilation.schedule'] } });

  test.each([SET, ENTRIES_SET])('goes as seven days in one call, days not named as they were read: on %s', async (topic) => {
    const before = shownOn(system(), ENTRIES);
    const wed = day(topic === SET ? '05:00-06:00 normal' : '05:00-06:00 comfort');
    expectSent(await write(system(), topic, json({ wed })), { ...before, wed }, SCHEDULE, ['wed']);
  });

  test.each<[what: string, payload: object, week: ShownWeek, changed: readonly string[]]>([
    ['a whole week', daily('06:00-22:00 normal'), daily('06:00-22:00 normal'), ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']],
    ['in newSchedule', { newSchedule: { tue: day('') } }, { ...daily('06:00-22:00 normal'), tue: [] }, ['tue']],
    [
      'with 24:00 as an end, 00:00 as one, seconds, and an hour of one digit',
      { mon: day('0:00-6:00:00 normal, 7:10-24:00 comfort'), sun: day('22:00-00:00 normal') },
      { ...daily('06:00-22:00 normal'), tue: [], mon: day('00:00-06:00 normal, 07:10-24:00 comfort'), sun: day('22:00-24:00 normal') },
      ['mon', 'sun'],
    ],
    [
      'with holes in the positions, which are closed',
      {
        mon: [
          { start: '08:00', end: '09:00', mode: 'comfort', position: 7 },
          { start: '06:00', end: '08:00', mode: 'normal', position: 3 },
        ],
        sun: [],
      },
      { ...daily('06:00-22:00 normal'), tue: [], mon: day('06:00-08:00 normal, 08:00-09:00 comfort'), sun: [] },
      ['mon', 'sun'],
    ],
    [
      'without positions, numbered as they stand',
      {
        sun: [
          { start: '18:00', end: '19:00', mode: 'normal' },
          { start: '06:00', end: '07:00', mode: 'normal' },
        ],
      },
      {
        ...daily('06:00-22:00 normal'),
        tue: [],
        mon: day('06:00-08:00 normal, 08:00-09:00 comfort'),
        sun: day('18:00-19:00 normal, 06:00-07:00 normal'),
      },
      ['sun'],
    ],
  ])('%s', async (_, payload, week, changed) => {
    expectSent(await write(system(), SET, json(payload)), week, SCHEDULE, changed);
  });

  test('has two identical entries where overlap is allowed', async () => {
    const before = shownOn(system(), `${DHW}/entries`);
    const mon = day('05:00-07:00 normal, 05:00-07:00 normal, 06:00-06:30 top');
    expectSent(await write(system(), `${DHW}/set`, json({ mon })), { ...before, mon }, 'heating.dhw.schedule', ['mon']);
  });

  test('holds days that the platform has though off the grid, and with positions of its own', async () => {
    const { simulator, recorder } = system();
    const odd = { ...daily('06:00-08:00 levelTwo'), sat: day('00:00-23:59 levelThree') };
    const value = { ...odd, sun: [{ start: '07:03', end: '08:00', mode: 'levelTwo', position: 5 }] };
    simulator.control({ command: 'set', feature: 'ventilation.schedule', property: 'entries', value });
    await recorder.publish('heating2mqtt/bridge/poll/set', 'home');
    await recorder.untilTopic(`${VENTILATION}/entries`, weekText(value));
    const mon = day('10:00-11:00 levelFour');
    const outcome = await write(system(), `${VENTILATION}/set`, json({ mon, sat: odd.sat }));
    expectSent(outcome, { ...value, mon }, 'ventilation.schedule', ['mon']);
  });

  test('carries the id of its envelope into both answers, also one that is a number', async () => {
    const { recorder } = system();
    const from = recorder.heard.length;
    for (const id of ['friday', 7]) await write(system(), SET, json({ value: { fri: [] }, id }));
    const said = recorder.heard.slice(from).flatMap((heard) => (heard.topic === RESULT ? [resultIn(heard)] : []));
    expect(said.map(({ id, status }) => [id, status])).toEqual([
      ['friday', 'accepted'],
      ['friday', 'applied'],
      [7, 'unchanged'],
    ]);
  });

  test('goes with the right if_rev, and with another is a conflict', async () => {
    const revOf = (): string =>
      JSON.parse(system().recorder.last(`heating2mqtt/home/heating/circuits/0/heating/schedule/record`) ?? '').rev;
    const rev = revOf();
    const first = await write(system(), SET, json({ value: { thu: [] }, if_rev: rev }));
    expect(first.terminal).toMatchObject({ status: 'applied', changed: ['thu'] });
    expect(revOf()).toBe(first.terminal.rev);
    expect(revOf()).not.toBe(rev);
    const late = await write(system(), SET, json({ value: { thu: day('06:00-07:00 normal') }, if_rev: rev, id: 'late' }));
    expect(late).toMatchObject({ statuses: ['rejected'], reads: 0, posts: [] });
    expect(late.terminal).toMatchObject({ code: 'conflict', id: 'late' });
    expect(late.terminal.message).toContain(revOf());
    expect(late.others.map(({ topic }) => topic)).toEqual([ENTRIES]);
  });
});

describe('the same week again', () => {
  const system = sharedSystem();

  test.each<[what: string, payload: (week: ShownWeek) => unknown]>([
    ['as it is shown', (week) => week],
    ['one day of it', ({ mon }) => ({ mon })],
    ['in newSchedule', (newSchedule) => ({ newSchedule })],
    ['in an envelope', (value) => ({ value, id: 1 })],
    ['with other positions', (week) => ({ mon: week['mon']?.map((entry) => ({ ...entry, position: entry.position + 3 })) })],
    ['without positions', (week) => ({ mon: week['mon']?.map(({ position: _, ...entry }) => entry) })],
    ['in another order, where nothing overlaps', (week) => ({ mon: week['mon']?.map(({ position: _, ...entry }) => entry).reverse() })],
    ['with shorter times', (week) => ({ mon: week['mon']?.map((entry) => ({ ...entry, start: entry.start.replace(/^0/, '') })) })],
  ])('is unchanged and costs no call: %s', async (_, payload) => {
    const shown = system().recorder.last(ENTRIES);
    const { statuses, reads, posts, others } = await write(system(), SET, json(payload(shownOn(system(), ENTRIES))));
    expect({ statuses, reads, posts }).toEqual({ statuses: ['unchanged'], reads: 0, posts: [] });
    expect(others.map(({ topic, payload: text }) => [topic, text])).toEqual([[ENTRIES, shown]]);
  });

  test('is unchanged straight after it was applied', async () => {
    expect((await write(system(), SET, '{"mon":[]}')).terminal.status).toBe('applied');
    expect((await write(system(), ENTRIES_SET, system().recorder.last(ENTRIES) ?? '')).terminal.status).toBe('unchanged');
  });
});

/** Publishes every week that is shown on its own `set`; gives the statuses by topic. */
const roundTrip = async ({ recorder }: BridgeSystem): Promise<Map<string, string>> => {
  const statuses = new Map<string, string>();
  for (const topic of new Set(recorder.heard.map((heard) => heard.topic))) {
    const shown = recorder.last(topic);
    const record = recorder.last(topic.replace(/entries$/, 'record')) ?? '';
    if (!topic.endsWith('/entries') || shown === undefined || !record.includes('"type":"Schedule","required"')) continue;
    const from = recorder.heard.length;
    await recorder.publish(`${topic}/set`, shown);
    const { status } = await terminalFor(recorder, `${topic}/set`, from, resultOf(topic));
    statuses.set(topic, status);
  }
  return statuses;
};

test('the round-trip law holds for every schedule of every device', async () => {
  const simulator = { recorded: DEVICES };
  const probe = await startSimulator(simulator);
  const { installation, gateway, devices } = probe;
  await probe.close();
  const home = { installation: String(installation), gateway, features: ['*'], exclude: [] };
  const system = await startVirtualSystem({
    simulator,
    overrides: { devices: devices.map((device) => ({ ...home, device, name: `d-${device}` })) },
  });
  onTestFinished(() => system.close());
  for (const device of devices) await system.recorder.untilTopic(`heating2mqtt/d-${device}/info`);
  const reads = system.reads();
  const statuses = await roundTrip(system);
  expect([...statuses].filter(([, status]) => status !== 'unchanged')).toEqual([]);
  expect({ posts: system.posts(), reads: system.reads() }).toEqual({ posts: [], reads });
  expectFound(statuses.size, 29);
});
