import ICAL from 'ical.js';
import { blocksOf, componentOf } from './icsText.ts';

/** Times in the format of `CalendarEvent` (schedules): a date, RFC 3339, or a local time without offset. */
type IcsEvent = { readonly title: string; readonly start: string; readonly end: string };

export type IcsRead = { readonly events: readonly IcsEvent[]; readonly skipped: number };

export type Window = { readonly fromMs: number; readonly toMs: number };

/** The instant (epoch ms) of a local time `YYYY-MM-DDTHH:MM:SS` in an IANA zone; undefined if unknown. */
export type InZone = (local: string, zone: string) => number | undefined;

const MOST_EVENTS = 20_000;
const MOST_RESULTS = 500;
/** Some recurrence rules never end in ical.js (kewisch/ical.js#318). */
const MOST_STEPS = 5000;
/** As for JSON events. Each event of a series would repeat a title of a megabyte. */
const LONGEST_TITLE = 255;
const DAY_MS = 86_400_000;
const UTC = ICAL.Timezone.utcTimezone;

/**
 * The events of a calendar file in a time window, with all repetitions. Each event is parsed separately: an
 * invalid one, or one whose rule takes too many steps, is skipped and counted.
 */
export const readIcs = (file: string, window: Window, inZone: InZone): IcsRead => {
  const { text, blocks } = blocksOf(file);
  const zones = blocks.filter(({ kind }) => /vtimezone/iu.test(kind)).flatMap(({ block }) => zoneOf(block) ?? []);
  const fallback = /^X-WR-TIMEZONE:(.+)$/imu.exec(text)?.[1];
  const toText = writer(new Map(zones.map((zone) => [zone.tzid, zone])), fallback, inZone);
  const near = blocks.filter(({ kind, block }) => /vevent/iu.test(kind) && mayBeNear(block, window)).slice(0, MOST_EVENTS);
  const parsed = near.map(({ block }) => componentOf(block, 'vevent'));
  let skipped = parsed.filter((one) => one === undefined).length;
  const series = Map.groupBy(
    parsed.filter((one) => one !== undefined),
    (one) => String(one.getFirstPropertyValue('uid') ?? ''),
  );
  const events: Occurrence[] = [];
  for (const members of series.values()) {
    const [masters, exceptions] = [members.filter((one) => !isException(one)), members.filter(isException)];
    // Moved events whose series is missing.
    const alone = masters.length === 0 ? exceptions : masters;
    for (const component of alone)
      try {
        const own = masters.length === 1 ? exceptions : [];
        const isExcluded = prepare(component, own, window.fromMs, toText);
        const event = new ICAL.Event(component, { exceptions: own });
        events.push(...occurrences(event, isExcluded, window, toText));
      } catch {
        skipped += 1;
      }
  }
  events.sort((a, b) => a.fromMs - b.fromMs);
  return { events: events.slice(0, MOST_RESULTS).map(({ event }) => event), skipped: skipped + Math.max(0, events.length - MOST_RESULTS) };
};

const zoneOf = (block: string): ICAL.Timezone | undefined => {
  const component = componentOf(block, 'vtimezone');
  // A zone without transitions would be UTC.
  return component && ['standard', 'daylight'].some((name) => component.getFirstSubcomponent(name))
    ? new ICAL.Timezone(component)
    : undefined;
};

const isException = (component: ICAL.Component): boolean => component.getFirstProperty('recurrence-id') !== null;

/**
 * Checks by the digits of the dates whether an event, or a series with an end, may be in the window. Most of
 * an old file is not, and parsing and repeating everything takes seconds.
 */
const mayBeNear = (block: string, { fromMs, toMs }: Window): boolean => {
  if (/^(?:RDATE|RECURRENCE-ID)/imu.test(block)) return true;
  const dayOf = (name: string): number | undefined => {
    const [, year, month, day] = new RegExp(`^${name}(\\d{4})(\\d{2})(\\d{2})`, 'imu').exec(block) ?? [];
    return year === undefined ? undefined : Date.UTC(Number(year), Number(month) - 1, Number(day));
  };
  const [start, end] = [dayOf('DTSTART[^:\\n]*:'), dayOf('DTEND[^:\\n]*:')];
  // Without a start it is parsed and counted as invalid.
  if (start === undefined) return true;
  const last = /^RRULE/imu.test(block) ? (dayOf('RRULE[^\\n]*;UNTIL=') ?? Number.POSITIVE_INFINITY) : start;
  return start < toMs + 2 * DAY_MS && last + (end ?? start + 366 * DAY_MS) - start > fromMs - 2 * DAY_MS;
};

