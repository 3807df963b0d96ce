import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readIcs } from '../../../src/calendar/readIcs.ts';
import { runs } from '../../support/chance.ts';

const DAY_MS = 86_400_000;
const WINDOW = { fromMs: Date.parse('2026-10-20T00:00:00Z'), toMs: Date.parse('2026-11-03T00:00:00Z') };
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

type Rule = {
  readonly freq: 'DAILY' | 'WEEKLY' | 'MONTHLY' | 'YEARLY';
  readonly interval: number;
  readonly months: readonly number[];
  readonly monthDays: readonly number[];
  readonly days: readonly string[];
  readonly positions: readonly number[];
  readonly count: number | undefined;
};

const at = (day: number): Date => new Date(day * DAY_MS);

/** The number of a day's period since 1970; weeks begin on Monday. */
const periodOf = (freq: Rule['freq'], day: number): number => {
  if (freq === 'DAILY') return day;
  if (freq === 'WEEKLY') return Math.floor((day + 3) / 7);
  const [year, month] = [at(day).getUTCFullYear(), at(day).getUTCMonth()];
  return freq === 'MONTHLY' ? year * 12 + month : year;
};

/** Whether a day is the weekday, of which `2TU` is the second, `-1TU` the last between two days. */
const isWeekday = (day: number, text: string, [first, after]: readonly [number, number]): boolean => {
  const position = Number(text.slice(0, -2));
  if (WEEKDAYS[at(day).getUTCDay()] !== text.slice(-2)) return false;
  if (position === 0) return true;
  return position > 0 ? Math.ceil((day - first + 1) / 7) === position : Math.ceil((after - day) / 7) === -position;
};

const fits = (rule: Rule, day: number, start: number): boolean => {
  const { freq, months, monthDays, days } = rule;
  const [year, month, date] = [at(day).getUTCFullYear(), at(day).getUTCMonth(), at(day).getUTCDate()];
  const [first, after] = [Date.UTC(year, month), Date.UTC(year, month + 1)].map((ms) => ms / DAY_MS) as [number, number];
  const isYear = freq === 'YEARLY' && months.length === 0;
  const range = isYear ? ([Date.UTC(year) / DAY_MS, Date.UTC(year + 1) / DAY_MS] as const) : ([first, after] as const);
  if (months.length > 0 && !months.includes(month + 1)) return false;
  if (monthDays.length > 0 && !monthDays.some((one) => date === (one > 0 ? one : after - first + 1 + one))) return false;
  if (days.length > 0) return days.some((one) => isWeekday(day, one, range));
  if (monthDays.length > 0 || freq === 'DAILY') return true;
  if (freq === 'WEEKLY') return (day - start) % 7 === 0;
  return date === at(start).getUTCDate() && (!isYear || month === at(start).getUTCMonth());
};

/** The days of a rule by RFC 5545, each day tried. */
const daysOf = (rule: Rule, start: number, last: number): readonly number[] => {
  const periods = new Map<number, number[]>();
  const firstPeriod = periodOf(rule.freq, start);
  // The positions also count the days of the first period that are before the start.
  for (let day = start - 366; day <= last + 366; day += 1) {
    const period = periodOf(rule.freq, day);
    if (period < firstPeriod || (period - firstPeriod) % rule.interval !== 0 || !fits(rule, day, start)) continue;
    periods.set(period, [...(periods.get(period) ?? []), day]);
  }
  const chosen = [...periods.values()].flatMap((all) =>
    rule.positions.length === 0
      ? all
      : all.filter((_, index) => rule.positions.some((one) => index === (one > 0 ? one - 1 : all.length + one))),
  );
  return chosen.filter((day) => day >= start).slice(0, rule.count);
};

const some = <T>(...values: readonly T[]): fc.Arbitrary<readonly T[]> =>
  fc.oneof(fc.constant([]), fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }));

