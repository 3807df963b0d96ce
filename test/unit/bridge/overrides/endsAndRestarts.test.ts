import { describe, expect, test } from 'vitest';
import { ScheduleWorld } from '../../../support/schedules/scheduleWorld.ts';
import { daily, day, type ShownWeek } from '../../../support/schedules/weeks.ts';

const WEEK: ShownWeek = daily('06:00-22:00 normal');
const [A, B, C] = [day('01:00-02:00 normal'), day('03:00-04:00 comfort'), day('05:00-06:00 normal')];
const HOUR_MS = 3_600_000;

const begin = (options: Partial<Parameters<typeof ScheduleWorld.begin>[0]> = {}): Promise<ScheduleWorld> =>
  ScheduleWorld.begin({ week: WEEK, settle_ms: 0, ...options });

const ended = (world: ScheduleWorld, how: 'stopped' | 'killed'): Promise<void> => (how === 'killed' ? world.kill() : world.restart());

describe.each(['stopped', 'killed'] as const)('a temporary write of a bridge that is %s before the platform shows anything', (how) => {
  test('ends, also where an ordinary write of the same day came before it', async () => {
    const world = await begin();
    world.write('set', { mon: A, tue: A });
    await world.clock.pass(100);
    world.write('mon/set', 'none', { for: '2h' });
    await world.clock.pass(100);
    await ended(world, how);
    expect(world.platform.week).toEqual({ ...WEEK, mon: [], tue: A });
    await world.clock.pass(3 * HOUR_MS);
    expect(world.platform.week).toEqual({ ...WEEK, mon: A, tue: A });
  });

  test('has no end any more where an ordinary write of the same day came after it', async () => {
    const world = await begin();
    world.write('mon/set', 'none', { for: '2h' });
    await world.clock.pass(100);
    world.write('mon/set', B);
    await world.clock.pass(100);
    await ended(world, how);
    await world.clock.pass(3 * HOUR_MS);
    expect(world.platform.week).toEqual({ ...WEEK, mon: B });
  });

  test('keeps its end where a second one with the same id was never carried out', async () => {
    const world = await begin({ lagMs: 3000, postMs: 2000 });
    world.write('mon/set', A, { for: '2h', id: 'same' });
    await world.clock.pass(2100);
    world.platform.fates.push('vanished');
    world.write('mon/set', B, { for: '9h', id: 'same' });
    await world.clock.pass(500);
    await ended(world, how);
    await world.clock.pass(3 * HOUR_MS);
    expect(world.platform.week).toEqual(WEEK);
  });
});

test('a write whose end passes while it waits for its turn is not sent', async () => {
  const world = await begin();
  world.platform.fates.push('vanished');
  world.write('mon/set', A);
  await world.clock.pass(1000);
  const late = world.write('tue/set', B, { for: '30s' });
  await world.clock.pass(200_000);
  expect(world.end(late)).toBe('rejected invalid');
  expect(world.platform.posts).toHaveLength(1);
});

describe('what was named as it was shown is an accepted value like any other', () => {
  test('an edit from before it that shows late is not written back', async () => {
    const world = await begin({ lagMs: 3000 });
    world.platform.app({ mon: C });
    world.write('set', { ...WEEK, tue: A });
    await world.clock.pass(1200);
    expect(world.platform.week).toEqual({ ...WEEK, tue: A });
    world.write('wed/set', B);
    await world.clock.pass(100_000);
    expect(world.platform.week).toEqual({ ...WEEK, tue: A, wed: B });
  });

  test('an edit from after it stays', async () => {
    const world = await begin({ lagMs: 3000 });
    world.write('set', { ...WEEK, tue: A });
    await world.clock.pass(1200);
    world.platform.app({ mon: C });
    await world.clock.pass(5000);
    world.write('wed/set', B);
    await world.clock.pass(100_000);
    expect(world.platform.week).toEqual({ ...WEEK, mon: C, tue: A, wed: B });
  });
});
