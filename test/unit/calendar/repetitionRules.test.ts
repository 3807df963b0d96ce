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
  readonly weeks: readonly number[];
  readonly yearDays: readonly number[];
  readonly positions: readonly number[];
  readonly weekStart: string;
  readonly count: number | undefined;
};

const at = (day: number): Date => new Date(day * DAY_MS);

/** The first day of a week. */
const weekOf = (weekStart: string, day: number): number => {
  let first = day;
  while (WEEKDAYS[at(first).getUTCDay()] !== weekStart) first -= 1;
  return first;
};

/** The first week of a year is the first with four days in it. */
const weeksOf = (weekStart: string, year: number): readonly number[] => {
  const first = Date.UTC(year, 0, 4) / DAY_MS;
  const weeks = Array.from({ length: 54 }, (_, index) => weekOf(weekStart, first) + 7 * index);
  return weeks.filter((week) => at(week + 3).getUTCFullYear() === year);
};

/** The number of a day's period. */
const periodOf = ({ freq, weekStart }: Rule, day: number): number => {
  if (freq === 'DAILY') return day;
  if (freq === 'WEEKLY') return weekOf(weekStart, day) / 7;
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
  const { freq, months, monthDays, days, weeks, yearDays, weekStart } = rule;
  const [year, month, date] = [at(day).getUTCFullYear(), at(day).getUTCMonth(), at(day).getUTCDate()];
  const [first, after] = [Date.UTC(year, month), Date.UTC(year, month + 1)].map((ms) => ms / DAY_MS) as [number, number];
  const isYear = freq === 'YEARLY' && months.length === 0;
  const range = isYear ? ([Date.UTC(year) / DAY_MS, Date.UTC(year + 1) / DAY_MS] as const) : ([first, after] as const);
  if (months.length > 0 && !months.includes(month + 1)) return false;
  if (monthDays.length > 0 && !monthDays.some((one) => date === (one > 0 ? one : after - first + 1 + one))) return false;
  const [newYear, afterYear] = [Date.UTC(year), Date.UTC(year + 1)].map((ms) => ms / DAY_MS) as [number, number];
  if (yearDays.length > 0 && !yearDays.some((one) => day === (one > 0 ? newYear - 1 + one : afterYear + one))) return false;
  const isInWeek = (of: number): boolean => {
    const all = weeksOf(weekStart, of);
    return weeks.some((one) => all.at(one > 0 ? one - 1 : one) === weekOf(weekStart, day));
  };
  if (weeks.length > 0 && ![year - 1, year, year + 1].some(isInWeek)) return false;
  if (days.length > 0) return days.some((one) => isWeekday(day, one, range));
  if (monthDays.length > 0 || yearDays.length > 0 || freq === 'DAILY') return true;
  if (freq === 'WEEKLY' || weeks.length > 0) return (day - start) % 7 === 0;
  return date === at(start).getUTCDate() && (!isYear || month === at(start).getUTCMonth());
};

/** The days of a rule by RFC 5545, each day tried. */
const daysOf = (rule: Rule, start: number, last: number): readonly number[] => {
  const periods = new Map<number, number[]>();
  const firstPeriod = periodOf(rule, start);
  // The positions also count the days of the first period that are before the start.
  const from = rule.count === undefined ? Math.max(start, last - 400) : start;
  for (let day = from - 366; day <= last + 366; day += 1) {
    const period = periodOf(rule, day);
    if (period < firstPeriod || Math.round(period - firstPeriod) % rule.interval !== 0 || !fits(rule, day, start)) continue;
    const key = Math.round(period * 7);
    periods.set(key, [...(periods.get(key) ?? []), day]);
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
    interval: fc.constantFrom(1, 1, 2, 3, 7),
    months: some(1, 2, 3, 5, 10, 11),
    monthDays: some(1, 2, 13, 24, 29, 30, 31, -1, -10),
    days: fc.oneof(some(...WEEKDAYS), some('1MO', '-1SA', '2TU', '5FR')),
    weeks: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, some(1, 43, 44, 53, -1, -9)),
    yearDays: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, some(1, 295, 300, 366, -1, -66)),
    positions: some(1, -1, 2),
    weekStart: fc.constantFrom('MO', 'SU', 'SA'),
    count: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
  })
  .map((rule) => {
    const { freq, positions } = rule;
    // Other parts than months with a day of the year, and a day of the month with a week, are not read.
    const yearDays = freq === 'YEARLY' ? rule.yearDays : [];
    const weeks = freq === 'YEARLY' && yearDays.length === 0 ? rule.weeks : [];
    const days = yearDays.length > 0 ? [] : rule.days;
    const isLong = freq === 'MONTHLY' || (freq === 'YEARLY' && weeks.length === 0);
    return {
      ...{ ...rule, weeks, yearDays },
      interval: weeks.length > 0 ? 1 : rule.interval,
      days: isLong ? days : days.map((one) => one.slice(-2)),
      monthDays: freq === 'WEEKLY' || weeks.length > 0 || yearDays.length > 0 ? [] : rule.monthDays,
      positions: days.length > 0 && weeks.length === 0 ? positions : [],
    };
  });

