import ICAL from 'ical.js';
import type { CalendarEvent, EventsRead } from '../schedule/calendar/events.ts';
import { blocksOf, componentOf } from './icsText.ts';
import { dayOf, timesOfRule } from './repetitionRule.ts';

export type Window = { readonly fromMs: number; readonly toMs: number };

/** The instant (epoch ms) of a local time `YYYY-MM-DDTHH:MM:SS` in an IANA zone; undefined if unknown. */
export type InZone = (local: string, zone: string) => number | undefined;

const MOST_EVENTS = 20_000;
const MOST_RESULTS = 500;
/** Maximum repetitions of a series that are tried. */
const MOST_STEPS = 5000;
/** As for JSON events. Each event of a series would repeat a title of a megabyte. */
const LONGEST_TITLE = 255;
/** A century. ical.js counts a duration month by month. */
const LONGEST_SECONDS = 36_525 * 86_400;
const DAY_MS = 86_400_000;
const UTC = ICAL.Timezone.utcTimezone;

/**
 * The events of a calendar file in a time window, with all repetitions. Each event is parsed separately: an
 * invalid one, or one whose rule cannot be repeated, is skipped and counted.
 */
export const readIcs = (file: string, window: Window, inZone: InZone): EventsRead => {
  const { text, blocks } = blocksOf(file);
  const zones = blocks.filter(({ kind }) => /vtimezone/iu.test(kind)).flatMap(({ block }) => zoneOf(block) ?? []);
  const fallback = /^X-WR-TIMEZONE:(.+)$/imu.exec(text)?.[1];
  const toText = writer(new Map(zones.map((zone) => [zone.tzid, zone])), fallback, inZone);
  const near = blocks.filter(({ kind, block }) => /vevent/iu.test(kind) && mayBeNear(block, window)).slice(0, MOST_EVENTS);
  const parsed = near.map(({ block }) => componentOf(block, 'vevent'));
  let skipped = parsed.filter((one) => one === undefined).length;
  const series = Map.groupBy(
    parsed.filter((one) => one !== undefined),
    (one) => String(one.getFirstPropertyValue('uid') ?? '').trim(),
  );
  const events: Occurrence[] = [];
  for (const [uid, members] of series) {
    const [masters, exceptions] = [members.filter((one) => !isException(one)), members.filter(isException)];
    const cancelled = masters.filter(isCancelled);
    // Events without a UID are different ones.
    const isLeft = (one: ICAL.Component): boolean =>
      !cancelled.some((other) => other === one || (uid !== '' && cancels(other, one, toText)));
    // Moved events whose series is missing.
    const alone = masters.length === 0 ? exceptions : masters.filter(isLeft);
    const own = masters.length > 0 && alone.length === 1 ? exceptions : [];
    for (const component of alone)
      try {
        const isExcluded = prepare(component, own, toText);
        const event = new ICAL.Event(component, { exceptions: own });
        events.push(...occurrences(event, isExcluded, window, toText));
      } catch {
        skipped += 1;
      }
  }
  events.sort((a, b) => a.fromMs - b.fromMs);
  return { events: events.slice(0, MOST_RESULTS).map(({ event }) => event), skipped: skipped + Math.max(0, events.length - MOST_RESULTS) };
};

/** The zone; undefined without transitions, which would be UTC, and where ical.js might repeat one without end. */
const zoneOf = (block: string): ICAL.Timezone | undefined => {
  const component = componentOf(block, 'vtimezone');
  const transitions = ['standard', 'daylight'].flatMap((name) => component?.getAllSubcomponents(name) ?? []);
  const rules = transitions.flatMap((one) => one.getAllProperties('rrule').flatMap((property) => property.getValues()));
  const isYearly = rules.every((rule) => rule instanceof ICAL.Recur && rule.freq === 'YEARLY');
  return component && transitions.length > 0 && isYearly ? new ICAL.Timezone(component) : undefined;
};

const isCancelled = (component: ICAL.Component): boolean => /^cancelled$/iu.test(String(component.getFirstPropertyValue('status')));

/** The number of an event's version. */
const sequenceOf = (component: ICAL.Component): number => Number(component.getFirstPropertyValue('sequence')) || 0;

