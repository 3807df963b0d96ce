import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Constraints, readConstraints } from '../../../../src/schedule/constraints.ts';
import { readJsonDay, readJsonWeek } from '../../../../src/schedule/jsonWeek.ts';
import { readWeek } from '../../../../src/schedule/readWeek.ts';
import { splitEnd } from '../../../../src/schedule/text/textEnd.ts';
import { printDay, printWeek, readTextDay, readTextWeek } from '../../../../src/schedule/text/weekText.ts';
import { completeWeek, intrinsicIssues, validateWeek } from '../../../../src/schedule/validateWeek.ts';
import { changedDays, DAYS, type Entry, type Week, weekOf } from '../../../../src/schedule/week.ts';
import type { EntryDraft, WrittenWeek } from '../../../../src/schedule/writtenWeek.ts';
import { RULES } from '../../../../src/shared/issue.ts';
import { anyText } from '../../../support/anyText.ts';
import { runs } from '../../../support/chance.ts';
import { allFeatures, expectFound } from '../../../support/devices/deviceFiles.ts';
import { expectTable } from '../../../support/golden.ts';
import { platformDay, platformWeek } from '../../../support/schedules/arbitraryWeeks.ts';
import { entry } from '../entries.ts';
import { understood } from '../reading.ts';

const WORK: readonly Entry[] = [entry('05:30-09:00 normal', 0), entry('17:00-22:00 normal', 1)];
const REST: readonly Entry[] = [entry('07:00-23:00 normal', 0)];
const FREE: Constraints = { overlapAllowed: true };
const EMPTY = weekOf(() => []);

test.each(['WE 8-22 normal', 'mo, We. 8-22 normal', 'we: 8-22 normal'])(
  '%s may be Wednesday or the weekend: it is refused with both',
  (text) => {
    expect(readTextWeek(text).issues).toEqual([
      expect.objectContaining({ rule: 'unknown_day', nearest: ['wed', 'sat-sun'], message: expect.stringContaining('Mi or Sa-So') }),
    ]);
  },
);

test('in a range of days it is Wednesday', () => {
  for (const text of ['mo-we 8-22 normal', 'WE - fr 8-22 normal', 'we to fr 8-22 normal']) {
    const { days, issues } = readTextWeek(text);
    expect([days.has('wed'), days.size, issues]).toEqual([true, 3, []]);
  }
});

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

const rulesOf = (week: WrittenWeek, constraints: Constraints): readonly string[] => {
  const checked = validateWeek(week, constraints, undefined);
  return checked.ok ? [] : checked.issues.map(({ rule, path }) => `${rule} ${path}`);
};

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

describe('a text is understood', () => {
  test('with its days, times and modes in many forms', () => expectTable('weekTexts', 22, texts));

  test('without a mode where only one exists, and with one in other capitals', () => {
    const week = readTextWeek('mon 6-8, 9-10 NORMAL');
    const constraints = { modes: ['normal'], defaultMode: 'reduced' };
    const checked = validateWeek(week, constraints, undefined);
    expect(checked.ok && printWeek(completeWeek(checked.value, EMPTY))).toBe('mon 06:00-08:00 normal, 09:00-10:00 normal; tue-sun none');
    expect(rulesOf(readTextWeek('mon 6-8 Reduced'), constraints)).toEqual(['default_mode 1:9']);
    expect(rulesOf(readTextWeek('mon 6-8 ON'), { modes: ['on', 'On'] })).toEqual(['mode 1:9']);
  });
});

describe('a text is refused', () => {
  test('with the rule and the place of each mistake', () => expectTable('weekTextsRefused', 35, texts));

  test('with more entries than a day has minutes', () =>
    expect(texts(`mon ${'0-24,'.repeat(1439)}0-24, 0-24, 0-24`)).toEqual(['maxEntries 1:7206']));

  test('with what would be right', () =>
    expectTable('weekTextsMended', 13, (text: string) => {
      const [first] = intrinsicIssues(readTextWeek(text));
      return [first?.nearest ?? null, first?.message];
    }));

  test('by the rules of the schedule, with the place in the text', () => {
    const rules: Constraints = { maxEntries: 2, resolution: 10, modes: ['on', 'off'], defaultMode: 'standby' };
    expect(rulesOf(readTextWeek('mon-fri 6-7 on, 6:30-8:05 onn, 9-10\nsat 10-11 standby'), rules)).toEqual([
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
  test('has the rule and the place of each mistake', () => expectTable('dayTexts', 9, one));
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
    const word = fc.constantFrom(...'mon|mon-fri|none|06:00|-|–|8|,|;| |\n|:|normal|…|%|%4|until|daily|24:00|.'.split('|'));
    const noise = fc.oneof(
      fc.string(),
      anyText(),
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