const RULE: fc.Arbitrary<Rule> = fc
  .record({
    freq: fc.constantFrom('DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    interval: fc.integer({ min: 1, max: 3 }),
    months: some(1, 2, 3, 5, 10, 11),
    monthDays: some(1, 2, 13, 24, 29, 30, 31, -1, -10),
    days: fc.oneof(some(...WEEKDAYS), some('1MO', '-1SA', '2TU', '5FR')),
    positions: some(1, -1, 2),
    count: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
  })
  .map((rule) => {
    const { freq, days, monthDays, positions } = rule;
    const isLong = freq === 'MONTHLY' || freq === 'YEARLY';
    return {
      ...rule,
      days: isLong ? days : days.map((one) => one.slice(-2)),
      monthDays: freq === 'WEEKLY' ? [] : monthDays,
      positions: days.length > 0 ? positions : [],
    };
  });

const textOf = ({ freq, interval, months, monthDays, days, positions, count }: Rule): string => {
  const parts = { BYMONTH: months, BYMONTHDAY: monthDays, BYDAY: days, BYSETPOS: positions };
  const lists = Object.entries(parts).flatMap(([name, values]) => (values.length > 0 ? [`${name}=${values.join(',')}`] : []));
  return [`FREQ=${freq}`, `INTERVAL=${interval}`, ...lists, ...(count === undefined ? [] : [`COUNT=${count}`])].join(';');
};

const file = (rule: string, start: number): string =>
  `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Away\r\nDTSTART;VALUE=DATE:${at(start).toISOString().slice(0, 10).replaceAll('-', '')}\r\nRRULE:${rule}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

const read = (text: string) => readIcs(text, WINDOW, () => undefined);

test('a rule gives the days of RFC 5545, or is skipped', () => {
  const windowDay = WINDOW.fromMs / DAY_MS;
  fc.assert(
    fc.property(RULE, fc.nat(1500), (rule, daysAgo) => {
      // A start that is no day of its rule is undefined.
      const [start] = daysOf({ ...rule, count: 1 }, windowDay - daysAgo, windowDay + 14);
      if (start === undefined) return;
      const { events, skipped } = read(file(textOf(rule), start));
      const wanted = daysOf(rule, start, windowDay + 14).filter((day) => day >= windowDay && day < windowDay + 14);
      const found = events.map((event) => Date.parse(event.start) / DAY_MS).filter((day) => day >= windowDay && day < windowDay + 14);
      if (skipped === 0) expect([...new Set(found)]).toEqual(wanted);
    }),
    { numRuns: runs(4000) },
  );
});

test.each([
  'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
  'FREQ=YEARLY;BYDAY=20MO',
  'FREQ=YEARLY;BYMONTHDAY=24',
  'FREQ=MONTHLY;BYMONTH=3,5,7;COUNT=14',
  // These two never end in ical.js, so that the whole calendar was unreadable.
  'FREQ=DAILY;BYMONTHDAY=-1,-10',
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=-2',
])('a rule that ical.js repeats wrongly is skipped: %s', (rule) => {
  const start = Date.parse('2024-05-13T00:00:00Z') / DAY_MS;
  expect(read(file(rule, start))).toEqual({ events: [], skipped: 1 });
});

test.each([
  ['FREQ=YEARLY;BYMONTH=10;BYMONTHDAY=31;INTERVAL=2', '2024-10-31', ['2026-10-31']],
  ['FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU', '2020-10-25', ['2026-10-25']],
  ['FREQ=MONTHLY;BYMONTHDAY=22,23,24,25,26,27,28;BYDAY=SA', '2024-02-24', ['2026-10-24']],
  ['FREQ=MONTHLY;BYMONTHDAY=-1', '2024-05-31', ['2026-10-31']],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;INTERVAL=2', '2024-10-31', ['2026-10-30']],
])('a rule of a common calendar program is read: %s', (rule, start, days) => {
  const { events, skipped } = read(file(rule, Date.parse(start) / DAY_MS));
  expect([events.map((event) => event.start), skipped]).toEqual([days, 0]);
});
