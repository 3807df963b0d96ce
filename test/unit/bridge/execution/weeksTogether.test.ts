import { describe, expect, test } from 'vitest';
import { ScheduleWorld } from '../../../support/schedules/scheduleWorld.ts';
import { DAY_NAMES, daily, day, type ShownWeek } from '../../../support/schedules/weeks.ts';

const WEEK: ShownWeek = daily('06:00-22:00 normal');
const [A, B, C] = [day('01:00-02:00 normal'), day('03:00-04:00 comfort'), day('05:00-06:00 normal')];

const begin = (options: Partial<Parameters<typeof ScheduleWorld.begin>[0]> = {}): Promise<ScheduleWorld> =>
  ScheduleWorld.begin({ week: WEEK, ...options });

/** The weeks that were sent, as what they alter of the first one. */
const sentBy = ({ platform }: ScheduleWorld): ShownWeek[] =>
  platform.posts.map(({ week = {} }) =>
    Object.fromEntries(
      Object.entries(week).filter(([name, entries]) => entries !== WEEK[name] && JSON.stringify(entries) !== JSON.stringify(WEEK[name])),
    ),
  );

const MINUTES_2 = 120_000;

describe('parts of a week that come close together', () => {
  test('become one command, with one answer each that names its own days', async () => {
    const world = await begin();
    const ids = DAY_NAMES.map((name) => world.write(`${name}/set`, A));
    await world.clock.pass(MINUTES_2);
    expect(sentBy(world)).toEqual([daily('01:00-02:00 normal')]);
    for (const [index, id] of ids.entries()) {
      const [accepted, applied, ...more] = world.answers(id);
      expect([accepted?.status, applied?.status, more]).toEqual(['accepted', 'applied', []]);
      expect(applied).toMatchObject({ changed: [DAY_NAMES[index]], topic: expect.stringContaining(`/${DAY_NAMES[index]}/set`) });
    }
  });

  test('wait for half a second of silence, counted from the last', async () => {
    const world = await begin();
    world.write('mon/set', A);
    await world.clock.pass(499);
    world.write('tue/set', B);
    await world.clock.pass(499);
    expect(sentBy(world)).toEqual([]);
    await world.clock.pass(1);
    expect(sentBy(world)).toEqual([{ mon: A, tue: B }]);
  });

  test('wait two seconds at most, however many come', async () => {
    const world = await begin();
    for (let at = 0; at < 2000; at += 400) {
      world.write('mon/set', day(`0${at / 400}:00-09:00 normal`));
      await world.clock.pass(400);
    }
    expect(world.platform.posts).toHaveLength(1);
    expect(sentBy(world)).toEqual([{ mon: day('04:00-09:00 normal') }]);
  });

  test('a later one for the same day supersedes, and the answer names what was sent of the earlier', async () => {
    const world = await begin();
    const both = world.write('set', { mon: A, tue: A });
    const first = world.write('wed/set', A);
    const tue = world.write('tue/set', B);
    const wed = world.write('wed/set', C);
    await world.clock.pass(MINUTES_2);
    expect(sentBy(world)).toEqual([{ mon: A, tue: B, wed: C }]);
    expect([both, first, tue, wed].map((id) => world.end(id))).toEqual(['superseded', 'superseded', 'applied', 'applied']);
    expect(world.answers(both)).toMatchObject([{ kept: ['mon'] }]);
    expect(world.answers(first)).toMatchObject([{ kept: [] }]);
  });

  test('one that says the same once more supersedes nothing', async () => {
    const world = await begin();
    const ids = [world.write('mon/set', A), world.write('mon/set', A)];
    await world.clock.pass(MINUTES_2);
    expect(ids.map((id) => world.end(id))).toEqual(['applied', 'applied']);
    expect(world.platform.posts).toHaveLength(1);
  });

  test('one that breaks a rule is refused at once, alone', async () => {
    const world = await begin();
    const good = world.write('mon/set', A);
    const bad = world.write('tue/set', day('06:05-07:00 normal'));
    const torn = world.write('wed/set', 7);
    await world.clock.pass(1);
    expect([good, bad, torn].map((id) => world.end(id))).toEqual(['', 'rejected invalid', 'rejected invalid']);
    await world.clock.pass(MINUTES_2);
    expect(world.end(good)).toBe('applied');
    expect(sentBy(world)).toEqual([{ mon: A }]);
  });

  test('one that changes nothing is unchanged, beside others that do', async () => {
    const world = await begin();
    const [same, other] = [world.write('mon/set', WEEK['mon']), world.write('tue/set', A)];
    await world.clock.pass(MINUTES_2);
    expect([world.end(same), world.end(other)]).toEqual(['unchanged', 'applied']);
    expect(world.answers(other).at(-1)).toMatchObject({ changed: ['tue'] });
  });

  test('there and back again sends nothing', async () => {
    const world = await begin();
    const [there, back] = [world.write('mon/set', A), world.write('mon/set', WEEK['mon'])];
    await world.clock.pass(MINUTES_2);
    expect([world.end(there), world.end(back)]).toEqual(['superseded', 'unchanged']);
    expect(world.platform.posts).toEqual([]);
  });

  test('share a refusal of the platform, also those of which a part was overwritten', async () => {
    const world = await begin();
    world.platform.fates.push('refused');
    const ids = [world.write('set', { mon: A, tue: A }), world.write('tue/set', B), world.write('wed/set', A)];
    await world.clock.pass(MINUTES_2);
    expect(ids.map((id) => world.end(id))).toEqual(['failed validation', 'failed validation', 'failed validation']);
    expect(world.week()).toEqual(WEEK);
  });

  test('share what was found out of a lost answer', async () => {
    const world = await begin();
    world.platform.fates.push('lost');
    const ids = [world.write('set', { mon: A, tue: A }), world.write('tue/set', B)];
    await world.clock.pass(MINUTES_2);
    expect(ids.map((id) => world.end(id))).toEqual(['superseded', 'applied']);
    expect(world.answers(ids[0] ?? 0).at(-1)).toMatchObject({ kept: ['mon'] });
  });

  test('count as one command of the hour', async () => {
    const world = await begin({ per_hour: 1 });
    const ids = DAY_NAMES.map((name) => world.write(`${name}/set`, A));
    await world.clock.pass(MINUTES_2);
    expect(new Set(ids.map((id) => world.end(id)))).toEqual(new Set(['applied']));
    const late = world.write('mon/set', B);
    await world.clock.pass(1);
    expect(world.end(late)).toBe('rejected too_often');
  });

  test('are answered by a stop, unsent', async () => {
    const world = await begin();
    const ids = [world.write('mon/set', A), world.write('tue/set', A)];
    await world.stop();
    expect(ids.map((id) => world.end(id))).toEqual(['failed stopping', 'failed stopping']);
    expect(world.platform.posts).toEqual([]);
  });
});

