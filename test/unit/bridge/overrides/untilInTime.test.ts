import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { IS_LONG } from '../../../support/chance.ts';
import type { Fate } from '../../../support/schedules/schedulePlatform.ts';
import { S, ScheduleWorld } from '../../../support/schedules/scheduleWorld.ts';
import { daily, day, type ShownWeek } from '../../../support/schedules/weeks.ts';
import type { Result } from '../../../support/schedules/writing.ts';

const WEEK: ShownWeek = daily('06:00-22:00 normal');
const [A, B] = [day('01:00-02:00 normal'), day('03:00-04:00 comfort')];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const begin = (options: Partial<Parameters<typeof ScheduleWorld.begin>[0]> = {}): Promise<ScheduleWorld> =>
  ScheduleWorld.begin({ week: WEEK, ...options });

/** All answers that were given on ends. */
const onEnds = ({ sent }: ScheduleWorld): readonly Result[] =>
  sent
    .filter(({ topic }) => topic === `${S}/result`)
    .map(({ payload }): Result => JSON.parse(payload))
    .filter(({ topic }) => topic === `${S}/until`);

const untilOf = (world: ScheduleWorld): string | undefined => world.shown('until').at(-1) || undefined;
const cold = async (world: ScheduleWorld, text: string): Promise<void> => {
  world.write('set', text);
  await world.clock.pass(2 * MINUTE);
};

describe('a week that ends by itself', () => {
  test('comes back at its instant and not a moment before', async () => {
    const world = await begin();
    await cold(world, 'mon-sun none for 5h');
    await world.clock.pass(5 * HOUR - 3 * MINUTE);
    expect(world.platform.posts).toHaveLength(1);
    await world.clock.pass(2 * MINUTE);
    expect(world.platform.week).toEqual(WEEK);
    expect(onEnds(world).map(({ status }) => status)).toEqual(['accepted', 'applied']);
    expect(untilOf(world)).toBeUndefined();
  });

  test('ends and is shown in the local time of the installation, in summer as in winter', async () => {
    const world = await begin({ zone: 'Europe/Berlin' });
    await cold(world, 'mon none until 2027-07-03 12:00');
    expect(untilOf(world)).toBe('2027-07-03T12:00:00+02:00');
    world.write('until/set', '2026-11-21 09:00');
    await world.clock.pass(HOUR);
    expect(untilOf(world)).toBe('2026-11-21T09:00:00+01:00');
    await world.clock.pass(HOUR);
    expect(world.platform.week).toEqual(WEEK);
  });

  test('comes back days late at once, where nobody was there at its instant', async () => {
    const world = await begin();
    await cold(world, 'mon-sun none for 3d');
    await world.stop();
    await world.clock.pass(10 * DAY);
    await world.restart();
    await world.clock.pass(2 * MINUTE);
    expect(world.platform.week).toEqual(WEEK);
    expect(world.platform.posts).toHaveLength(2);
  });

  test('leaves days alone that were written or changed meanwhile beside it', async () => {
    const world = await begin();
    await cold(world, 'mon,tue none for 3h');
    world.platform.app({ sun: A });
    world.write('wed/set', B);
    await world.clock.pass(4 * HOUR);
    expect(world.platform.week).toEqual({ ...WEEK, sun: A, wed: B });
  });

  test('is a conflict where one of its days was changed elsewhere', async () => {
    const world = await begin();
    await cold(world, 'mon,tue none for 3h');
    world.platform.app({ tue: A });
    await world.clock.pass(4 * HOUR);
    expect(world.platform.week).toEqual({ ...WEEK, mon: [], tue: A });
    expect(world.platform.posts).toHaveLength(1);
    expect(onEnds(world)).toMatchObject([{ status: 'rejected', code: 'conflict', message: expect.stringMatching(/^tue was changed/) }]);
    expect(untilOf(world)).toBeUndefined();
  });

  test('gives up the days that an ordinary write takes', async () => {
    const world = await begin();
    await cold(world, 'mon,tue none for 3h');
    world.write('tue/set', A);
    await world.clock.pass(HOUR);
    expect(untilOf(world)).toBeDefined();
    await world.clock.pass(4 * HOUR);
    expect(world.platform.week).toEqual({ ...WEEK, tue: A });
  });

  test('of several has the end of the newest, and what was before the first', async () => {
    const world = await begin();
    await cold(world, 'mon none for 3h');
    await cold(world, 'tue none for 1h');
    await cold(world, 'mon 01:00-02:00 normal for 2h');
    await world.clock.pass(90 * MINUTE);
    expect(world.platform.week).toEqual({ ...WEEK, mon: A, tue: [] });
    await world.clock.pass(HOUR);
    expect(world.platform.week).toEqual(WEEK);
    expect(onEnds(world).map(({ status }) => status)).toEqual(['accepted', 'applied']);
  });

  test.each<{ what: string; fates: readonly Fate[]; answers: readonly string[] }>([
    { what: 'refused', fates: ['yes', 'refused', 'refused', 'refused'], answers: ['failed', 'accepted', 'applied'] },
    { what: 'vanished', fates: ['yes', 'vanished', 'vanished'], answers: ['failed', 'accepted', 'applied'] },
    { what: 'carried out, but its answer lost', fates: ['yes', 'lost'], answers: ['applied'] },
    { what: 'adapted when it was written', fates: ['adapted'], answers: ['accepted', 'applied'] },
  ])('is tried until it goes through where a command is $what', async ({ fates, answers }) => {
    const world = await begin();
    world.platform.fates.push(...fates);
    await cold(world, 'mon none for 1h');
    await world.clock.pass(3 * HOUR);
    expect(onEnds(world).map(({ status }) => status)).toEqual(answers);
    expect(world.platform.week['mon']).toEqual(WEEK['mon']);
    expect(untilOf(world)).toBeUndefined();
    expect(world.platform.most).toBe(1);
  });

  test('is superseded by a new one that comes while it cannot come back', async () => {
    const world = await begin();
    await cold(world, 'mon none for 1h');
    world.platform.fates.push('refused');
    await world.clock.pass(HOUR - 2 * MINUTE + 1000);
    await cold(world, 'mon 01:00-02:00 normal for 5h');
    await world.clock.pass(4 * HOUR);
    expect(world.platform.week).toEqual({ ...WEEK, mon: A });
    await world.clock.pass(2 * HOUR);
    expect(world.platform.week).toEqual(WEEK);
  });

  test('comes back once, also where it is asked for at its very instant', async () => {
    const world = await begin({ postMs: 3000, lagMs: 10_000 });
    await cold(world, 'mon none for 1h');
    await world.clock.pass(58 * MINUTE);
    world.write('until/set', 'now');
    await world.clock.pass(10 * MINUTE);
    expect(world.platform.posts).toHaveLength(2);
    expect(world.platform.week).toEqual(WEEK);
  });

  test('that was undone by hand has nothing to bring back', async () => {
    const world = await begin();
    await cold(world, 'mon none for 1h');
    world.write('undo/set', 'now');
    await world.clock.pass(3 * HOUR);
    expect(world.platform.week).toEqual(WEEK);
    expect(world.platform.posts).toHaveLength(2);
    expect(untilOf(world)).toBeUndefined();
  });
});