/** The offset one hour before: a repeated hour means the first one, and a skipped hour moves forward. */
const offsetOf = (zone: ICAL.Timezone, time: ICAL.Time): number => {
  const before = time.clone();
  before.adjust(0, -1, 0, 0);
  return zone.utcOffset(before);
};

type Writer = (time: ICAL.Time, zoneId: string | undefined) => { readonly text: string; readonly ms: number };

/** Converts a time to UTC with its zone (name, file or calendar zone); else it stays a local time. */
const writer =
  (zones: ReadonlyMap<string, ICAL.Timezone>, fallback: string | undefined, inZone: InZone): Writer =>
  (time, zoneId) => {
    const local = time.toString().replace('Z', '');
    if (time.isDate) return { text: local, ms: Date.parse(local) };
    const utc = Date.parse(`${local}Z`);
    const known = (): number | undefined => {
      if (zoneId === undefined || zoneId === 'floating') return fallback === undefined ? undefined : inZone(local, fallback);
      if (zoneId === 'UTC' || zoneId === 'Z') return utc;
      const zone = zones.get(zoneId);
      if (zone) return inZone(local, zoneId) ?? utc - offsetOf(zone, time) * 1000;
      return inZone(local, zoneId) ?? (fallback === undefined ? undefined : inZone(local, fallback));
    };
    const ms = known();
    return ms === undefined ? { text: local, ms: utc } : { text: new Date(ms).toISOString(), ms };
  };

/** Whether a series excludes its event at this time and instant (epoch ms). */
type IsExcluded = (time: ICAL.Time, ms: number) => boolean;

/**
 * Corrects the differences between ical.js and RFC 5545. It compares digits, so the end, dates and exceptions
 * of a series must be in the zone of its start. The start of a series with dates but no rule is one of them.
 * After an EXDATE without an event it misses others, so they are removed here.
 */
const prepare = (component: ICAL.Component, exceptions: readonly ICAL.Component[], fromMs: number, toText: Writer): IsExcluded => {
  const [start] = timesOf(component, 'dtstart');
  if (!start) return () => false;
  const { isDate, zone } = start.time;
  const rules = component.getAllProperties('rrule').flatMap((one) => one.getValues().filter((rule) => rule instanceof ICAL.Recur));
  if (!rules.every((rule) => isReliable(rule, start.time))) throw new Error('ical.js does not repeat this rule as RFC 5545 says');
  // ical.js leaves months out that are not in order.
  for (const { parts } of rules) parts.BYMONTH?.sort((a, b) => a - b);
  const ends = rules.flatMap((rule) => rule.until ?? []);
  const changed = exceptions.flatMap((one) => timesOf(one, 'recurrence-id'));
  const excluded = timesOf(component, 'exdate');
  if (component.getAllProperties('rdate').some(({ type }) => type === 'period')) throw new Error('ical.js reads periods as times');
  // An end date without a time includes that day, as many programs intend.
  for (const end of ends) if (end.isDate && !isDate) Object.assign(end, { isDate: false, hour: 23, minute: 59, second: 59 });
  // Some programs refer to a timed event by its date.
  const { hour, minute, second } = start.time;
  for (const { time } of changed) if (time.isDate && !isDate) Object.assign(time, { isDate, hour, minute, second, zone });
  for (const time of isDate ? [...ends, ...[...changed, ...excluded].map((one) => one.time)] : []) makeDay(time);
  const times: readonly Zoned[] = [
    ...ends.map((time) => ({ time, zoneId: time.zone?.tzid })),
    ...[...timesOf(component, 'rdate'), ...changed],
  ];
  for (const time of isDate ? [] : times) makeLocal(time, start, toText);
  for (const one of [component, ...exceptions]) {
    const [[from = start], [end]] = [timesOf(one, 'dtstart'), timesOf(one, 'dtend')];
    if (end && !from.time.isDate) makeLocal(end, from, toText);
  }
  const left = excluded.map(({ time, zoneId }) =>
    isDate || time.isDate ? dateOf(time) : toText(time, isOther(zoneId, start.zoneId) ? zoneId : start.zoneId).ms,
  );
  component.removeAllProperties('exdate');
  skipYears(component, start.time, exceptions, fromMs);
  const dates = timesOf(component, 'rdate');
  if (dates.length > 0 && !component.hasProperty('rrule') && !dates.some(({ time }) => String(time) === String(start.time)))
    component.addPropertyWithValue('rdate', start.time.clone());
  const leftOut = new Set(left);
  return (time, ms) => leftOut.has(dateOf(time)) || leftOut.has(ms);
};

