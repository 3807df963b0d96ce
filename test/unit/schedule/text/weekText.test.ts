import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Constraints, readConstraints } from '../../../../src/schedule/constraints.ts';
import { readJsonDay, readJsonWeek } from '../../../../src/schedule/jsonWeek.ts';
import { readWeek } from '../../../../src/schedule/readWeek.ts';
import { splitEnd } from '../../../../src/schedule/text/textEnd.ts';
import { printDay, printWeek, readTextDay, readTextWeek } from '../../../../src/schedule/text/weekText.ts';
import { completeWeek, intrinsicIssues, validateWeek } from '../../../../src/schedule/validateWeek.ts';
import { changedDays, DAYS, type Entry, type Week, weekOf } from '../../../../src/schedule/week.ts';
import type { EntryDraft } from '../../../../src/schedule/writtenWeek.ts';
import { RULES } from '../../../../src/shared/issue.ts';
import { runs } from '../../../support/chance.ts';
import { allFeatures, expectFound } from '../../../support/devices/deviceFiles.ts';
import { platformDay, platformWeek } from '../../../support/schedules/arbitraryWeeks.ts';
import { entry } from '../entries.ts';
import { understood } from '../reading.ts';

const WORK: readonly Entry[] = [entry('05:30-09:00 normal', 0), entry('17:00-22:00 normal', 1)];
const REST: readonly Entry[] = [entry('07:00-23:00 normal', 0)];
const FREE: Constraints = { overlapAllowed: true };
const EMPTY = weekOf(() => []);

describe('a week is printed', () => {
  test.each<[text: string, week: Week]>([
    ['mon-fri 05:30-09:00 normal, 17:00-22:00 normal; sat-sun 07:00-23:00 normal', weekOf((day) => (day.startsWith('s') ? REST : WORK))],
    ['mon-sun none', EMPTY],
    ['mon-sat none; sun 07:00-23:00 normal', { ...EMPTY, sun: REST }],
    ['mon,wed,fri-sun 07:00-23:00 normal; tue,thu none', weekOf((day) => (day.startsWith('t') ? [] : REST))],
    ['mon-sun 17:00-22:00 b, 05:30-09:00 a', weekOf(() => [entry('05:30-09:00 a', 4), entry('17:00-22:00 b', 1)])],
    ['mon-sun 06:00-07:00 a%2C%20b%3B%25%E2%80%A6', weekOf(() => [{ start: '06:00', end: '07:00', mode: 'a, b;%…', position: 0 }])],
    [
      'mon-sun 06:00-24:00 5/25-cycles, 00:00-06:00 temp-2',
      weekOf(() => [entry('06:00-24:00 5/25-cycles', 0), entry('00:00-06:00 temp-2', 1)]),
    ],
  ])('%s', (text, week) => {
    expect(printWeek(week)).toBe(text);
    expect(texts(text)).toEqual(Object.fromEntries(DAYS.map((day) => [day, printDay(week[day])])));
  });

  test.each([
    ['a time that is none', { start: 'noon', end: '22:00', mode: 'on', position: 0 }],
    ['an end that is none', { start: '06:00', end: '…', mode: 'on', position: 0 }],
    ['an empty mode', { start: '06:00', end: '22:00', mode: '', position: 0 }],
    ['half a letter', { start: '06:00', end: '22:00', mode: '\ud800', position: 0 }],
  ])('not with %s', (_, odd) => {
    expect(printDay([odd])).toBeUndefined();
    expect(printWeek({ ...EMPTY, thu: [odd] })).toBeUndefined();
  });
});

/** What was understood, as canonical texts of the days; or `rule place` of every issue. */
const texts = (text: string): unknown => {
  const days = understood(readTextWeek(text));
  if (!days.ok) return days.issues.map(({ rule, path }) => `${rule} ${path}`);
  const said = (entries: readonly EntryDraft[]): string =>
    entries
      .map(({ start, end, mode }) =>
        [`${start}-${end}`, ...(mode === undefined ? [] : [encodeURIComponent(mode).replaceAll('%2F', '/')])].join(' '),
      )
      .join(', ') || 'none';
  return Object.fromEntries([...days.value].map(([day, entries]) => [day, said(entries)]));
};

const days = (of: string, text: string): object => Object.fromEntries(of.split(' ').map((day) => [day, text]));