describe('a whole week', () => {
  test('goes at once, and supersedes those that wait', async () => {
    const world = await begin();
    const [mon, tue] = [world.write('mon/set', A), world.write('tue/set', B)];
    const whole = world.write('set', daily('03:00-04:00 comfort'));
    await world.clock.pass(1);
    expect(sentBy(world)).toEqual([daily('03:00-04:00 comfort')]);
    await world.clock.pass(MINUTES_2);
    expect([mon, tue, whole].map((id) => world.end(id))).toEqual(['superseded', 'applied', 'applied']);
    expect(world.answers(mon).at(-1)).toMatchObject({ kept: [] });
  });

  test('that breaks a rule supersedes nothing', async () => {
    const world = await begin();
    const mon = world.write('mon/set', A);
    const whole = world.write('set', daily('03:05-04:00 comfort'));
    await world.clock.pass(MINUTES_2);
    expect([mon, whole].map((id) => world.end(id))).toEqual(['applied', 'rejected invalid']);
  });
});

describe('a write while one is on its way', () => {
  test('is merged with what will be, though the platform does not show it yet', async () => {
    const world = await begin({ lagMs: 20_000, postMs: 3000 });
    const mon = world.write('mon/set', A);
    await world.clock.pass(1000);
    expect(world.platform.posts).toHaveLength(1);
    const tue = world.write('tue/set', B);
    await world.clock.pass(MINUTES_2);
    expect(sentBy(world)).toEqual([{ mon: A }, { mon: A, tue: B }]);
    expect([mon, tue].map((id) => world.end(id))).toEqual(['applied', 'applied']);
    expect(world.platform.most).toBe(1);
  });

  test('goes together with all that come before its turn', async () => {
    const world = await begin({ postMs: 10_000 });
    world.write('mon/set', A);
    await world.clock.pass(1000);
    for (const name of ['tue', 'wed', 'thu']) {
      world.write(`${name}/set`, B);
      await world.clock.pass(2500);
    }
    await world.clock.pass(MINUTES_2);
    expect(sentBy(world)).toEqual([{ mon: A }, { mon: A, tue: B, wed: B, thu: B }]);
  });

  test('with if_rev goes alone, and is judged when its turn comes', async () => {
    const world = await begin();
    const rev = world.rev();
    const mon = world.write('mon/set', A);
    const guarded = world.write('tue/set', B, { if_rev: rev });
    const wed = world.write('wed/set', C);
    await world.clock.pass(MINUTES_2);
    expect([mon, guarded, wed].map((id) => world.end(id))).toEqual(['applied', 'rejected conflict', 'applied']);
    const fine = world.write('tue/set', B, { if_rev: world.rev() });
    await world.clock.pass(1);
    expect(sentBy(world).at(-1)).toEqual({ mon: A, tue: B, wed: C });
    await world.clock.pass(MINUTES_2);
    expect(world.end(fine)).toBe('applied');
  });
});