/**
 * The rules that ical.js repeats as RFC 5545 says. For others it returns wrong days (kewisch/ical.js#1039), or
 * never ends, such as for `FREQ=DAILY;BYMONTHDAY=-1`.
 */
const isReliable = ({ freq, interval, count, parts }: ICAL.Recur, start: ICAL.Time): boolean => {
  const { BYSETPOS, BYWEEKNO, BYYEARDAY, BYDAY = [], BYMONTHDAY = [], BYMONTH = [] } = parts;
  const isPositive = BYMONTHDAY.every((day) => day > 0);
  const dates = BYDAY.length > 0 || BYMONTHDAY.length > 0 ? BYMONTHDAY : [start.day];
  const isInEveryMonth = dates.every((day) => day > 0 && day < 29);
  const hasNoDates = BYMONTHDAY.length === 0;
  const isBoth = BYDAY.length > 0 && !hasNoDates;
  const isOrdinal = BYDAY.some((day) => /\d/u.test(day));
  switch (freq) {
    case 'DAILY':
      return !BYSETPOS && isPositive;
    case 'MONTHLY':
      if (BYMONTH.length > 0 && (count || interval > 1)) return false;
      if (BYSETPOS) return BYDAY.length > 0 && hasNoDates;
      return !isBoth || interval === 1 || (isInEveryMonth && !isOrdinal);
    case 'YEARLY':
      if (BYWEEKNO || BYYEARDAY || (isBoth && isOrdinal)) return false;
      if (BYMONTH.length === 0) return !BYSETPOS && !isOrdinal && hasNoDates;
      if (BYMONTH.length > 1) return !BYSETPOS && !isBoth && isInEveryMonth;
      if (BYSETPOS) return BYDAY.length > 0 && hasNoDates;
      return isInEveryMonth || (dates.length === 1 && (interval === 1 || isPositive));
    default:
      return !BYSETPOS;
  }
};

const DAYS: Readonly<Record<string, number>> = { DAILY: 1, WEEKLY: 7 };

/** Days since 1970, from the digits. */
const dayOf = ({ year, month, day }: ICAL.Time): number => Date.UTC(year, month - 1, day) / DAY_MS;

/** Moves the start of a daily or weekly series without a count: ical.js steps through each event. */
const skipYears = (component: ICAL.Component, start: ICAL.Time, exceptions: readonly ICAL.Component[], fromMs: number): void => {
  const [rule, ...others] = component.getAllProperties('rrule').map((one) => one.getFirstValue());
  const isRanged = exceptions.some((one) => one.getFirstProperty('recurrence-id')?.getParameter('range'));
  if (!(rule instanceof ICAL.Recur) || others.length > 0 || rule.count || isRanged || component.hasProperty('rdate')) return;
  const [end] = timesOf(component, 'dtend');
  const before = fromMs / DAY_MS - 5 - (end ? dayOf(end.time) - dayOf(start) : 366);
  const step = (DAYS[rule.freq] ?? 0) * rule.interval;
  const days = step && Math.floor((before - dayOf(start)) / step) * step;
  for (const time of days > 0 ? [start, ...(end ? [end.time] : [])] : []) time.adjust(days, 0, 0, 0);
};

/** A time without a zone is in the zone of the start. */
const isOther = (zoneId: string | undefined, ofStart: string | undefined): boolean =>
  zoneId !== undefined && zoneId !== 'floating' && zoneId !== ofStart;

const dateOf = (time: ICAL.Time): string => time.toString().slice(0, 10);

/**
 * Converts a time in an all-day series to its date. Exchange and others write midnight, some in UTC, which is
 * at most half a day off. The last second of a day as the end of a series is not shifted.
 */
