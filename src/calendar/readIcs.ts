import ICAL from 'ical.js';
import { blocksOf, componentOf } from './icsText.ts';

/** The texts are as `CalendarEvent` of the schedules has them: a date, RFC 3339, or a local time without offset. */
type IcsEvent = { readonly title: string; readonly start: string; readonly end: string };

export type IcsRead = { readonly events: readonly IcsEvent[]; readonly skipped: number };

export type Window = { readonly fromMs: number; readonly toMs: number };

/** Gives the moment (epoch milliseconds) of a local time `YYYY-MM-DDTHH:MM:SS` in a zone by its IANA name; undefined where there is no such zone. */
export type InZone = (local: string, zone: string) => number | undefined;

const MOST_EVENTS = 20_000;
const MOST_RESULTS = 500;
/** ical.js has rules that never end (kewisch/ical.js#318). */
const MOST_STEPS = 5000;
/** As of an event that comes as JSON. One of a megabyte would come with each event of its series. */
const LONGEST_TITLE = 255;
const DAY_MS = 86_400_000;
const UTC = ICAL.Timezone.utcTimezone;

/**
 * The events of a calendar file between two moments, with repeated ones as often as they come. Each event is read by itself: one that makes no
 * sense, or whose rule takes too many steps, is skipped and counted.
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
    // An event that was moved, of a series that is not there.
    const alone = masters.length === 0 ? exceptions : masters;
    for (const component of alone)
      try {
        const own = masters.length === 1 ? exceptions : [];
        const isLeftOut = prepare(component, own, window.fromMs, toText);
        const event = new ICAL.Event(component, { exceptions: own });
        events.push(...occurrences(event, isLeftOut, window, toText));
      } catch {
        skipped += 1;
      }
  }
  events.sort((a, b) => a.fromMs - b.fromMs);
  return { events: events.slice(0, MOST_RESULTS).map(({ event }) => event), skipped: skipped + Math.max(0, events.length - MOST_RESULTS) };
};

const zoneOf = (block: string): ICAL.Timezone | undefined => {
  const component = componentOf(block, 'vtimezone');
  // Without any time it would be UTC.
  return component && ['standard', 'daylight'].some((name) => component.getFirstSubcomponent(name))
    ? new ICAL.Timezone(component)
    : undefined;
};

const isException = (component: ICAL.Component): boolean => component.getFirstProperty('recurrence-id') !== null;

/**
 * By its digits alone whether an event, or a series that has an end, can be within the window: most of a file of years is not, and parsing and
 * repeating it all takes seconds.
 */
const mayBeNear = (block: string, { fromMs, toMs }: Window): boolean => {
  if (/^(?:RDATE|RECURRENCE-ID)/imu.test(block)) return true;
  const dayOf = (name: string): number | undefined => {
    const [, year, month, day] = new RegExp(`^${name}(\\d{4})(\\d{2})(\\d{2})`, 'imu').exec(block) ?? [];
    return year === undefined ? undefined : Date.UTC(Number(year), Number(month) - 1, Number(day));
  };
  const [start, end] = [dayOf('DTSTART[^:\\n]*:'), dayOf('DTEND[^:\\n]*:')];
  // Without them it is parsed, and counted as one that makes no sense.
  if (start === undefined) return true;
  const last = /^RRULE/imu.test(block) ? (dayOf('RRULE[^\\n]*;UNTIL=') ?? Number.POSITIVE_INFINITY) : start;
  return start < toMs + 2 * DAY_MS && last + (end ?? start + 366 * DAY_MS) - start > fromMs - 2 * DAY_MS;
};

/** Of a repeated hour the first is meant, and a skipped one goes forward: there the offset of an hour before counts. */
const offsetOf = (zone: ICAL.Timezone, time: ICAL.Time): number => {
  const before = time.clone();
  before.adjust(0, -1, 0, 0);
  return zone.utcOffset(before);
};

type Writer = (time: ICAL.Time, zoneId: string | undefined) => { readonly text: string; readonly ms: number };

/** Writes a time: in UTC where its zone is known, by its name, by the file, or by the zone of the calendar; else as the local time that it is. */
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

/** Whether a series leaves out an event that comes at this time, and moment (epoch milliseconds). */
type IsLeftOut = (time: ICAL.Time, ms: number) => boolean;

/**
 * What ical.js takes otherwise than RFC 5545: it compares digits, so that the end, dates and exceptions of a series have to be times of the zone
 * of its start; the start of a series with dates but no rule is one of them; and behind an EXDATE that fits no event it misses others, so that
 * they are taken out here.
 */