const textOf = ({ freq, interval, months, monthDays, days, weeks, yearDays, positions, weekStart, count }: Rule): string => {
  const ofYear = { BYWEEKNO: weeks, BYYEARDAY: yearDays };
  const parts = { WKST: [weekStart], BYMONTH: months, BYMONTHDAY: monthDays, BYDAY: days, ...ofYear, BYSETPOS: positions };
  const lists = Object.entries(parts).flatMap(([name, values]) => (values.length > 0 ? [`${name}=${values.join(',')}`] : []));
  return [`FREQ=${freq}`, `INTERVAL=${interval}`, ...lists, ...(count === undefined ? [] : [`COUNT=${count}`])].join(';');
};

const file = (rule: string, start: number): string =>
  `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Away\r\nDTSTART;VALUE=DATE:${at(start).toISOString().slice(0, 10).replaceAll('-', '')}\r\nRRULE:${rule}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;

/** A rule, and an event each month that must be read. */
const fileOfTwo = (rule: string): string => {
  const start = Date.parse('2024-05-15T00:00:00Z') / DAY_MS;
  const good = file('FREQ=MONTHLY;BYMONTHDAY=24', start).replace('UID:1', 'UID:2');
  return file(rule, start).replace('END:VCALENDAR\r\n', good.replace('BEGIN:VCALENDAR\r\n', ''));
};

const read = (text: string) => readIcs(text, WINDOW, () => undefined);

test('a rule gives the days of RFC 5545', () => {
  const windowDay = WINDOW.fromMs / DAY_MS;
  // A count is followed from the start on: slow here.
  const story = RULE.chain((rule) => fc.tuple(fc.constant(rule), fc.nat(rule.count === undefined ? 75_000 : 1500)));
  fc.assert(
    fc.property(story, ([rule, daysAgo]) => {
      const start = windowDay - daysAgo;
      const { events, skipped } = read(file(textOf(rule), start));
      const days = daysOf(rule, start, windowDay + 14);
      const found = events.map((event) => Date.parse(event.start) / DAY_MS).filter((day) => day >= windowDay && day < windowDay + 14);
      expect(found).toEqual(days.filter((day) => day >= windowDay && day < windowDay + 14));
      expect(skipped).toBe(0);
    }),
    { numRuns: runs(1000) },
  );
});

test.each([
  // Too often, forbidden, or of another calendar.
  'FREQ=SECONDLY',
  'FREQ=MINUTELY',
  `FREQ=DAILY;BYHOUR=9,10,11;BYMINUTE=${Array.from({ length: 60 }, (_, minute) => minute)}`,
  'FREQ=WEEKLY;BYDAY=1MO',
  'FREQ=WEEKLY;BYMONTHDAY=13',
  'FREQ=MONTHLY;BYYEARDAY=300',
  'FREQ=YEARLY;BYWEEKNO=43;INTERVAL=2',
  // rrule-temporal 2.2.8 returns wrong days for these.
  'FREQ=YEARLY;BYWEEKNO=43;BYMONTHDAY=24',
  'FREQ=YEARLY;BYWEEKNO=43;BYYEARDAY=300',
  'FREQ=YEARLY;BYYEARDAY=300;BYDAY=SA',
  'FREQ=YEARLY;BYYEARDAY=300;BYMONTHDAY=13',
  'FREQ=YEARLY;BYDAY=SA,2TU',
  'FREQ=DAILY;COUNT=0',
  'RSCALE=CHINESE;FREQ=YEARLY;BYMONTH=9;BYMONTHDAY=13',
  'RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=31;SKIP=FORWARD',
  'FREQ=OFTEN',
])('a rule that cannot be repeated is skipped, and other events are read: %s', (rule) => {
  expect(read(fileOfTwo(rule))).toMatchObject({ events: [{ start: '2026-10-24' }], skipped: 1 });
});

test.each([
  // They never ended in ical.js, so that the whole calendar was unreadable.
  'FREQ=DAILY;INTERVAL=7;BYDAY=TU',
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=HOURLY;BYMONTHDAY=13',
  'FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31;BYMONTH=6',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30;BYSETPOS=1',
  'FREQ=MINUTELY;COUNT=3',
])('a rule without days in the window ends, and other events are read: %s', (rule) => {
  expect(read(fileOfTwo(rule))).toMatchObject({ events: [{ start: '2026-10-24' }], skipped: 0 });
});

test.each([
  ['FREQ=DAILY;BYHOUR=20,9;BYMINUTE=0,30;COUNT=5', ['21T09:00', '21T09:30', '21T20:00', '21T20:30', '22T09:00']],
  ['FREQ=HOURLY;INTERVAL=6;COUNT=3', ['21T09:00', '21T15:00', '21T21:00']],
  ['FREQ=WEEKLY;BYHOUR=9;BYMINUTE=0;BYSECOND=0;UNTIL=20261028T090000', ['21T09:00', '28T09:00']],
])('a rule with times of the day is read: %s', (rule, starts) => {
  const text = file(rule, 0).replace(/DTSTART.*/u, 'DTSTART:20261021T090000\r\nDURATION:PT10M');
  expect(read(text).events.map(({ start }) => start)).toEqual(starts.map((start) => `2026-10-${start}:00`));
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
