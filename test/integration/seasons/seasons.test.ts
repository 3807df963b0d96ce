import { expect, onTestFinished, test } from 'vitest';
import { IS_LONG } from '../../support/chance.ts';
import { BRIDGE_RESULT, terminalFor } from '../../support/schedules/writing.ts';
import { SCHEDULE, SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';
import { startVirtualSystem } from '../../support/system/virtualTestSystem.ts';

const HOUR_MS = 3_600_000;
const SEASONS = 'heating2mqtt/bridge/seasons';
const OUTSIDE = 'heating.sensors.temperature.outside';
const WINTER = 'mon-sun 06:00-22:00 normal';
const PROFILES = [
  ['bright', 'daily 07:00-20:00 normal'],
  ['dark', 'daily 06:00-22:00 normal'],
] as const;

type Options = { readonly readH?: number; readonly isApproved?: boolean; readonly calendar?: object };

/** `readH`: hours between reads; each takes its time, so there are few where nothing of them is needed. */
const start = async (rule: string, startMs: number, { readH = 12, isApproved = true, calendar = {} }: Options = {}) => {
  const system = await startVirtualSystem({
    device: { features: [SCHEDULE, OUTSIDE] },
    startMs,
    overrides: {
      ...{ poll: { seconds: readH * 3600, jitter: 0, gone_after_h: 24 }, calendar },
      schedules: { profiles: PROFILES, seasons: [`home ${SCHEDULE}: summer bright, winter dark, ${rule}`] },
    },
  });
  onTestFinished(() => system.close());
  const { recorder, time } = system;
  await recorder.untilTopic(SEASONS);
  const seasons = () => JSON.parse(recorder.last(SEASONS) ?? '{}');
  const report = () => seasons().schedules[0];
  const order = async (payload: string) => {
    const from = recorder.heard.length;
    await recorder.publish(`${SEASONS}/set`, payload);
    return terminalFor(recorder, `${SEASONS}/set`, from, BRIDGE_RESULT);
  };
  if (isApproved) await order(seasons().key);
  const pass = (hours: number): Promise<void> => time.pass(hours * HOUR_MS);
  return { ...system, system, recorder, seasons, report, order, pass, week: () => recorder.last(`${SCHEDULE_TOPIC}/text`) };
};

test('nothing is sent before a person has approved the seasons with their weeks; a change needs another approval', async () => {
  const { system, recorder, seasons, report, order, pass, week } = await start('from 05-01 to 09-30', Date.parse('2027-04-23T00:00:00Z'), {
    isApproved: false,
  });
  await recorder.untilTopic(`${SCHEDULE_TOPIC}/text`);
  const own = week();
  expect(seasons()).toMatchObject({ state: 'off', key: expect.stringMatching(/^[0-9a-f]{8}$/) });
  const weeks = { summer: 'mon-sun 07:00-20:00 normal', winter: WINTER };
  expect(report()).toMatchObject({ weeks, from: '05-01', to: '09-30', next: 'winter', waits: 'approval' });
  await pass(26);
  expect([week(), report().season, report().waits]).toEqual([own, null, 'approval']);
  expect(await order('wrong')).toMatchObject({ status: 'rejected', code: 'conflict' });
  expect(await order(seasons().key)).toMatchObject({ status: 'applied' });
  await pass(0.1);
  expect([seasons().state, report().season, week()]).toEqual(['on', 'winter', WINTER]);
  expect(report()).not.toHaveProperty('waits');
  const kept = { seasons: [`home ${SCHEDULE}: summer bright, winter dark, from 05-01 to 09-30`] };
  await system.restart({ schedules: { ...kept, profiles: [['bright', 'daily none'], PROFILES[1]] } });
  await pass(1);
  expect([seasons().state, report().waits]).toEqual(['changed', 'approval']);
  const told = { level: 'warn', sentence: expect.stringContaining('differ from what was approved') };
  expect(system.logged).toContainEqual(expect.objectContaining({ ...told, facts: { topic: 'bridge/seasons' } }));
  await system.restart({ schedules: { ...kept, profiles: PROFILES } });
  await pass(1);
  expect(seasons().state).toBe('on');
  expect(await order('off')).toMatchObject({ status: 'applied' });
  expect(seasons().state).toBe('off');
});

test('a season by date is told a day before, waits for a temporary write, and is written as its own author', async () => {
  const { system, recorder, report, pass, week } = await start('from 05-01 to 09-30', Date.parse('2027-04-23T00:00:00Z'));
  expect(report()).toMatchObject({
    device: 'home',
    feature: SCHEDULE,
    by: 'dates',
    season: null,
    next: 'winter',
    next_at: '2027-04-24T00:00:00+00:00',
  });
  await pass(25);
  expect([week(), report().season]).toEqual([WINTER, 'winter']);
  // Whatever a hand writes meanwhile stays.
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, 'mon none');
  await pass(6 * 24);
  expect(report()).toMatchObject({ season: 'winter', next: 'summer' });
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, 'tue none for 2d');
  await pass(25);
  expect(report()).toMatchObject({ season: 'winter', next: 'summer', waits: 'temporary' });
  await system.restart();
  await pass(26);
  expect(week()).toBe('mon-sun 07:00-20:00 normal');
  expect(report()).not.toHaveProperty('waits');
  expect(report().season).toBe('summer');
  const [newest] = system.app.view.changes.newest({}, 1);
  expect(newest?.by).toEqual({ kind: 'season' });
});

