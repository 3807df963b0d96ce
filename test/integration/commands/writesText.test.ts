import { describe, expect, test } from 'vitest';
import { DAY_NAMES, daily, day, weekText } from '../../support/schedules/weeks.ts';
import { ENTRIES, type Outcome, sentBy, sharedSystem, write } from '../../support/schedules/writing.ts';
import { SCHEDULE_TOPIC } from '../../support/system/testSystem.ts';

const on = (leaf: string): string => `${SCHEDULE_TOPIC}/${leaf}`;
const NORMAL = daily('06:00-22:00 normal');

const PROFILES = [
  ['summer', 'daily none'],
  ['work', 'mon-fri 5:30-8 normal, 17-22 comfort'],
  ['odd', 'daily 6:05-8 normal'],
  ['alien', { mon: [{ start: '06:00', end: '08:00', mode: 'warp' }] }],
] as const;

describe('a week as text', () => {
  const system = sharedSystem({
    overrides: { schedules: { profiles: PROFILES }, commands: { confirm_s: [0.05, 0.1, 0.2, 0.4], per_hour: 1000 } },
  });
  const shown = (leaf: string): string | undefined => system().recorder.last(on(leaf));
  const expectWeek = async (outcome: Outcome, week: Parameters<typeof weekText>[0]): Promise<void> => {
    expect(outcome.terminal.status, JSON.stringify(outcome.terminal)).toBe('applied');
    expect(JSON.stringify(sentBy(outcome))).toBe(`{"newSchedule":${weekText(week)}}`);
    expect(shown('entries')).toBe(weekText(week));
  };

  test('is taken wherever a week is, and shown in every form at once', async () => {
    await expectWeek(await write(system(), on('set'), 'Mo–So 6-22 Normal'), NORMAL);
    expect(shown('text')).toBe('mon-sun 06:00-22:00 normal');
    expect(DAY_NAMES.map(shown)).toEqual(DAY_NAMES.map(() => '06:00-22:00 normal'));
    const tue = day('06:00-08:00 normal, 17:00-24:00 comfort');
    await expectWeek(await write(system(), on('text/set'), 'tue 6-8 normal, 17:00-0:00 comfort; wed none'), { ...NORMAL, tue, wed: [] });
    expect(shown('text')).toBe('mon,thu-sun 06:00-22:00 normal; tue 06:00-08:00 normal, 17:00-24:00 comfort; wed none');
    expect([shown('tue'), shown('wed')]).toEqual(['06:00-08:00 normal, 17:00-24:00 comfort', 'none']);
    await expectWeek(await write(system(), on('entries/set'), '{"value":"tue-wed 6-22 normal","id":"7"}'), NORMAL);
    await expectWeek(await write(system(), on('call/setSchedule'), 'wed none'), { ...NORMAL, wed: [] });
    await expectWeek(await write(system(), on('call/setSchedule'), '{"newSchedule":"wed 6-22 normal"}'), NORMAL);
  });

  test('is taken for one day, as text, as a list, and in an envelope', async () => {
    const sat = day('08:00-10:00 comfort');
    await expectWeek(await write(system(), on('sat/set'), '8-10 comfort'), { ...NORMAL, sat });
    await expectWeek(await write(system(), on('sat/set'), '[]'), { ...NORMAL, sat: [] });
    await expectWeek(await write(system(), on('sat/set'), '[{"start":"8:00","end":"10:00","mode":"comfort"}]'), { ...NORMAL, sat });
    await expectWeek(await write(system(), on('sat/set'), '{"value":"none"}'), { ...NORMAL, sat: [] });
    await expectWeek(await write(system(), on('sat/set'), '{"value":[{"start":"6:00","end":"22:00","mode":"normal"}]}'), NORMAL);
  });

  test.each<[leaf: string, payload: string, rule: string, path: string]>([
    ['set', 'mon 06:00-08:05 normal', 'resolution', '1:11'],
    ['text/set', 'mon 06:00-08:00 normal\ntue 22-6 normal', 'midnight', '2:8'],
    ['text/set', 'mon 6-8 normal, …', 'truncated', '1:17'],
    ['entries/set', '{"value":"mon 6-8 reduced"}', 'default_mode', '/value 1:9'],
    ['fri/set', 'fri 6-8 normal', 'text', '1:1'],
    ['fri/set', '[{"start":"06:00","end":"25:00","mode":"normal"}]', 'time', '/0/end'],
    ['fri/set', '{"value":[{"start":"06:00","end":"07:00","mode":"norm"}]}', 'mode', '/value/0/mode'],
    ['fri/set', '{"mon":[]}', 'type', ''],
    ['validate', 'mon 6-8 x', 'mode', '1:9'],
    ['call/setSchedule', 'mon 6-8 x', 'mode', '1:9'],
    ['set', 'mon none for ever', 'for', '1:14'],
    ['profile/set', 'sumer', 'profile', ''],
    ['profile/set', '{"value":5}', 'profile', '/value'],
    ['profile/set', '{"value":"summer","util":"22:00"}', 'unknown_key', '/util'],
    ['profile/set', 'odd', 'resolution', 'schedules.profiles.odd 1:7'],
    ['profile/set', 'alien', 'mode', 'schedules.profiles.alien/mon/0/mode'],
  ])('is refused with its place: %s %j', async (leaf, payload, rule, path) => {
    const { terminal, posts, others } = await write(system(), on(leaf), payload);
    expect(terminal).toMatchObject({ status: 'rejected', code: 'invalid', errors: [{ rule, path }] });
    expect(posts).toEqual([]);
    // What was written to has nothing for a moment where it was typed, and shows the present value once more.
    const own = leaf.endsWith('/set') ? on(leaf.replace(/\/set$/, '')) : ENTRIES;
    if (leaf !== 'validate' && !leaf.startsWith('call')) expect(others.map(({ topic }) => topic)).toEqual([own]);
  });

  test('an unknown profile is told those there are, and the nearest', async () => {
    const { terminal } = await write(system(), on('profile/set'), 'sumer');
    expect(terminal.errors).toMatchObject([{ nearest: ['summer'], allowed: ['summer', 'work', 'odd', 'alien', 'custom'] }]);
    expect(terminal.message).toContain('profiles are summer, work, odd, alien, custom');
  });

  test('a profile is shown while the week is its own, and can be chosen', async () => {
    await system().untilSo(() => shown('profile') === 'custom');
    await expectWeek(await write(system(), on('profile/set'), 'summer'), daily(''));
    expect(shown('profile')).toBe('summer');
    expect((await write(system(), on('profile/set'), 'custom')).terminal.status).toBe('unchanged');
    expect((await write(system(), on('profile/set'), 'summer')).terminal.status).toBe('unchanged');
    const work = day('05:30-08:00 normal, 17:00-22:00 comfort');
    await expectWeek(await write(system(), on('profile/set'), '{"value":"work","id":3}'), {
      ...daily(''),
      ...Object.fromEntries(DAY_NAMES.slice(0, 5).map((name) => [name, work])),
    });
    expect(shown('profile')).toBe('work');
    await write(system(), on('sun/set'), '6-7 normal');
    expect(shown('profile')).toBe('work');
    await write(system(), on('mon/set'), 'none');
    expect(shown('profile')).toBe('custom');
  });

  test('a profile that fits no schedule is told once, with the rule', () => {
    const told = system().logged.filter(({ sentence }) => sentence.startsWith('this profile fits none of the schedules'));
    expect(told.map(({ level, facts }) => [level, facts])).toEqual([
      ['warn', expect.objectContaining({ profile: 'odd', rule: 'resolution', place: 'schedules.profiles.odd 1:7' })],
      ['warn', expect.objectContaining({ profile: 'alien', rule: 'mode', place: 'schedules.profiles.alien/mon/0/mode' })],
    ]);
  });

  test('a dry run gives the week in both forms, and the days that would change', async () => {
    await write(system(), on('set'), 'daily 6-22 normal');
    const first = await write(system(), on('validate'), '{"value":"sat-mon 7-9 comfort","id":"dry"}');
    expect(first.terminal).toMatchObject({
      id: 'dry',
      status: 'valid',
      text: 'mon,sat-sun 07:00-09:00 comfort; tue-fri 06:00-22:00 normal',
      changed: ['mon', 'sat', 'sun'],
    });
    const other = day('07:00-09:00 comfort');
    expect(JSON.stringify(first.terminal.week)).toBe(weekText({ ...NORMAL, sat: other, sun: other, mon: other }));
    expect(first).toMatchObject({ others: [], reads: 0, posts: [] });
    const same = await write(system(), on('validate'), '{"mon":[{"start":"6:00","end":"22:00"}]}'.replace('}]', ',"mode":"normal"}]'));
    expect(same.terminal).toMatchObject({ status: 'valid', text: 'mon-sun 06:00-22:00 normal', changed: [] });
  });
});
