import * as Instant from 'temporal-polyfill/fns/Instant';
import * as PlainDate from 'temporal-polyfill/fns/PlainDate';
import * as PlainDateTime from 'temporal-polyfill/fns/PlainDateTime';
import * as ZonedDateTime from 'temporal-polyfill/fns/ZonedDateTime';
import { DAYS, type Day } from './week.ts';

/** A calendar date; months and days start at 1. */
export type LocalDate = { readonly year: number; readonly month: number; readonly day: number };

/** A local date and time. */
export type LocalTime = LocalDate & { readonly hour: number; readonly minute: number; readonly second?: number };

/** The instant of a repeated local time (Temporal's `disambiguation`). A skipped one is moved by the gap. */
export type Disambiguation = 'compatible' | 'earlier' | 'later';

/** False for a date that does not exist (2027-02-29). */
export const isDate = ({ year, month, day }: LocalDate): boolean => {
  try {
    PlainDate.create(year, month, day);
    return true;
  } catch {
    return false;
  }
};

const zoned = (atMs: number, zone: string): ReturnType<typeof Instant.toZonedDateTimeISO> =>
  Instant.toZonedDateTimeISO(Instant.fromEpochMilliseconds(Math.floor(atMs)), zone);

/** The local time in the zone at an instant (epoch milliseconds), with the day of the week. */
export const localAt = (atMs: number, zone: string): Required<LocalTime> & { readonly weekday: Day } => {
  const at = zoned(atMs, zone);
  const { year, month, day, hour, minute, second } = at;
  return { year, month, day, hour, minute, second, weekday: DAYS[ZonedDateTime.dayOfWeek(at) - 1] ?? 'mon' };
};

/**
 * Epoch milliseconds of a local time in the zone. By default a skipped time is moved by the gap (02:30 is
 * 03:30), and a repeated one is the earlier. Throws RangeError for a date or time that does not exist.
 */
export const instantOf = (local: LocalTime, zone: string, which: Disambiguation = 'compatible'): number => {
  const { year, month, day, hour, minute, second = 0 } = local;
  const plain = PlainDateTime.create(year, month, day, hour, minute, second);
  return PlainDateTime.toZonedDateTime(plain, zone, { disambiguation: which }).epochMilliseconds;
};

/** As `instantOf`, for minutes since midnight; from 1440 on, of the next day. */
export const instantAt = (date: LocalDate, minutes: number, zone: string, which?: Disambiguation): number => {
  const { year, month, day } = addDays(date, Math.floor(minutes / 1440));
  return instantOf({ year, month, day, hour: Math.floor(minutes / 60) % 24, minute: minutes % 60 }, zone, which);
};

/** The day of the week, and the minutes since midnight, in the zone at an instant. */
export const clockAt = (atMs: number, zone: string): { readonly weekday: Day; readonly minutes: number } => {
  const { weekday, hour, minute } = localAt(atMs, zone);
  return { weekday, minutes: hour * 60 + minute };
};

/** The date `count` days later. */
export const addDays = ({ year, month, day }: LocalDate, count: number): LocalDate => {
  const after = PlainDate.addDays(PlainDate.create(year, month, day), count);
  return { year: after.year, month: after.month, day: after.day };
};

/** Epoch milliseconds of the zone's next change of the clock after an instant; undefined if none is known. */
export const nextTransition = (atMs: number, zone: string): number | undefined =>
  ZonedDateTime.getTimeZoneTransition(zoned(atMs, zone), 'next')?.epochMilliseconds;

/** RFC 3339 with the zone's offset, in whole seconds: `2026-11-21T06:00:00+01:00`. */
export const printInstant = (atMs: number, zone: string): string =>
  ZonedDateTime.toString(zoned(atMs, zone), { smallestUnit: 'second', timeZoneName: 'never' });

/** The date of an instant in the zone: `2026-11-21`. */
export const dateAt = (atMs: number, zone: string): string => printInstant(atMs, zone).slice(0, 10);

/** `2026-11-21`. */
export const dateText = ({ year, month, day }: LocalDate): string =>
  [String(year).padStart(4, '0'), ...[month, day].map((part) => String(part).padStart(2, '0'))].join('-');

const OFFSET = /(?:z|[+-]\d{2}:?\d{2})$/iu;

/** True for RFC 3339 with an offset, false for a local time. */
export const hasOffset = (text: string): boolean => OFFSET.test(text);

/**
 * Epoch milliseconds of RFC 3339, without an offset as a local time of the zone; undefined if it is neither.
 */
export const readInstant = (text: string, zone: string, which?: Disambiguation): number | undefined => {
  try {
    const { epochMilliseconds } = Instant.fromString(hasOffset(text) ? text : `${text}Z`);
    return hasOffset(text) ? epochMilliseconds : instantOf(localAt(epochMilliseconds, 'UTC'), zone, which);
  } catch {
    return undefined;
  }
};

/** Epoch milliseconds of the begin of a date (`2026-11-21`) in the zone. Invalid dates throw RangeError. */
export const midnightOf = (date: string, zone: string): number => {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  return instantAt({ year, month, day }, 0, zone);
};