test('a season and an event that are both due at a start: the event counts, and the week of the season follows it', async () => {
  const startMs = Date.parse('2027-04-20T00:00:00Z');
  const { system, recorder, report, pass, week } = await start('from 04-01 to 09-30', startMs, {
    calendar: { rules: ['Away -> profile dark'] },
  });
  const at = (hours: number): string => new Date(startMs + hours * HOUR_MS).toISOString();
  await recorder.publish('heating2mqtt/calendar/set', JSON.stringify([{ summary: 'Away', start: at(23), end: at(30) }]));
  await recorder.publish('heating2mqtt/bridge/calendar/set', JSON.parse(recorder.last('heating2mqtt/bridge/calendar') ?? '{}').key);
  await recorder.publish(`${SCHEDULE_TOPIC}/set`, 'daily none');
  await pass(22);
  await system.stopApp();
  await pass(3);
  await system.restart();
  await pass(1);
  expect([week(), report().season]).toEqual([WINTER, 'summer']);
  await pass(5);
  expect(week()).toBe('mon-sun 07:00-20:00 normal');
});

test('a season by the outside temperature follows the mean of three days', async () => {
  const { system, report, pass, week } = await start('above 16', Date.parse('2027-05-10T00:00:00Z'), { readH: 1 });
  const outside = async (celsius: number): Promise<void> => {
    system.simulator.control({ command: 'set', feature: OUTSIDE, property: 'value', value: celsius });
    await pass(1.2);
  };
  await outside(18);
  expect(report()).toMatchObject({ mean: null, limit: 16, waits: 'outside' });
  await pass(3 * 24);
  expect(report()).toMatchObject({ mean: 18, next: 'summer' });
  await pass(24);
  expect([report().season, week()]).toEqual(['summer', 'mon-sun 07:00-20:00 normal']);
  await outside(15.5);
  await pass(4 * 24);
  // Within the 2 K.
  expect(report()).toMatchObject({ season: 'summer', mean: 15.5 });
  expect(report()).not.toHaveProperty('next');
});

test('a change by the outside temperature that was told comes at its time, also over a kill', async () => {
  const { system, report, pass, week } = await start('above 16', Date.parse('2027-05-10T00:00:00Z'), { readH: 1 });
  system.simulator.control({ command: 'set', feature: OUTSIDE, property: 'value', value: 18 });
  await pass(3 * 24 + 2);
  const { next_at: told } = report();
  expect(report()).toMatchObject({ mean: 18, next: 'summer' });
  system.kill();
  await system.restart();
  await pass(2);
  expect(report()).toMatchObject({ mean: 18, next: 'summer', next_at: told });
  await pass(19);
  expect([report().season, week()]).toEqual(['summer', 'mon-sun 07:00-20:00 normal']);
});

test('a week that is refused is tried again after some hours', async () => {
  const { system, report, pass } = await start('from 04-01 to 09-30', Date.parse('2027-04-20T00:00:00Z'));
  system.simulator.control({ command: 'fault', kind: 'gateway_offline', times: 1, match: { method: 'POST', path: 'setSchedule' } });
  await pass(24.5);
  expect(report()).toMatchObject({ season: null, next: 'summer', waits: 'refused' });
  await pass(7);
  expect(report().season).toBe('summer');
});

// Three weeks take long.
test.runIf(IS_LONG)('a week that is always refused is tried ever more rarely, at last once a day, also over restarts', async () => {
  const { system, report, pass } = await start('from 04-01 to 09-30', Date.parse('2027-04-20T00:00:00Z'));
  system.simulator.control({ command: 'fault', kind: 'gateway_offline', times: 500, match: { method: 'POST', path: 'setSchedule' } });
  const tries = (): number => system.app.view.changes.newest({}, 100).filter(({ by }) => by.kind === 'season').length;
  await pass(24 + 19);
  expect([tries(), report().waits]).toEqual([3, 'refused']);
  await system.restart();
  await pass(1);
  expect([tries(), report().waits]).toEqual([3, 'refused']);
  await pass(20 * 24);
  await system.restart();
  await pass(1);
  expect(tries()).toBeGreaterThanOrEqual(22);
  expect(tries()).toBeLessThanOrEqual(24);
});

test('at the first start a season is shown as soon as its device is found', async () => {
  const seasons = [`7571381699991111-0 ${SCHEDULE}: summer bright, winter dark, from 05-01 to 09-30`];
  const system = await startVirtualSystem({
    overrides: { choices: [], platform: { profile: 'v2', read: 'auto' }, schedules: { profiles: PROFILES, seasons } },
  });
  onTestFinished(() => system.close());
  await system.recorder.until(({ topic, payload }) => topic === SEASONS && payload.includes('next_at'), 0, 60_000);
});

test('settings that name no season any more clear what the run before has told', async () => {
  const { system, recorder } = await start('from 05-01 to 09-30', Date.parse('2027-04-23T00:00:00Z'));
  const from = recorder.heard.length;
  await system.restart({ schedules: { profiles: PROFILES } });
  await recorder.untilTopic(SEASONS, '', from);
});
