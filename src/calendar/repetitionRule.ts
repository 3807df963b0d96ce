import type ICAL from 'ical.js';

const DAY_MS = 86_400_000;
/** Maximum days that a rule with a count is followed. */
const MOST_DAYS = 100_000;
/** A rule without a day in this time has none: 29 February of each third year comes after 12 years. */
const MOST_EMPTY_DAYS = 5000;
const MOST_TIMES_A_DAY = 24;
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** Days since 1970; `after` is the first one that does not belong to it. */
type Span = readonly [first: number, after: number];

type Digits = Pick<ICAL.Time, 'year' | 'month' | 'day'>;

/** Days since 1970, from the digits of a time. */
export const dayOf = ({ year, month, day }: Digits): number => Date.UTC(year, month - 1, day) / DAY_MS;

const digitsOf = (day: number): Digits => {
  const date = new Date(day * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
};

/**
 * The times of a rule from one day to another (days since 1970), by RFC 5545. It tries each day: ical.js
 * returns wrong days for many rules (kewisch/ical.js#1039), and never ends for others (#318). Throws for a
 * rule that RFC 5545 forbids or that has no days, and for one that repeats more often than each hour.
 */
export const timesOfRule = (rule: ICAL.Recur, start: ICAL.Time, fromDay: number, toDay: number): readonly ICAL.Time[] => {
  // `Date` takes years below 100 as 1900 and later.
  if (!isAllowed(rule) || start.year < 100) throw new Error('RFC 5545 does not allow or define this rule');
  const { count, until } = rule;
  const [firstDay, isIn, clocks] = [dayOf(start), dayTest(rule, start), clocksOf(rule, start)];
  for (let day = firstDay; !isIn(day); day += 1) if (day > firstDay + MOST_EMPTY_DAYS) throw new Error('the rule has no days');
  if (count && toDay - firstDay > MOST_DAYS) throw new Error('the rule takes too many steps');
  const times: ICAL.Time[] = [];
  let left = count ?? Number.POSITIVE_INFINITY;
  for (let day = count ? firstDay : Math.max(firstDay, fromDay); day <= toDay && left > 0; day += 1) {
    if (!isIn(day)) continue;
    if (firstDay < day && day < fromDay) {
      left -= clocks.length;
      continue;
    }
    const all = clocks.map((clock) => Object.assign(start.clone(), digitsOf(day), clock));
    const own = day === firstDay ? all.filter((time) => textOf(time) >= textOf(start)) : all;
    if (day >= fromDay) times.push(...own.slice(0, left));
    left -= own.length;
  }
  return until ? times.filter((time) => textOf(time) <= textOf(until)) : times;
};

/** The digits of a time without its zone; they sort by time. */
const textOf = (time: ICAL.Time): string => time.toString().slice(0, 19);

/** False where RFC 5545 forbids a part, and where programs disagree: weeks that belong to two years. */
const isAllowed = (rule: ICAL.Recur): boolean => {
  const { freq, interval, count, parts } = rule;
  const { BYSETPOS, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY = [] } = parts;
  const hasOrdinal = BYDAY.some((day) => /\d/u.test(day));
  // Another calendar, or days that move (RFC 7529).
  if (count === 0 || 'rscale' in rule || 'skip' in rule) return false;
  if (freq === 'YEARLY') return !BYWEEKNO || (interval === 1 && !BYSETPOS && !hasOrdinal);
  if (BYWEEKNO || BYYEARDAY) return false;
  if (freq === 'MONTHLY') return true;
  return !hasOrdinal && (freq === 'DAILY' || (freq === 'WEEKLY' && !BYMONTHDAY));
};

type Clock = { readonly hour: number; readonly minute: number; readonly second: number };

/** The times of each day. */
const clocksOf = ({ parts }: ICAL.Recur, start: ICAL.Time): readonly Clock[] => {
  if (start.isDate) return [{ hour: 0, minute: 0, second: 0 }];
  const { BYHOUR = [start.hour], BYMINUTE = [start.minute], BYSECOND = [start.second], BYSETPOS } = parts;
  const count = BYHOUR.length * BYMINUTE.length * BYSECOND.length;
  if (count > MOST_TIMES_A_DAY || (BYSETPOS && count > 1)) throw new Error('the rule has too many times a day');
  const sorted = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);
  return sorted(BYHOUR).flatMap((hour) =>
    sorted(BYMINUTE).flatMap((minute) => sorted(BYSECOND).map((second) => ({ hour, minute, second }))),
  );
};