const prepare = (component: ICAL.Component, exceptions: readonly ICAL.Component[], fromMs: number, toText: Writer): IsLeftOut => {
  const [start] = timesOf(component, 'dtstart');
  if (!start) return () => false;
  const { isDate, zone } = start.time;
  const rules = component.getAllProperties('rrule').flatMap((one) => one.getValues().filter((rule) => rule instanceof ICAL.Recur));
  if (!rules.every(isCounted)) throw new Error('ical.js does not count the positions of this rule');
  const ends = rules.flatMap((rule) => rule.until ?? []);
  const changed = exceptions.flatMap((one) => timesOf(one, 'recurrence-id'));
  const excluded = timesOf(component, 'exdate');
  if (component.getAllProperties('rdate').some(({ type }) => type === 'period')) throw new Error('ical.js takes periods for times');
  // A day at which a series of times ends belongs to it, as many programs mean it.
  for (const end of ends) if (end.isDate && !isDate) Object.assign(end, { isDate: false, hour: 23, minute: 59, second: 59 });
  // Some name an event with hours by its day.
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

/** Elsewhere ical.js takes no notice of BYSETPOS, and has each day of a rule for one of them (kewisch/ical.js#1039). */
const isCounted = ({ freq, parts }: ICAL.Recur): boolean => {
  const { BYSETPOS, BYDAY, BYMONTHDAY, BYMONTH } = parts;
  return !BYSETPOS || (BYDAY !== undefined && !BYMONTHDAY && (freq === 'MONTHLY' || (freq === 'YEARLY' && BYMONTH?.length === 1)));
};

const DAYS: Readonly<Record<string, number>> = { DAILY: 1, WEEKLY: 7 };

/** Since 1970, by its digits. */
const dayOf = ({ year, month, day }: ICAL.Time): number => Date.UTC(year, month - 1, day) / DAY_MS;

/** Lets a series that repeats by days or weeks without a count begin later, where nothing of it is missed: ical.js walks through each event. */
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

/** A time of no zone is one of that of the start. */
const isOther = (zoneId: string | undefined, ofStart: string | undefined): boolean =>
  zoneId !== undefined && zoneId !== 'floating' && zoneId !== ofStart;

const dateOf = (time: ICAL.Time): string => time.toString().slice(0, 10);

/**
 * Makes a time that names one of a series of days that day: Exchange and others write its midnight, some of them in UTC, which is at most half a
 * day away. The last second of a day, as the end of a series, is none.
 */
const makeDay = (time: ICAL.Time): void => {
  if (time.isDate) return;
  if (time.zone === UTC && time.second === 0) time.adjust(0, 12, 0, 0);
  Object.assign(time, { isDate: true, hour: 0, minute: 0, second: 0 });
};

/** Makes a time of another zone one of that of the start. */
const makeLocal = ({ time, zoneId }: Zoned, start: Zoned, toText: Writer): void => {
  if (time.isDate || !isOther(zoneId, start.zoneId)) return;
  const { ms } = toText(time, zoneId);
  const momentOf = (localMs: number): number => toText(ICAL.Time.fromJSDate(new Date(localMs), true), start.zoneId).ms;
  const localBy = (nearMs: number): number => nearMs + ms - momentOf(nearMs);
  // The second time by the offset of that local time, where the first was beyond a change of the clock. No clock shows a skipped one.
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

/** Some programs write the name of a zone beside a time in UTC. */
const zoneIdOf = (time: ICAL.Time, named: unknown): string | undefined =>
  typeof named === 'string' && time.zone !== UTC ? named : time.zone?.tzid;

const startZone = (component: ICAL.Component): string | undefined => timesOf(component, 'dtstart')[0]?.zoneId;

/** `SUMMARY;VALUE=INTEGER:5` gives a number, other types an object. */
const titleOf = ({ summary }: ICAL.Event): string => (typeof summary === 'string' ? summary.trim().slice(0, LONGEST_TITLE) : '');

type Occurrence = { readonly event: IcsEvent; readonly fromMs: number };

const occurrences = (event: ICAL.Event, isLeftOut: IsLeftOut, { fromMs, toMs }: Window, toText: Writer): readonly Occurrence[] => {
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
  // Of a series of years most is long over, and a moment in a zone costs much. An exception may have moved all events after it.
  const lengthMs = event.duration.toSeconds() * 1000;
  const isLongAgo = (time: ICAL.Time): boolean =>
    Date.UTC(time.year, time.month - 1, time.day) + lengthMs < fromMs - 4 * DAY_MS && event.rangeExceptions.length === 0;
  const zoneId = startZone(event.component);
  // An exception stands for itself: its event was moved from anywhere, and the series may have ended before.
  for (const one of Object.values(event.exceptions))
    if (!isLeftOut(one.recurrenceId, toText(one.recurrenceId, zoneId).ms)) add(one, one.startDate, one.endDate);
  const iterator = event.iterator();
  for (let [steps, ms] = [0, fromMs]; ms <= toMs + DAY_MS && found.length <= MOST_RESULTS; steps += 1) {
    const next = iterator.next();
    if (!next) break;
    if (steps === MOST_STEPS) throw new Error('a rule takes too many steps');
    if (isLongAgo(next) || next.toString() in event.exceptions) continue;
    ms = toText(next, zoneId).ms;
    if (isLeftOut(next, ms)) continue;
    const { item, startDate, endDate } = event.getOccurrenceDetails(next);
    add(item, startDate, endDate);
  }
  return found;
};
