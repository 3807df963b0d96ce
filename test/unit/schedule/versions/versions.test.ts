import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differenceSentence } from '../../../../src/language/versions/differenceWords.ts';
import type { Constraints } from '../../../../src/schedule/constraints.ts';
import { readJsonWeek } from '../../../../src/schedule/jsonWeek.ts';
import { readWeek } from '../../../../src/schedule/readWeek.ts';
import { printWeek, readTextWeek } from '../../../../src/schedule/text/weekText.ts';
import { modeIn, segmentsOf } from '../../../../src/schedule/transitions.ts';
import { validateWeek } from '../../../../src/schedule/validateWeek.ts';
import { fitWeek } from '../../../../src/schedule/versions/fitWeek.ts';
import { versionsOf, type WeekChange } from '../../../../src/schedule/versions/versions.ts';
import { weekDifference } from '../../../../src/schedule/versions/weekDifference.ts';
import { changedDays, DAYS, type Day, type Week, weekOf } from '../../../../src/schedule/week.ts';
import { runs } from '../../../support/chance.ts';
import { allFeatures, expectFound } from '../../../support/devices/deviceFiles.ts';
import { day } from '../../../support/schedules/weeks.ts';
import { someDay } from '../entries.ts';

const week = (all: string, own: Partial<Record<Day, string>> = {}): Week => weekOf((name) => day(own[name] ?? all));
const someWeek = fc.array(someDay, { minLength: 7, maxLength: 7 }).map((days) => weekOf((name) => days[DAYS.indexOf(name)] ?? []));

const changeOf = (before: Week, after: Week): WeekChange<object> => {
  const days = changedDays(before, after);
  const part = (of: Week): Partial<Week> => Object.fromEntries(days.map((name) => [name, of[name]]));
  return { before: part(before), after: part(after), entry: { which: before } };
};

describe('versions', () => {
  test('every week that the bridge has written comes back, the newest first', () => {
    fc.assert(
      fc.property(fc.array(someWeek, { minLength: 1, maxLength: 5 }), (weeks) => {
        const changes = weeks.slice(1).map((after, index) => changeOf(weeks[index] ?? after, after));
        const found = versionsOf(weeks.at(-1) ?? week(''), changes.toReversed());
        expect(found.map((one) => changedDays(one.week, weeks[0] ?? one.week))).toEqual(
          weeks.toReversed().map((one) => changedDays(one, weeks[0] ?? one)),
        );
        const made = changes.toReversed().map(({ entry }) => entry);
        for (const [index, { by }] of found.entries()) expect(by).toBe(made[index]);
      }),
      { numRuns: runs(200) },
    );
  });

  test('what another program has changed in between is a version of its own', () => {
    const [first, ours, foreign] = [week('06:00-22:00 normal'), week('05:00-22:00 normal'), week('07:00-22:00 normal')];
    const change = changeOf(first, ours);
    expect(versionsOf(foreign, [change])).toEqual([
      { week: foreign, by: undefined, after: change.entry },
      { week: ours, by: change.entry },
      { week: first, by: undefined },
    ]);
    const last = week('08:00-22:00 normal');
    expect(versionsOf(last, [changeOf(foreign, last), change]).map((one) => printWeek(one.week)?.slice(8, 13))).toEqual([
      '08:00',
      '07:00',
      '05:00',
      '06:00',
    ]);
  });
});