describe('a text is understood', () => {
  test.each<[text: string, as: object]>([
    ['mon 06:00-08:30 normal', { mon: '06:00-08:30 normal' }],
    ['mon 6-8:30 normal,9.15 - 10:00:00 comfort', { mon: '06:00-08:30 normal, 09:15-10:00 comfort' }],
    ['mon 06.00-8', { mon: '06:00-08:00' }],
    ['MON-Wed 0:00-24:00 on', days('mon tue wed', '00:00-24:00 on')],
    ['sun 22:00-00:00 on', { sun: '22:00-24:00 on' }],
    ['sun 22-0', { sun: '22:00-24:00' }],
    ['mon,wed 6–8 a; fri — sun none', { ...days('mon wed', '06:00-08:00 a'), ...days('fri sat sun', 'none') }],
    ['mon\u00a006:00\u202f−\u00a008:00\u00a0normal', { mon: '06:00-08:00 normal' }],
    ['Montag bis Mi. 6 bis 8.30 a; sat TO sun none', { ...days('mon tue wed', '06:00-08:30 a'), ...days('sat sun', 'none') }],
    ['fri-mon none', days('fri sat sun mon', 'none')],
    ['sun-mon None', days('sun mon', 'none')],
    ['weekdays 6-8 a; WEEKEND none', { ...days('mon tue wed thu fri', '06:00-08:00 a'), ...days('sat sun', 'none') }],
    ['daily 6-8 a', days('mon tue wed thu fri sat sun', '06:00-08:00 a')],
    ['täglich 6-8 a', days('mon tue wed thu fri sat sun', '06:00-08:00 a')],
    ['Mo-Fr: 6-8 a; Sa. none', { ...days('mon tue wed thu fri', '06:00-08:00 a'), sat: 'none' }],
    ['Dienstag 6-8; Mittw 6-8; Do 6-8; Sonnabend 6-8; Son 6-8', days('tue wed thu sat sun', '06:00-08:00')],
    ['tu 6-8; Thurs 6-8; saturdays 6-8; Sonntags 6-8; wednes 6-8', days('tue thu sat sun wed', '06:00-08:00')],
    ['mon 06:00-07:00 5/25-cycles, 8-9 temp-2', { mon: '06:00-07:00 5/25-cycles, 08:00-09:00 temp-2' }],
    ['mon 6-7 a%2C%20b, 7-8 50%', { mon: '06:00-07:00 a%2C%20b, 07:00-08:00 50%25' }],
    ['  mon 6-8 a ; ', { mon: '06:00-08:00 a' }],
    ['mon 6-8 a,\n  17-22 a\r\ntue none\n', { mon: '06:00-08:00 a, 17:00-22:00 a', tue: 'none' }],
    ['mon:\n6-8 a\n, 9-10 b\n; tue none', { mon: '06:00-08:00 a, 09:00-10:00 b', tue: 'none' }],
  ])('%j', (text, as) => expect(texts(text)).toEqual(as));

  test('without a mode where only one exists, and with one in other capitals', () => {
    const week = readTextWeek('mon 6-8, 9-10 NORMAL');
    const constraints = { modes: ['normal'], defaultMode: 'reduced' };
    const checked = validateWeek(week, constraints, undefined);
    expect(checked.ok && printWeek(completeWeek(checked.value, EMPTY))).toBe('mon 06:00-08:00 normal, 09:00-10:00 normal; tue-sun none');
    const reduced = validateWeek(readTextWeek('mon 6-8 Reduced'), constraints, undefined);
    expect(reduced.ok ? [] : reduced.issues.map(({ rule, path }) => `${rule} ${path}`)).toEqual(['default_mode 1:9']);
    const both = validateWeek(readTextWeek('mon 6-8 ON'), { modes: ['on', 'On'] }, undefined);
    expect(both.ok ? [] : both.issues.map(({ rule, path }) => `${rule} ${path}`)).toEqual(['mode 1:9']);
  });
});

