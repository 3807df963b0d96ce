import type ICAL from 'ical.js';
import { RRuleTemporal } from 'rrule-temporal';

const DAY_MS = 86_400_000;
/** The library takes minutes for a rule with each second of the day. */
const MOST_TIMES_A_DAY = 24;
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'] as const;

/** Days since 1970, from the digits of a time. */
export const dayOf = ({ year, month, day }: Pick<ICAL.Time, 'year' | 'month' | 'day'>): number => Date.UTC(year, month - 1, day) / DAY_MS;

/**
 * The times of a rule from one day to another (days since 1970), by RFC 5545: ical.js returns wrong days for
 * many rules (kewisch/ical.js#1039), and never ends for others (#318). rrule-temporal repeats the digits as
 * UTC. Throws for a rule that RFC 5545 forbids or that repeats too often.
 */
export const timesOfRule = (rule: ICAL.Recur, start: ICAL.Time, fromDay: number, toDay: number): readonly ICAL.Time[] => {
  if (!isAllowed(rule)) throw new Error('this rule is forbidden, or programs do not agree about its days');
  const { until, parts } = rule;
  const clocks = [parts.BYHOUR, parts.BYMINUTE, parts.BYSECOND].reduce((count, list) => count * (list?.length ?? 1), 1);
  if (clocks > MOST_TIMES_A_DAY) throw new Error('the rule has too many times a day');
  const own = Object.assign(rule.clone(), { until: null, parts: partsOf(rule, start) });
  const first = `${start.toString().slice(0, 10)}T${start.isDate ? '00:00:00' : start.toString().slice(11, 19)}Z`;
  const series = new RRuleTemporal({ rruleString: `DTSTART:${first.replaceAll(/[-:]/gu, '')}\nRRULE:${own}`, strict: true });
  const from = new Date(Math.max(fromDay, dayOf(start)) * DAY_MS);
  const times = series.between(from, new Date((toDay + 1) * DAY_MS - 1), true).map(({ year, month, day, hour, minute, second }) => {
    const clock = start.isDate ? {} : { hour, minute, second };
    return Object.assign(start.clone(), { year, month, day, ...clock });
  });
  return until ? times.filter((time) => textOf(time) <= textOf(until)) : times;
};

/** The digits of a time without its zone; they sort by time. */
const textOf = (time: ICAL.Time): string => time.toString().slice(0, 19);

/** The parts of a rule: without times for dates, and with the weekday of the start for weeks of the year. */
const partsOf = ({ parts }: ICAL.Recur, start: ICAL.Time): ICAL.Recur['parts'] => {
  const { BYHOUR, BYMINUTE, BYSECOND, ...days } = parts;
  const all = start.isDate ? days : parts;
  const weekday = WEEKDAYS[new Date(dayOf(start) * DAY_MS).getUTCDay()];
  return parts.BYWEEKNO && !parts.BYDAY && weekday ? { ...all, BYDAY: [weekday] } : all;
};

/**
 * False for what the library does not check (no times, another calendar, days that move as in RFC 7529), and for
 * rules of a year with parts that it joins (2.2.8: BYYEARDAY=300;BYDAY=SA is each day 300), or drops (BYDAY=SA,2TU).
 */
const isAllowed = (rule: ICAL.Recur): boolean => {
  const { freq, interval, count, parts } = rule;
  const { BYSETPOS, BYWEEKNO, BYYEARDAY, BYMONTHDAY, BYMONTH, BYDAY = [] } = parts;
  if (count === 0 || 'rscale' in rule || 'skip' in rule) return false;
  if (freq !== 'YEARLY') return true;
  const ordinals = BYDAY.filter((day) => /\d/u.test(day)).length;
  if (!BYMONTH && ordinals > 0 && ordinals < BYDAY.length) return false;
  if (BYWEEKNO) return interval === 1 && !BYSETPOS && !BYYEARDAY && !BYMONTHDAY;
  return !BYYEARDAY || (!BYMONTHDAY && BYDAY.length === 0);
};
