import { expect, test } from 'vitest';
import { S, ScheduleWorld } from '../../../../support/schedules/scheduleWorld.ts';
import { daily, day } from '../../../../support/schedules/weeks.ts';

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

test('of two days that become one command behind another, each waits for a call ten minutes from its own arrival', async () => {
  const world = await ScheduleWorld.begin({ week: daily('06:00-22:00 normal'), per_10_minutes: 2, settle_ms: 0, postMs: MINUTE_MS });
  world.write('mon/set', day('01:00-02:00 normal'));
  await world.clock.pass(MINUTE_MS);
  world.write('fri/set', day('03:00-04:00 normal'), { for: '3h' });
  const early = world.write('tue/set', day('03:00-04:00 normal'));
  await world.clock.pass(9.8 * MINUTE_MS);
  const late = world.write('wed/set', day('03:00-04:00 normal'));
  await world.clock.pass(60 * MINUTE_MS);
  expect(world.end(early)).toBe('failed no_quota');
  expect(world.end(late)).toMatch(/^applied|^unconfirmed/);
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

test('a whole week, of which nothing is completed, is sent without a read, however old the record is; a day is completed from a new one', async () => {
  const world = await ScheduleWorld.begin({ week: daily('06:00-22:00 normal'), settle_ms: 0 });
  const readsBefore = async (leaf: string, value: unknown): Promise<number> => {
    await world.clock.pass(3 * MINUTE_MS);
    const [reads, posts] = [world.platform.reads, world.platform.posts.length];
    world.write(leaf, value);
    while (world.platform.posts.length === posts) await world.clock.pass(1);
    return world.platform.reads - reads;
  };
  expect(await readsBefore('set', daily('05:00-21:00 normal'))).toBe(0);
  expect(await readsBefore('mon/set', day('01:00-02:00 normal'))).toBe(1);
});

test('a text in parts that was not whole when the process was killed is answered once, by the next start', async () => {
  const world = await ScheduleWorld.begin({ week: daily('06:00-22:00 normal') });
  for (const part of ['1/2 begun: {', '1/2 whole: {"id":"whole",', '2/2 whole: "value":"mon none"}'])
    world.receive(`${S}/text/set`, `part ${part}`);
  await world.clock.pass(5000);
  await world.kill();
  await world.clock.pass(20_000);
  expect([world.end('begun'), world.end('whole')]).toEqual(['failed interrupted', 'applied']);
});
