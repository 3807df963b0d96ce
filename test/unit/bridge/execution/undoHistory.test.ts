import { describe, expect, test } from 'vitest';
import { ScheduleWorld } from '../../../support/schedules/scheduleWorld.ts';
import { daily, day, type ShownWeek } from '../../../support/schedules/weeks.ts';

const WEEK: ShownWeek = daily('06:00-22:00 normal');
const [A, B, C] = [day('01:00-02:00 normal'), day('03:00-04:00 comfort'), day('05:00-06:00 normal')];

const begin = (options: Partial<Parameters<typeof ScheduleWorld.begin>[0]> = {}): Promise<ScheduleWorld> =>
  ScheduleWorld.begin({ week: WEEK, ...options });

/** Writes and waits for the end; gives the terminal answer. */
const write = async (world: ScheduleWorld, leaf: string, value: unknown): Promise<string> => {
  const id = world.write(leaf, value);
  await world.clock.pass(120_000);
  return world.end(id);
};

const undo = (world: ScheduleWorld): Promise<string> => write(world, 'undo/set', 'now');

describe('S/undo/set', () => {
  test('takes back the days that the last change altered, then those of the one before, then says that nothing is left', async () => {
    const world = await begin();
    await write(world, 'set', { mon: A, tue: A });
    await write(world, 'set', { tue: B, wed: B });
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual({ ...WEEK, mon: A, tue: A });
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
    const posts = world.platform.posts.length;
    expect(await undo(world)).toBe('unchanged');
    expect(world.platform.posts).toHaveLength(posts);
  });

  test('tells which days it altered, and is sent like any other write', async () => {
    const world = await begin();
    await write(world, 'set', { mon: A, tue: A });
    const id = world.write('undo/set', 'now');
    await world.clock.pass(120_000);
    expect(world.answers(id)).toMatchObject([
      { status: 'accepted', command: 'setSchedule' },
      { status: 'applied', changed: ['mon', 'tue'], topic: expect.stringContaining('undo/set') },
    ]);
  });

  test('takes back what became one command in one go', async () => {
    const world = await begin();
    for (const name of ['mon', 'tue', 'wed']) world.write(`${name}/set`, A);
    await world.clock.pass(120_000);
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
    expect(await undo(world)).toBe('unchanged');
  });

  test('leaves days alone that were changed elsewhere and not by the change', async () => {
    const world = await begin();
    await write(world, 'mon/set', A);
    world.platform.app({ sun: C });
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual({ ...WEEK, sun: C });
  });

  test('is a conflict where such a day was changed elsewhere since, and sends nothing', async () => {
    const world = await begin();
    await write(world, 'set', { mon: A, tue: A });
    world.platform.app({ tue: C });
    const posts = world.platform.posts.length;
    expect(await undo(world)).toBe('rejected conflict');
    expect(world.platform.posts).toHaveLength(posts);
    expect(world.platform.week).toEqual({ ...WEEK, mon: A, tue: C });
  });

  test('goes further back where the last change was taken back elsewhere', async () => {
    const world = await begin();
    await write(world, 'mon/set', A);
    await write(world, 'tue/set', B);
    world.platform.app({ tue: WEEK['tue'] ?? [] });
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
    expect(await undo(world)).toBe('unchanged');
  });

  test('takes back what the platform carried out after the bridge was killed, also where it was killed again since', async () => {
    const world = await begin({ postMs: 1000, settle_ms: 0 });
    await write(world, 'mon/set', A);
    world.write('tue/set', B);
    await world.clock.pass(500);
    expect(world.platform.posts).toHaveLength(2);
    expect(world.platform.week).toEqual({ ...WEEK, mon: A });
    await world.kill();
    await world.clock.pass(120_000);
    expect(world.platform.week).toEqual({ ...WEEK, mon: A, tue: B });
    await world.kill();
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual({ ...WEEK, mon: A });
    await world.kill();
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
    expect(await undo(world)).toBe('unchanged');
  });

  test('goes ten changes back, no further', async () => {
    const world = await begin();
    for (let change = 0; change < 12; change += 1) await write(world, 'mon/set', day(`00:00-${String(change + 10)}:00 normal`));
    const ends: string[] = [];
    for (let change = 0; change < 11; change += 1) ends.push(await undo(world));
    expect(ends).toEqual([...Array.from({ length: 10 }, () => 'applied'), 'unchanged']);
    expect(world.platform.week).toEqual({ ...WEEK, mon: day('00:00-11:00 normal') });
  });

  test('an eleventh change that fails costs none of the ten', async () => {
    const world = await begin();
    for (let change = 0; change < 10; change += 1) await write(world, 'mon/set', day(`00:00-${String(change + 10)}:00 normal`));
    world.platform.fates.push('refused');
    await write(world, 'mon/set', A);
    for (let change = 0; change < 10; change += 1) expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
  });

  test('comes after what waits for company', async () => {
    const world = await begin();
    world.write('mon/set', A);
    const back = world.write('undo/set', 'now');
    await world.clock.pass(120_000);
    expect(world.end(back)).toBe('applied');
    expect(world.platform.posts).toHaveLength(2);
    expect(world.platform.week).toEqual(WEEK);
  });

  test('with an end takes back for a while; then the change is there again, and can be taken back for good', async () => {
    const world = await begin();
    await write(world, 'tue/set', B);
    await write(world, 'mon/set', A);
    const id = world.write('undo/set', 'now', { for: '1h' });
    await world.clock.pass(120_000);
    expect(world.answers(id).at(-1)).toMatchObject({ status: 'applied', changed: ['mon'], until: expect.any(String) });
    expect(world.platform.week).toEqual({ ...WEEK, tue: B });
    await world.restart();
    await world.clock.pass(3_600_000);
    expect(world.platform.week).toEqual({ ...WEEK, mon: A, tue: B });
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual({ ...WEEK, tue: B });
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
    expect(await undo(world)).toBe('unchanged');
  });

  test('of a write that has an end of its own leaves nothing to come back', async () => {
    const world = await begin();
    world.write('mon/set', A, { for: '1h' });
    await world.clock.pass(120_000);
    expect(await undo(world)).toBe('applied');
    expect(world.shown('until').at(-1)).toBe('');
    const posts = world.platform.posts.length;
    await world.clock.pass(3_600_000);
    expect(world.platform.week).toEqual(WEEK);
    expect(world.platform.posts).toHaveLength(posts);
  });

  test('for another revision than the present is a conflict, also where nothing is left', async () => {
    const world = await begin();
    const id = world.write('undo/set', 'now', { if_rev: 'abc' });
    const right = world.write('undo/set', 'now', { if_rev: world.rev() });
    await world.clock.pass(120_000);
    expect([world.end(id), world.end(right)]).toEqual(['rejected conflict', 'unchanged']);
  });

  test('does not count what the platform refused, nor what got lost', async () => {
    const world = await begin();
    await write(world, 'mon/set', A);
    world.platform.fates.push('refused', 'vanished');
    expect(await write(world, 'tue/set', B)).toBe('failed validation');
    expect(await write(world, 'tue/set', B)).toBe('failed unknown_outcome');
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
  });

  test('counts what was carried out though its answer got lost', async () => {
    const world = await begin();
    world.platform.fates.push('lost');
    expect(await write(world, 'tue/set', B)).toBe('applied');
    world.platform.fates.push('lost');
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
    expect(await undo(world)).toBe('unchanged');
  });

  test('that the platform refuses can be tried again', async () => {
    const world = await begin();
    await write(world, 'mon/set', A);
    world.platform.fates.push('refused');
    expect(await undo(world)).toBe('failed validation');
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
  });

  test('takes back what the platform made of a write', async () => {
    const world = await begin();
    world.platform.fates.push('adapted');
    await write(world, 'set', { mon: A, sun: B });
    expect(world.platform.week).toEqual({ ...WEEK, mon: A, sun: [] });
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
  });

  test('takes back a reset', async () => {
    const world = await begin();
    await write(world, 'set', { mon: A, tue: B });
    const id = world.write('call/resetSchedule', {});
    await world.clock.pass(120_000);
    expect(world.end(id)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual({ ...WEEK, mon: A, tue: B });
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual(WEEK);
  });

  test('gives back a former day that breaks the rules of the schedule: the platform had it', async () => {
    const odd = day('06:07-22:00 normal');
    const world = await begin({ week: { ...WEEK, mon: odd } });
    await write(world, 'mon/set', A);
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual({ ...WEEK, mon: odd });
  });

  test('is a command like others for the settings', async () => {
    const world = await begin({ deny: ['*/setSchedule'] });
    expect(await undo(world)).toBe('unchanged');
    const open = await begin({ per_hour: 1 });
    await write(open, 'mon/set', A);
    expect(await undo(open)).toBe('rejected too_often');
  });
});

describe('an undo and what ends by itself', () => {
  const temporary = async (world: ScheduleWorld, value: unknown, hours: number): Promise<void> => {
    world.write('mon/set', value, { for: `${hours}h` });
    await world.clock.pass(120_000);
  };

  test.each([
    ['an ordinary change of the same day', (world: ScheduleWorld) => write(world, 'set', { mon: B, tue: B })],
    ['a reset', (world: ScheduleWorld) => write(world, 'call/resetSchedule', {})],
    ['another temporary change', (world: ScheduleWorld) => temporary(world, B, 2)],
  ])('what a temporary write had made does not come back for good: %s', async (_, change) => {
    const world = await begin();
    await temporary(world, 'none', 4);
    await change(world);
    await undo(world);
    expect(world.platform.week).toEqual(WEEK);
    await world.clock.pass(5 * 3_600_000);
    expect(world.platform.week).toEqual(WEEK);
  });

  test('what somebody else made of a temporary day is what comes back', async () => {
    const world = await begin();
    await temporary(world, 'none', 4);
    world.platform.app({ mon: C });
    await write(world, 'mon/set', A);
    expect(await undo(world)).toBe('applied');
    expect(world.platform.week).toEqual({ ...WEEK, mon: C });
  });
});

describe('an undo of which nobody knows whether the change was carried out', () => {
  test.each([
    ['lost, but carried out', 'lost' as const, WEEK],
    ['lost, and not carried out', 'vanished' as const, WEEK],
  ])('the answer to the change was %s', async (_, fate, week) => {
    const world = await begin({ lagMs: 100_000 });
    world.platform.fates.push(fate);
    expect(await write(world, 'mon/set', A)).toBe('failed unknown_outcome');
    await world.clock.pass(200_000);
    world.poll();
    await world.clock.pass(1000);
    await undo(world);
    expect(world.platform.week).toEqual(week);
    // What the app makes of a day that was not written is no change of ours.
    world.platform.app({ mon: C });
    await world.clock.pass(200_000);
    expect(await undo(world)).toBe('unchanged');
  });
});

test('an id that comes again within five minutes is the same undo; later it is another', async () => {
  const world = await begin();
  await write(world, 'mon/set', A);
  await write(world, 'tue/set', B);
  const press = async (): Promise<void> => {
    world.write('undo/set', 'now', { id: 'button' });
    await world.clock.pass(100_000);
  };
  await press();
  await press();
  expect(world.platform.week).toEqual({ ...WEEK, mon: A });
  await world.restart();
  await press();
  expect(world.platform.week).toEqual({ ...WEEK, mon: A });
  await world.clock.pass(300_000);
  await press();
  expect(world.platform.week).toEqual(WEEK);
});