describe('a text is refused', () => {
  test.each<[text: string, issues: string[]]>([
    ['', ['empty 1:1']],
    [' \n', ['empty 1:1']],
    ['06:00-08:00 normal', ['text 1:1']],
    ['mon', ['text 1:4']],
    ['mon-fri', ['text 1:8']],
    ['mon 6-8 a; tues 6-8 a; Tuesday none', ['twice 1:24']],
    ['mon-wed none; tue-fri none', ['twice 1:15', 'twice 1:15']],
    ['mon,mon none', ['twice 1:5']],
    ['mnday 6-8 a', ['unknown_day 1:1']],
    ['m 6-8 a', ['unknown_day 1:1']],
    ['mon-fry none', ['unknown_day 1:5']],
    ['mon, tue-5 none', ['text 1:10']],
    ['weekdays-sun none', ['text 1:10']],
    ['mon 6-8 a, tue 6-8 a', ['text 1:12']],
    ['mon 6-8 a 9-10 a', ['text 1:11']],
    ['mon 6-8 a tue 9-10 a', ['text 1:11']],
    ['mon 6-8 two words', ['text 1:13']],
    ['mon 6 a', ['text 1:7']],
    ['mon 6-', ['text 1:7']],
    ['mon 6-8,', ['text 1:9']],
    ['mon 6-8 a,, 9-10 a', ['text 1:11']],
    ['mon 6-8a', ['time 1:7']],
    ['mon 6-8;;tue none', ['text 1:9']],
    ['mon none, 6-8 a', ['text 1:9']],
    ['mon 6-8 a, none', ['text 1:12']],
    ['mon 25:00-06:60 a', ['time 1:5', 'time 1:11']],
    ['mon 24:00-06:00 a', ['time 1:5']],
    ['mon 06:00:30-7 a', ['time 1:5']],
    ['mon 0630-0800 a', ['time 1:5', 'time 1:10']],
    ['mon 6-6 a', ['order 1:7']],
    ['mon 22-6 a', ['midnight 1:8']],
    ['mon 6-8 a; tue 7-8 …', ['truncated 1:20']],
    ['mon 6-8 a; tue...  ', ['truncated 1:15']],
    ['mon 6-8 a\n!tue 5-4 a; wed x', ['text 2:1', 'text 2:17']],
    [`mon ${'0-24,'.repeat(1439)}0-24, 0-24, 0-24`, ['maxEntries 1:7206']],
    ['mon 25-26 a;\ntue 22-6 b, 9-9 c', ['time 1:5', 'time 1:8', 'midnight 2:8', 'order 2:15']],
  ])('%j', (text, issues) => {
    const found = texts(text);
    expect(Array.isArray(found) ? found.toSorted() : found).toEqual(issues.toSorted());
  });

  const first = (text: string) => intrinsicIssues(readTextWeek(text))[0];

  test.each<[text: string, nearest: unknown[] | undefined, words: string]>([
    ['mon 22:00-06:00 normal', ['mon 22:00-24:00 normal; tue 00:00-06:00 normal'], 'over midnight write two entries'],
    ['fri-sun 22-6 a', ['mon 00:00-06:00 a; fri 22:00-24:00 a; sat-sun 00:00-06:00 a, 22:00-24:00 a'], ''],
    ['daily 22-6', ['mon-sun 00:00-06:00, 22:00-24:00'], ''],
    ['mon 0630-8 a', ['06:30'], '0630 is no time'],
    ['mon 25:00-26:00 a', ['23:59'], '25:00 is no time'],
    ['mon 6-10pm a', ['22:00'], ''],
    ['mon 6h30-8 a', ['06:30'], ''],
    ['mon 6-8 a; tuseday none', ['tue'], 'tuseday is no day'],
    ['mondya 6-8', ['mon'], 'weekdays, weekend and daily'],
    ['6-8 a', ['daily 6-8 a'], 'a day is expected here'],
    ['weekend-mon none', ['mon,sat-sun'], 'from one day to another'],
    ['mon none; mon none', undefined, 'at 1:1 and at 1:11'],
    ['mon 6-8 a tue none', undefined, 'a ; between days is expected before tue'],
  ])('%j with what would be right', (text, nearest, words) => {
    expect(first(text)?.nearest).toEqual(nearest);
    expect(first(text)?.message).toContain(words);
  });

  test('by the rules of the schedule, with the place in the text', () => {
    const rules: Constraints = { maxEntries: 2, resolution: 10, modes: ['on', 'off'], defaultMode: 'standby' };
    const checked = validateWeek(readTextWeek('mon-fri 6-7 on, 6:30-8:05 onn, 9-10\nsat 10-11 standby'), rules, undefined);
    expect(checked.ok ? [] : checked.issues.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
      'maxEntries 1:32',
      'resolution 1:22',
      'mode 1:27',
      'mode 1:36',
      'overlap 1:17',
      'default_mode 2:11',
    ]);
  });
});

describe('the text of one day', () => {
  const one = (text: string): unknown => {
    const read = understood(readTextDay('wed', text));
    return read.ok
      ? [...read.value].map(([day, entries]) => [day, entries.length])
      : read.issues.map(({ rule, path }) => `${rule} ${path}`);
  };
  test.each<[text: string, as: unknown]>([
    ['none', [['wed', 0]]],
    ['6-8 a, 9-10 b', [['wed', 2]]],
    [' 6-8 a,\n9-10 b ;\n', [['wed', 2]]],
    ['', ['empty 1:1']],
    ['wed 6-8 a', ['text 1:1']],
    ['6-8 a; thu 6-8 a', ['text 1:8']],
    ['6-8 a\n9-10 a', ['text 2:1']],
    ['6-8 a…', ['truncated 1:6']],
    ['normal', ['text 1:1']],
  ])('%j', (text, as) => expect(one(text)).toEqual(as));
});