describe('the difference of two weeks', () => {
  const usual = week('06:00-21:50 on', { sat: '07:00-23:00 on', sun: '07:00-23:00 on' });
  test.each<readonly [before: Week, after: Week, en: string, de: string]>([
    [usual, usual, '', ''],
    [
      usual,
      { ...week('05:30-22:00 on'), sat: usual.sat, sun: usual.sun },
      'Mon–Fri: 06:00 → 05:30, 21:50 → 22:00, 40 min more a day',
      'Mo–Fr: 06:00 → 05:30, 21:50 → 22:00, 40 min mehr am Tag',
    ],
    [
      usual,
      { ...usual, sat: [], sun: day('07:00-12:00 on, 13:00-23:00 on') },
      'Sat: without 07:00–23:00, 16 h less; Sun: without 07:00–23:00, new 07:00–12:00, 13:00–23:00, 1 h less',
      'Sa: ohne 07:00–23:00, 16 h weniger; So: ohne 07:00–23:00, neu 07:00–12:00, 13:00–23:00, 1 h weniger',
    ],
    [
      week('06:00-08:00 normal, 08:00-22:00 comfort'),
      week('06:00-09:30 normal, 09:30-22:00 comfort'),
      'Mon–Sun: 08:00 → 09:30, 1 h 30 min more Normal a day, 1 h 30 min less Comfort a day',
      'Mo–So: 08:00 → 09:30, 1 h 30 min mehr Normal am Tag, 1 h 30 min weniger Komfort am Tag',
    ],
    [
      week('06:00-22:00 normal', { tue: '06:00-22:00 normal, 12:00-13:00 comfort' }),
      week('06:00-22:00 comfort', { tue: '12:00-13:00 comfort, 06:00-22:00 normal' }),
      'Mon, Wed–Sun: 06:00–22:00 Normal → Comfort, 16 h less Normal a day, 16 h more Comfort a day; Tue: another entry counts where entries overlap, 1 h more Normal, 1 h less Comfort',
      'Mo, Mi–So: 06:00–22:00 Normal → Komfort, 16 h weniger Normal am Tag, 16 h mehr Komfort am Tag; Di: wo sich Einträge überschneiden, gilt ein anderer, 1 h mehr Normal, 1 h weniger Komfort',
    ],
  ])('is one sentence: %#', (before, after, en, de) => {
    const groups = weekDifference(before, after);
    expect([differenceSentence(groups, 'en'), differenceSentence(groups, 'de')]).toEqual([en, de]);
  });

  test('names each changed day once, and the minutes add up', () => {
    fc.assert(
      fc.property(someWeek, someWeek, (before, after) => {
        const groups = weekDifference(before, after);
        expect(groups.flatMap(({ runs: days }) => days.flat()).toSorted()).toEqual(changedDays(before, after).toSorted());
        for (const back of weekDifference(after, before)) {
          const there = groups.find(({ runs: days }) => days.flat().includes(back.runs[0]?.[0] ?? 'mon'));
          const minutes = (of: typeof back | undefined) => new Map(of?.more.map(({ mode, minutes: count }) => [mode, Math.abs(count)]));
          expect(minutes(back)).toEqual(minutes(there));
        }
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('a week of another home', () => {
  const limits: Constraints = {
    modes: ['normal', 'comfort'],
    defaultMode: 'reduced',
    maxEntries: 4,
    resolution: 10,
    overlapAllowed: false,
  };
  const present = week('08:00-20:00 normal');
  const take = (text: string, constraints: Constraints = limits, chosen?: ReadonlyMap<string, string>) =>
    fitWeek(readTextWeek(text), present, constraints, chosen);

  test.each<readonly [text: string, near: string | undefined]>([
    ['daily 06:00-22:00 normal', 'mon-sun 06:00-22:00 normal'],
    // Days that are not named stay; what fits stays beside what does not.
    ['mon 06:07-21:56 Comfort; tue 06:00-06:10 normal', 'mon 06:10-22:00 comfort; tue 06:00-06:10 normal; wed-sun 08:00-20:00 normal'],
    ['daily 06:00-12:00 normal, 11:00-13:00 comfort', 'mon-sun 06:00-11:00 normal, 11:00-13:00 comfort'],
    ['daily 06:00-22:00 reduced', 'mon-sun none'],
    // The time between entries, written over another entry, is cut out of that.
    ['daily 06:00-22:00 normal, 12:00-14:00 reduced', 'mon-sun 06:00-12:00 normal, 14:00-22:00 normal'],
    [
      'daily 01:00-02:00 normal, 03:00-04:00 comfort, 05:00-06:00 normal, 06:20-07:00 normal, 09:00-09:30 normal',
      'mon-sun 01:00-02:00 normal, 03:00-04:00 comfort, 05:00-07:00 normal, 09:00-09:30 normal',
    ],
    ['daily 23:57-24:00 normal', 'mon-sun none'],
    ['daily 22:00-06:00 normal', undefined],
    ['daily 06:00-22:00', undefined],
    ['no week', undefined],
  ])('%s', (text, near) => {
    const { week: found, unknownModes } = take(text);
    expect([found && printWeek(found), unknownModes]).toEqual([near, []]);
  });

  test('a week that breaks more rules than are listed has a nearest one too', () => {
    const hours = ['01', '02', '03', '04', '05', '06', '07', '08'];
    const day = (minute: number): string => hours.map((hour) => `${hour}:0${minute}-${hour}:3${minute} normal`).join(', ');
    // Each day by itself, as days with one text share its issues.
    const written = DAYS.map((name) => `${name} ${day(1)}`).join('; ');
    const { week: near, issues } = take(written, { ...limits, maxEntries: 8 });
    expect(issues.at(-1)?.rule).toBe('more');
    expect(near && printWeek(near)).toBe(`mon-sun ${day(0)}`);
  });

  test('modes that the schedule does not have are chosen by hand', () => {
    const text = 'daily 06:00-22:00 on, 23:00-24:00 party';
    expect(take(text)).toMatchObject({ week: undefined, unknownModes: ['on', 'party'] });
    expect(take(text, limits, new Map([['on', 'normal']])).week).toBeUndefined();
    const chosen = new Map([
      ['on', 'normal'],
      ['party', ''],
    ]);
    expect(take(text, limits, chosen)).toMatchObject({ week: week('06:00-22:00 normal'), unknownModes: ['on', 'party'] });
  });

  test('whatever it is, the nearest one fits, and what fits stays as it is', () => {
    const someLimits = fc.record({
      modes: fc.constant(['normal', 'comfort']),
      maxEntries: fc.integer({ min: 0, max: 5 }),
      resolution: fc.constantFrom(1, 10, 30, 120),
      overlapAllowed: fc.boolean(),
    });
    fc.assert(
      fc.property(someWeek, someLimits, (written, constraints) => {
        const json = readJsonWeek(written);
        const { week: near, issues } = fitWeek(json, present, constraints);
        if (!near) throw new Error(JSON.stringify(issues));
        expect(validateWeek(readJsonWeek(near), constraints, undefined).ok).toBe(true);
        if (issues.length === 0) expect(changedDays(near, written)).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });

  test('of too many entries those are made that differ in the fewest minutes', () => {
    const hours = fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('', 'normal', 'comfort')), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(hours, fc.integer({ min: 0, max: 2 }), (stretches, maxEntries) => {
        const modes = stretches.flatMap(([length, mode]) => Array.from({ length }, () => mode));
        const entries = modes.flatMap((mode, hour) => (mode === '' ? [] : [`${hour}:00-${hour + 1}:00 ${mode}`]));
        const { week: near } = take(`daily ${entries.join(', ') || 'none'}`, { ...limits, maxEntries });
        const made = modes.map((_, hour) => modeIn(segmentsOf(near?.mon ?? [], ''), 60 * hour) ?? '');
        const entriesOf = (all: readonly string[]): number => all.filter((mode, hour) => mode !== '' && mode !== all[hour - 1]).length;
        // By each way to give every stretch one of the modes.
        const ways = stretches.reduce<readonly (readonly string[])[]>(
          (before, [length]) =>
            before.flatMap((way) => ['', 'normal', 'comfort'].map((mode) => [...way, ...Array.from({ length }, () => mode)])),
          [[]],
        );
        const differing = (way: readonly string[]): number => way.filter((mode, hour) => mode !== modes[hour]).length;
        const least = Math.min(...ways.filter((way) => entriesOf(way) <= maxEntries).map(differing));
        if (entries.length <= maxEntries) expect(made).toEqual(modes);
        else expect(differing(made)).toBe(least);
      }),
      { numRuns: runs(200) },
    );
  });

  test('each week of every device is a line of 255 characters at most', () => {
    const weeks = allFeatures().flatMap(({ properties }) => [...properties.values()].filter(({ type }) => type === 'Schedule'));
    expectFound(weeks.length, 29);
    for (const { value } of weeks) {
      const read = readWeek(value);
      const line = read.ok ? printWeek(read.value) : undefined;
      expect(line?.length).toBeLessThanOrEqual(255);
      expect(line).not.toContain('\n');
    }
  });
});