describe('days that are not named', () => {
  test('are the newest that the platform has, where the record is older than a minute', async () => {
    const world = await begin();
    await world.clock.pass(61_000);
    world.platform.app({ sun: C });
    const mon = world.write('mon/set', A);
    await world.clock.pass(MINUTES_2);
    expect(sentBy(world)).toEqual([{ mon: A, sun: C }]);
    expect(world.end(mon)).toBe('applied');
  });

  test('are those of the app while a write waits for its confirmation, as are those that it changed again', async () => {
    const world = await begin();
    world.write('mon/set', A);
    await world.clock.pass(1000);
    world.platform.app({ mon: C, sun: C });
    await world.clock.pass(20_000);
    expect(world.week()).toEqual({ ...WEEK, mon: C, sun: C });
    world.write('tue/set', B);
    await world.clock.pass(MINUTES_2);
    expect(world.platform.week).toEqual({ ...WEEK, mon: C, tue: B, sun: C });
  });

  test('are not shown as they were, over what a read shows of them', async () => {
    const world = await begin({ lagMs: 0 });
    world.platform.fates.push('adapted');
    const mon = world.write('mon/set', A);
    await world.clock.pass(MINUTES_2);
    expect(world.end(mon)).toBe('applied');
    expect(world.week()).toEqual({ ...WEEK, mon: A, sun: [] });
  });

  test('are those that a reset has made, however late the platform showed it', async () => {
    const world = await begin({ lagMs: 20_000 });
    world.write('set', { mon: A, tue: A });
    await world.clock.pass(MINUTES_2);
    world.write('call/resetSchedule', {});
    await world.clock.pass(25_000);
    const wed = world.write('wed/set', B);
    await world.clock.pass(MINUTES_2);
    expect(world.end(wed)).toBe('applied');
    expect(world.platform.week).toEqual({ ...WEEK, wed: B });
  });

  test('wait for what a reset has made', async () => {
    const world = await begin();
    world.platform.app({ sun: C });
    world.write('mon/set', A, {});
    await world.clock.pass(MINUTES_2);
    const reset = world.write('call/resetSchedule', {});
    await world.clock.pass(100);
    const tue = world.write('tue/set', B);
    await world.clock.pass(MINUTES_2);
    expect([reset, tue].map((id) => world.end(id))).toEqual(['applied', 'applied']);
    expect(world.platform.week).toEqual({ ...WEEK, tue: B });
  });
});