/** Publishing on `set` what is shown changes nothing, whatever the platform has. */
const expectLaw = (week: Week, constraints: Constraints): void => {
  const text = printWeek(week);
  const shown = [
    readJsonWeek(JSON.parse(JSON.stringify(week))),
    ...DAYS.map((day) => readJsonDay(day, week[day])),
    ...(text === undefined ? [] : [readTextWeek(text)]),
    ...DAYS.flatMap((day) => {
      const one = printDay(week[day]);
      return one === undefined ? [] : [readTextDay(day, one)];
    }),
  ];
  for (const written of shown) {
    const checked = validateWeek(written, constraints, week);
    if (!checked.ok) throw new Error(`${text} ${JSON.stringify(checked.issues)}`);
    expect(changedDays(week, completeWeek(checked.value, week))).toEqual([]);
    expect(completeWeek(checked.value, week)).toEqual(week);
  }
};

describe('laws', () => {
  test('what is printed is read back with the same entries in the same order, and prints the same again', () => {
    fc.assert(
      fc.property(platformWeek, (week) => {
        const text = printWeek(week);
        if (text === undefined) return;
        expect(splitEnd(text)).toEqual({ text });
        const checked = validateWeek(readTextWeek(text), FREE, week);
        if (!checked.ok) throw new Error(JSON.stringify(checked.issues));
        for (const day of DAYS) {
          const before = week[day].toSorted((a, b) => a.position - b.position).map(({ start, end, mode }) => [start, end, mode]);
          expect(checked.value.get(day)?.map(({ start, end, mode }) => [start, end, mode])).toEqual(before);
        }
        expect(printWeek(completeWeek(checked.value, EMPTY))).toBe(text);
      }),
      { numRuns: runs(500) },
    );
  });

  test('a day is printed and read back', () => {
    fc.assert(
      fc.property(platformDay, fc.constantFrom(...DAYS), (entries, day) => {
        const text = printDay(entries);
        if (text !== undefined) expectLaw({ ...EMPTY, [day]: entries }, FREE);
      }),
    );
  });

  test('what is shown of any week may be sent back, whatever it breaks', () => {
    const constraints: Constraints = { maxEntries: 1, resolution: 10, modes: ['on', 'off'], defaultMode: 'standby', overlapAllowed: false };
    fc.assert(fc.property(platformWeek, fc.constantFrom({}, FREE, constraints), expectLaw), { numRuns: runs(500) });
  });

  test('over every schedule', () => {
    let seen = 0;
    for (const feature of allFeatures()) {
      const entries = [...feature.properties.values()].find(({ type }) => type === 'Schedule')?.value;
      const week = entries === undefined ? undefined : readWeek(entries);
      if (!week?.ok) continue;
      expect(printWeek(week.value), feature.name).toBeDefined();
      expectLaw(week.value, readConstraints(feature.commands.get('setSchedule')?.params.get('newSchedule')?.constraints ?? {}));
      seen += 1;
    }
    expectFound(seen, 29);
  });

  test('no input crashes it, and every refusal has a known rule, a place and a sentence', () => {
    const word = fc.constantFrom(
      'mon',
      'mon-fri',
      'none',
      '06:00',
      '-',
      '–',
      '8',
      ',',
      ';',
      ' ',
      '\n',
      ':',
      'normal',
      '…',
      '%',
      '%4',
      'until',
      'daily',
      '24:00',
      '.',
    );
    const noise = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.array(word).map((words) => words.join('')),
      fc.array(word).map((words) => words.join(' ')),
    );
    fc.assert(
      fc.property(noise, (text) => {
        for (const written of [readTextWeek(text), readTextDay('mon', text)]) {
          const checked = validateWeek(written, { modes: ['normal', 'on'], resolution: 10 }, undefined);
          for (const { rule, path, message } of checked.ok ? [] : checked.issues) {
            expect(Object.keys(RULES)).toContain(rule);
            expect(path).toMatch(rule === 'more' ? /^$|^\d+:\d+$/ : /^\d+:\d+$/);
            expect(message).not.toBe('');
          }
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  test('64 KiB of anything are read, within the patience of a test', () => {
    const seeds = 'mon 6-8 a,|a|6-8,|;|,| |\n|mon-|mon,|6-8 x, |until |- |…|mon 6-8 a;|%25|0|\u200b|-|none '.split('|');
    for (const seed of seeds) {
      for (const prefix of ['', 'daily ', 'daily 6-8 ']) {
        const { text } = splitEnd(prefix + seed.repeat(Math.floor(65_536 / seed.length)));
        expect(validateWeek(readTextWeek(text), { modes: ['x', 'y'], resolution: 7 }, EMPTY)).toMatchObject({ ok: false });
      }
    }
  });
});