/** A later version cancels any event of its UID. The same one only its own start: some programs write one UID for all events. */
const cancels = (cancelled: ICAL.Component, one: ICAL.Component, toText: Writer): boolean => {
  const version = sequenceOf(cancelled) - sequenceOf(one);
  const [own, start] = [cancelled, one].map((each) => timesOf(each, 'dtstart').map(({ time, zoneId }) => toText(time, zoneId).ms)[0]);
  return version > 0 || (version === 0 && (own === undefined || own === start));
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

/** The digits of a time as UTC, in epoch milliseconds. */
const digitsMs = (time: ICAL.Time): number => Date.parse(time.isDate ? time.toString() : `${time.toString().replace('Z', '')}Z`);

type Writer = (time: ICAL.Time, zoneId: string | undefined) => { readonly text: string; readonly ms: number };

/** Converts a time to UTC with its zone (name, file or calendar zone); else it stays a local time. */
const writer =
  (zones: ReadonlyMap<string, ICAL.Timezone>, fallback: string | undefined, inZone: InZone): Writer =>
  (time, zoneId) => {
    const local = time.toString().replace('Z', '');
    const utc = digitsMs(time);
    if (time.isDate) return { text: local, ms: utc };
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
 * Corrects the differences between ical.js and RFC 5545. Digits are compared, so the end, dates and exceptions
 * of a series must be in the zone of its start.
 */
const prepare = (component: ICAL.Component, exceptions: readonly ICAL.Component[], toText: Writer): IsExcluded => {
  const [start] = timesOf(component, 'dtstart');
  if (!start) return () => false;
  const { isDate, zone } = start.time;
  const ends = [...rulesOf(component, 'rrule'), ...rulesOf(component, 'exrule')].flatMap((rule) => rule.until ?? []);
  const changed = exceptions.flatMap((one) => timesOf(one, 'recurrence-id'));
  const dates = timesOf(component, 'rdate');
  const excluded = timesOf(component, 'exdate');
  if (component.getAllProperties('rdate').some(({ type }) => type === 'period')) throw new Error('ical.js reads periods as times');
  // An end date without a time includes that day, as many programs intend.
  for (const end of ends) if (end.isDate && !isDate) Object.assign(end, { isDate: false, hour: 23, minute: 59, second: 59 });
  // Some programs refer to a timed event by its date.
  const { hour, minute, second } = start.time;
  for (const { time } of [...dates, ...changed]) if (time.isDate && !isDate) Object.assign(time, { isDate, hour, minute, second, zone });
  for (const time of isDate ? [...ends, ...[...dates, ...changed, ...excluded].map((one) => one.time)] : []) makeDay(time);
  const times: readonly Zoned[] = [...ends.map((time) => ({ time, zoneId: time.zone?.tzid })), ...dates, ...changed];
  for (const time of isDate ? [] : times) makeLocal(time, start, toText);
  for (const one of [component, ...exceptions]) {
    const [[from = start], [end], length] = [timesOf(one, 'dtstart'), timesOf(one, 'dtend'), one.getFirstPropertyValue('duration')];
    if (length instanceof ICAL.Duration && Math.abs(length.toSeconds()) > LONGEST_SECONDS) throw new Error('the event never ends');
    if (end && !from.time.isDate) makeLocal(end, from, toText);
  }
  const left = excluded.map(({ time, zoneId }) =>
    isDate || time.isDate ? dateOf(time) : toText(time, isOther(zoneId, start.zoneId) ? zoneId : start.zoneId).ms,
  );
  const leftOut = new Set(left);
  return (time, ms) => leftOut.has(dateOf(time)) || leftOut.has(ms);
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

type Occurrence = { readonly event: CalendarEvent; readonly fromMs: number };

const occurrences = (event: ICAL.Event, isExcluded: IsExcluded, { fromMs, toMs }: Window, toText: Writer): readonly Occurrence[] => {
  if (!event.startDate) throw new Error('an event has no start');
  const found: Occurrence[] = [];
  const add = (item: ICAL.Event, start: ICAL.Time, end: ICAL.Time): void => {
    const { component } = item;
    const zone = startZone(component);
    const [from, written] = [toText(start, zone), toText(end, zone)];
    // In an hour that the clock skips, start and end may be the same instant: the event keeps its length.
    const keptMs = from.ms + Math.max(0, digitsMs(end) - digitsMs(start));
    const to = written.ms > from.ms || start.isDate ? written : { text: new Date(keptMs).toISOString(), ms: keptMs };
    if (!isCancelled(component) && to.ms > fromMs - DAY_MS && from.ms < toMs + DAY_MS && (to.ms > from.ms || start.isDate))
      found.push({ event: { title: titleOf(item), start: from.text, end: to.text }, fromMs: from.ms });
  };
  if (!event.isRecurring()) {
    add(event, event.startDate, event.endDate);
    return found;
  }
  const zoneId = startZone(event.component);
  // Exceptions are handled separately: they may move an event from outside the window or the series.
  for (const one of Object.values(event.exceptions))
    if (!isExcluded(one.recurrenceId, toText(one.recurrenceId, zoneId).ms)) add(one, one.startDate, one.endDate);
  // An exception may move all later events by years. Most of an old series is past, and is not looked at.
  const lengthDays = Math.ceil(event.duration.toSeconds() / 86_400);
  const fromDay = event.rangeExceptions.length > 0 ? Number.NEGATIVE_INFINITY : Math.floor(fromMs / DAY_MS) - 4 - lengthDays;
  const starts = startsOf(event, fromDay, Math.ceil(toMs / DAY_MS) + 2);
  if (starts.length > MOST_STEPS) throw new Error('a rule takes too many steps');
  for (const start of starts) {
    if (found.length > MOST_RESULTS) break;
    if (start.toString() in event.exceptions || isExcluded(start, toText(start, zoneId).ms)) continue;
    const { item, startDate, endDate } = event.getOccurrenceDetails(start);
    add(item, startDate, endDate);
  }
  return found;
};

const rulesOf = (component: ICAL.Component, name: 'rrule' | 'exrule'): readonly ICAL.Recur[] =>
  component.getAllProperties(name).flatMap((property) =>
    property.getValues().map((rule) => {
      if (rule instanceof ICAL.Recur) return rule;
      throw new Error('this is not a rule');
    }),
  );

/** The starts of a series by its rules and dates, by time. The start of a series without a rule is one of them. */
const startsOf = ({ component, startDate }: ICAL.Event, fromDay: number, toDay: number): readonly ICAL.Time[] => {
  const timesOfAll = (name: 'rrule' | 'exrule'): readonly ICAL.Time[] =>
    rulesOf(component, name).flatMap((rule) => timesOfRule(rule, startDate, fromDay, toDay));
  const dates = timesOf(component, 'rdate').map(({ time }) => time);
  const all = [...(component.hasProperty('rrule') ? timesOfAll('rrule') : [startDate]), ...dates];
  const starts = new Map(all.filter((time) => dayOf(time) >= fromDay && dayOf(time) <= toDay).map((time) => [time.toString(), time]));
  for (const time of timesOfAll('exrule')) starts.delete(time.toString());
  return [...starts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, time]) => time);
};
