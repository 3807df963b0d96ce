import { expect, onTestFinished, test } from 'vitest';
import { IS_LONG } from '../../support/chance.ts';
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

/** `readH`: hours between reads; each takes its time, so there are few where nothing of them is needed. */
const start = async (rule: string, startMs: number, readH = 12) => {
  const system = await startVirtualSystem({
    device: { features: [SCHEDULE, OUTSIDE] },
    startMs,
    overrides: {
      poll: { seconds: readH * 3600, jitter: 0, gone_after_h: 24 },
      schedules: { profiles: PROFILES, seasons: [`home ${SCHEDULE}: summer bright, winter dark, ${rule}`] },
    },
  });
  onTestFinished(() => system.close());
  const { recorder, time } = system;
  await recorder.untilTopic(SEASONS);
  const report = () => JSON.parse(recorder.last(SEASONS) ?? '{}').schedules[0];
  const pass = (hours: number): Promise<void> => time.pass(hours * HOUR_MS);
  return { ...system, system, recorder, report, pass, week: () => recorder.last(`${SCHEDULE_TOPIC}/text`) };
};

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

test('a season by the outside temperature follows the mean of three days', async () => {
  const { system, report, pass, week } = await start('above 16', Date.parse('2027-05-10T00:00:00Z'), 1);
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
  const { system, report, pass, week } = await start('above 16', Date.parse('2027-05-10T00:00:00Z'), 1);
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

test('settings that name no season any more clear what the run before has told', async () => {
  const { system, recorder } = await start('from 05-01 to 09-30', Date.parse('2027-04-23T00:00:00Z'));
  const from = recorder.heard.length;
  await system.restart({ schedules: { profiles: PROFILES } });
  await recorder.untilTopic(SEASONS, '', from);
});
