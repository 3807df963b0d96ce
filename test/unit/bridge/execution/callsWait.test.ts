import { expect, test } from 'vitest';
import { ScheduleWorld } from '../../../support/schedules/scheduleWorld.ts';
import { daily, day } from '../../../support/schedules/weeks.ts';

const START = Date.parse('2026-11-21T06:00:00Z');
const MINUTE_MS = 60_000;

/** A window of ten minutes that is full: one call of the start, one command, and what it was confirmed by. */
const full = async (per_10_minutes: number): Promise<ScheduleWorld> => {
  const world = await ScheduleWorld.begin({ week: daily('06:00-22:00 normal'), per_10_minutes, settle_ms: 0 });
  world.write('mon/set', day('01:00-02:00 normal'));
  await world.clock.pass(10_000);
  return world;
};

const endedAfterMs = (world: ScheduleWorld, id: number): number => Date.parse(world.answers(id).at(-1)?.at ?? '') - START;

test('writes that wait for a call are all answered within ten minutes of when they came, however many wait', async () => {
  const world = await full(2);
  const begun = world.clock.elapsedMs();
  // Writes that end by themselves do not become one command.
  const ids = ['tue', 'wed', 'thu'].map((name) => world.write(`${name}/set`, day('03:00-04:00 normal'), { for: '3h' }));
  await world.clock.pass(60 * MINUTE_MS);
  for (const id of ids) expect(endedAfterMs(world, id) - begun).toBeLessThanOrEqual(10 * MINUTE_MS);
  expect(ids.map((id) => world.end(id))).toContain('failed no_quota');
});

test('the last call is not spent on a read that no command can follow', async () => {
  const world = await full(3);
  const [reads, posts] = [world.platform.reads, world.platform.posts.length];
  const id = world.write('tue/set', day('03:00-04:00 normal'));
  await world.clock.pass(5 * MINUTE_MS);
  expect([world.platform.reads - reads, world.platform.posts.length - posts]).toEqual([0, 0]);
  await world.clock.pass(6 * MINUTE_MS);
  expect([world.platform.reads > reads, world.platform.posts.length - posts]).toEqual([true, 1]);
  expect(world.end(id)).toMatch(/^applied|^unconfirmed/);
});
