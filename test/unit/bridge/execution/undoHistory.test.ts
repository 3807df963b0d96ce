import { describe, expect, test } from 'vitest';
import type { Fate } from '../../../support/schedules/schedulePlatform.ts';
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

const NAMED: Readonly<Record<string, ShownWeek[string]>> = { A, B, C, none: [], was: WEEK['mon'] ?? [] };

/** `mon,tue=A sun=none`: days with what stands for their entries. */
const daysOf = (words: readonly string[]): ShownWeek =>
  Object.fromEntries(
    words.flatMap((word) => {
      const [names = '', value = ''] = word.split('=');
      return names.split(',').map((name) => [name, NAMED[value] ?? []]);
    }),
  );

/** What can happen in a story, by its word. */
const STEPS: Readonly<Record<string, (world: ScheduleWorld, rest: readonly string[], text: string) => unknown>> = {
  write: (world, rest) => write(world, 'set', daysOf(rest)),
  // Without waiting for its end.
  begin: (world, rest) => world.write('set', daysOf(rest)),
  '4h': async (world, rest) => {
    world.write('set', daysOf(rest), { for: '4h' });
    await world.clock.pass(120_000);
  },
  reset: (world) => write(world, 'call/resetSchedule', {}),
  refused: async (world, rest) => expect(await write(world, 'set', daysOf(rest))).toBe('failed validation'),
  lost: async (world, rest) => expect(await write(world, 'set', daysOf(rest))).toBe('failed unknown_outcome'),
  app: (world, rest) => world.platform.app(daysOf(rest)),
  fate: (world, rest) => world.platform.fates.push(...(rest as Fate[])),
  wait: (world) => world.clock.pass(5 * 3_600_000),
  undo: async (world, _, outcome) => expect(await undo(world)).toBe(outcome),
  sent: (world, [count]) => expect(world.platform.posts).toHaveLength(Number(count)),
  // How the week differs from the first one.
  is: (world, rest) => expect(world.platform.week).toEqual({ ...WEEK, ...daysOf(rest) }),
};

test.each<[promise: string, ...steps: readonly string[]]>([
  [
    'takes back the days that the last change altered, then those of the one before, then says that nothing is left',
    ...['write mon,tue=A', 'write tue,wed=B', 'undo applied', 'is mon,tue=A', 'undo applied', 'is', 'undo unchanged', 'sent 4'],
  ],
  ['takes back what became one command in one go', 'begin mon=A', 'begin tue=A', 'undo applied', 'is', 'undo unchanged'],
  ['leaves days alone that were changed elsewhere and not by the change', 'write mon=A', 'app sun=C', 'undo applied', 'is sun=C'],
  [
    'is a conflict where such a day was changed elsewhere since, and sends nothing',
    ...['write mon,tue=A', 'app tue=C', 'undo rejected conflict', 'sent 1', 'is mon=A tue=C'],
  ],
  [
    'goes further back where the last change was taken back elsewhere',
    ...['write mon=A', 'write tue=B', 'app tue=was', 'undo applied', 'is', 'undo unchanged'],
  ],
  ['comes after what waits for company', 'begin mon=A', 'undo applied', 'sent 2', 'is'],
  ['of a write that has an end of its own leaves nothing to come back', '4h mon=A', 'undo applied', 'is', 'wait', 'is', 'sent 2'],
  [
    'does not count what the platform refused, nor what got lost',
    ...['write mon=A', 'fate refused vanished', 'refused tue=B', 'lost tue=B', 'undo applied', 'is'],
  ],
  [
    'counts what was carried out though its answer got lost',
    'fate lost',
    'write tue=B',
    'fate lost',
    'undo applied',
    'is',
    'undo unchanged',
  ],
  ['that the platform refuses can be tried again', 'write mon=A', 'fate refused', 'undo failed validation', 'undo applied', 'is'],
  ['takes back what the platform made of a write', 'fate adapted', 'write mon=A sun=B', 'is mon=A sun=none', 'undo applied', 'is'],
  ['takes back a reset', 'write mon=A tue=B', 'reset', 'is', 'undo applied', 'is mon=A tue=B', 'undo applied', 'is'],
  ['what a temporary write had made does not come back with the day', '4h mon=none', 'write mon,tue=B', 'undo applied', 'is', 'wait', 'is'],
  ['what a temporary write had made does not come back after a reset', '4h mon=none', 'reset', 'undo unchanged', 'is', 'wait', 'is'],
  ['what a temporary write had made does not come back after another', '4h mon=none', '4h mon=B', 'undo applied', 'is', 'wait', 'is'],
  ['what somebody else made of a temporary day comes back', '4h mon=none', 'app mon=C', 'write mon=A', 'undo applied', 'is mon=C'],
])('S/undo/set %s', async (_, ...steps) => {
  const world = await begin();
  for (const step of steps) {
    const [word = '', ...rest] = step.split(' ');
    const take = STEPS[word];
    if (!take) throw new Error(`no such step: ${step}`);
    await take(world, rest, rest.join(' '));
  }
});

describe('S/undo/set', () => {
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

  test('for another revision than the present is a conflict, also where nothing is left', async () => {
    const world = await begin();
    const id = world.write('undo/set', 'now', { if_rev: 'abc' });
    const right = world.write('undo/set', 'now', { if_rev: world.rev() });
    await world.clock.pass(120_000);
    expect([world.end(id), world.end(right)]).toEqual(['rejected conflict', 'unchanged']);
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