/** True where the position of a day in a span is listed: from its begin (1, 2 …) or its end (-1, -2 …), in steps of days. */
const isListed = (listed: readonly number[] | undefined, day: number, [first, after]: Span, step = 1): boolean =>
  !listed || listed.includes(Math.floor((day - first) / step) + 1) || listed.includes(-Math.floor((after - 1 - day) / step) - 1);

type Month = Digits & { readonly inMonth: Span; readonly inYear: Span };

const monthOf = (ofDay: number): Month => {
  const { year, month, day } = digitsOf(ofDay);
  const first = ofDay - day + 1;
  const inYear = [dayOf({ year, month: 1, day: 1 }), dayOf({ year: year + 1, month: 1, day: 1 })] as const;
  return { year, month, day: 1, inMonth: [first, dayOf({ year, month: month + 1, day: 1 })], inYear };
};

// 1 January 1970 was a Thursday.
const weekdayOf = (day: number): string => WEEKDAYS[(((day + 4) % 7) + 7) % 7] ?? '';

/** The parts of a rule, with those of the start in place of missing ones. */
const partsOf = ({ freq, parts }: ICAL.Recur, start: ICAL.Time): ICAL.Recur['parts'] => {
  const { BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY, BYMONTH = [start.month] } = parts;
  if (BYYEARDAY || BYMONTHDAY || BYDAY || freq === 'DAILY') return parts;
  if (BYWEEKNO || freq === 'WEEKLY') return { ...parts, BYDAY: [weekdayOf(dayOf(start))] };
  return { ...parts, BYMONTHDAY: [start.day], ...(freq === 'YEARLY' ? { BYMONTH } : {}) };
};

/** Tests whether a day (since 1970) is one of the rule, apart from its start and end. */
const dayTest = (rule: ICAL.Recur, start: ICAL.Time): ((day: number) => boolean) => {
  const { freq, interval, wkst } = rule;
  const { BYSETPOS, BYMONTH, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYDAY } = partsOf(rule, start);
  const ofYear = freq === 'YEARLY' && !rule.parts.BYMONTH;
  let here = monthOf(dayOf(start));
  /** Days are tried one by one: most are in the same month. */
  const monthAt = (day: number): Month => {
    const [first, after] = here.inMonth;
    if (day < first || after <= day) here = monthOf(day);
    return here;
  };
  // `wkst` counts from Sunday as 1.
  const weekStart = (day: number): number => day - ((WEEKDAYS.indexOf(weekdayOf(day)) - wkst + 8) % 7);
  const periodOf = (day: number): number => {
    if (freq === 'DAILY') return day;
    if (freq === 'WEEKLY') return Math.floor(weekStart(day) / 7);
    const { year, month } = monthAt(day);
    return freq === 'MONTHLY' ? year * 12 + month : year;
  };
  const isInWeek = (day: number): boolean => {
    // A week belongs to the year in which its fourth day is.
    const middle = weekStart(day) + 3;
    return isListed(BYWEEKNO, middle, monthOf(middle).inYear, 7);
  };
  const isWeekday = (day: number, span: Span): boolean => {
    const weekday = weekdayOf(day);
    return BYDAY?.some((one) => one.endsWith(weekday) && (one === weekday || isListed([Number.parseInt(one, 10)], day, span, 7))) ?? true;
  };
  const fits = (day: number): boolean => {
    const { month, inMonth, inYear } = monthAt(day);
    if (BYMONTH && !BYMONTH.includes(month)) return false;
    if (!isListed(BYMONTHDAY, day, inMonth) || !isListed(BYYEARDAY, day, inYear)) return false;
    return isWeekday(day, ofYear ? inYear : inMonth) && (!BYWEEKNO || isInWeek(day));
  };
  let [chosenPeriod, chosen]: [number, ReadonlySet<number>] = [Number.NaN, new Set()];
  /** The days of the period at the positions of the rule. */
  const isChosen = (day: number): boolean => {
    const period = periodOf(day);
    if (period !== chosenPeriod) {
      const all: number[] = [];
      let first = day;
      while (periodOf(first - 1) === period) first -= 1;
      for (let one = first; periodOf(one) === period; one += 1) if (fits(one)) all.push(one);
      chosenPeriod = period;
      chosen = new Set(all.filter((_, index) => isListed(BYSETPOS, index, [0, all.length])));
    }
    return chosen.has(day);
  };
  const firstPeriod = periodOf(dayOf(start));
  return (day) => (periodOf(day) - firstPeriod) % interval === 0 && (BYSETPOS ? isChosen(day) : fits(day));
};