type Step =
  | { readonly do: 'write'; readonly days: string; readonly entries: string; readonly minutes: number }
  | { readonly do: 'pass'; readonly minutes: number }
  | { readonly do: 'now' | 'restart' }
  | { readonly do: 'fail'; readonly fate: Fate };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant('write' as const),
    days: fc.constantFrom('mon', 'tue', 'mon,wed', 'mon-sun'),
    entries: fc.constantFrom('none', '01:00-02:00 normal', '03:00-04:00 comfort', '06:00-22:00 normal'),
    minutes: fc.integer({ min: 1, max: 200 }),
  }),
  fc.record({ do: fc.constant('pass' as const), minutes: fc.integer({ min: 0, max: 120 }) }),
  fc.record({ do: fc.constantFrom('now' as const, 'restart' as const) }),
  fc.record({ do: fc.constant('fail' as const), fate: fc.constantFrom<Fate>('refused', 'lost', 'vanished') }),
);

test('however many ends, restarts and failures there are, all is as it was in the end', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.constantFrom(0, 8000), async (steps, lagMs) => {
      const world = await begin({ lagMs, postMs: 500 });
      const ids: number[] = [];
      for (const one of steps) {
        if (one.do === 'write') ids.push(world.write('set', `${one.days} ${one.entries} for ${one.minutes}m`));
        else if (one.do === 'pass') await world.clock.pass(one.minutes * MINUTE);
        else if (one.do === 'now') ids.push(world.write('until/set', 'now'));
        else if (one.do === 'fail') world.platform.fates.push(one.fate);
        else await world.restart();
        await world.clock.pass(2 * MINUTE);
      }
      await world.clock.pass(5 * HOUR);
      expect(world.platform.week).toEqual(WEEK);
      expect(untilOf(world)).toBeUndefined();
      expect(world.platform.most).toBeLessThan(2);
      for (const id of ids) expect(world.end(id)).toMatch(/^[a-z_ ]+$/);
      await world.stop();
    }),
    { numRuns: IS_LONG ? 60 : 6 },
  );
});