const makeDay = (time: ICAL.Time): void => {
  if (time.isDate) return;
  if (time.zone === UTC && time.second === 0) time.adjust(0, 12, 0, 0);
  Object.assign(time, { isDate: true, hour: 0, minute: 0, second: 0 });
};

/** Converts a time of another zone to the zone of the start. */
const makeLocal = ({ time, zoneId }: Zoned, start: Zoned, toText: Writer): void => {
  if (time.isDate || !isOther(zoneId, start.zoneId)) return;
  const { ms } = toText(time, zoneId);
  const momentOf = (localMs: number): number => toText(ICAL.Time.fromJSDate(new Date(localMs), true), start.zoneId).ms;
  const localBy = (nearMs: number): number => nearMs + ms - momentOf(nearMs);
  // Repeated with the offset of the result, to cross clock changes. No clock shows a skipped time.
  const [before = ms, behind = ms] = [ms, ms + DAY_MS].map((nearMs) => localBy(localBy(nearMs)));
  time.fromJSDate(new Date(momentOf(behind) === ms ? behind : before), true);
  time.zone = start.time.zone;
};

type Zoned = { readonly time: ICAL.Time; readonly zoneId: string | undefined };

const timesOf = (component: ICAL.Component, name: string): readonly Zoned[] =>
  component.getAllProperties(name).flatMap((property) => {
    const named = property.getParameter('tzid');
    return property.getValues().flatMap((time) => (time instanceof ICAL.Time ? [{ time, zoneId: zoneIdOf(time, named) }] : []));
  });

/** Some programs write a zone name beside a UTC time. */
const zoneIdOf = (time: ICAL.Time, named: unknown): string | undefined =>
  typeof named === 'string' && time.zone !== UTC ? named : time.zone?.tzid;

const startZone = (component: ICAL.Component): string | undefined => timesOf(component, 'dtstart')[0]?.zoneId;

/** `SUMMARY;VALUE=INTEGER:5` gives a number; other types give an object. */
const titleOf = ({ summary }: ICAL.Event): string => (typeof summary === 'string' ? summary.trim().slice(0, LONGEST_TITLE) : '');

type Occurrence = { readonly event: IcsEvent; readonly fromMs: number };

const occurrences = (event: ICAL.Event, isExcluded: IsExcluded, { fromMs, toMs }: Window, toText: Writer): readonly Occurrence[] => {
  if (!event.startDate) throw new Error('an event has no start');
  const found: Occurrence[] = [];
  const add = (item: ICAL.Event, start: ICAL.Time, end: ICAL.Time): void => {
    const { component } = item;
    const zone = startZone(component);
    const [from, to] = [toText(start, zone), toText(end, zone)];
    const isCancelled = String(component.getFirstPropertyValue('status') ?? '').toUpperCase() === 'CANCELLED';
    if (!isCancelled && to.ms > fromMs - DAY_MS && from.ms < toMs + DAY_MS && (to.ms > from.ms || start.isDate))
      found.push({ event: { title: titleOf(item), start: from.text, end: to.text }, fromMs: from.ms });
  };
  if (!event.isRecurring()) {
    add(event, event.startDate, event.endDate);
    return found;
  }
  // Most of an old series is past, and zone conversion is slow. An exception may move all later events.
  const lengthMs = event.duration.toSeconds() * 1000;
  const isLongAgo = (time: ICAL.Time): boolean =>
    Date.UTC(time.year, time.month - 1, time.day) + lengthMs < fromMs - 4 * DAY_MS && event.rangeExceptions.length === 0;
  const zoneId = startZone(event.component);
  // Exceptions are handled separately: they may move an event from outside the window or the series.
  for (const one of Object.values(event.exceptions))
    if (!isExcluded(one.recurrenceId, toText(one.recurrenceId, zoneId).ms)) add(one, one.startDate, one.endDate);
  const iterator = event.iterator();
  for (let [steps, ms] = [0, fromMs]; ms <= toMs + DAY_MS && found.length <= MOST_RESULTS; steps += 1) {
    const next = iterator.next();
    if (!next) break;
    if (steps === MOST_STEPS) throw new Error('a rule takes too many steps');
    if (isLongAgo(next) || next.toString() in event.exceptions) continue;
    ms = toText(next, zoneId).ms;
    if (isExcluded(next, ms)) continue;
    const { item, startDate, endDate } = event.getOccurrenceDetails(next);
    add(item, startDate, endDate);
  }
  return found;
};
