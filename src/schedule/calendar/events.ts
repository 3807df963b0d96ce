import { isRecord } from '../../shared/json.ts';
import { addDays, hasOffset, instantAt, isDate, type LocalDate, readInstant } from '../zone.ts';

/** An event as received: `start` and the exclusive `end` are dates, RFC 3339, or local times. */
export type CalendarEvent = { readonly title: string; readonly start: string; readonly end?: string | undefined };

/** The result of reading a payload; `skipped`: number of invalid events. */
export type EventsRead = { readonly events: readonly CalendarEvent[]; readonly skipped: number };

/** The maximum length of a state in Home Assistant. */
const LONGEST_TITLE = 255;

/**
 * Reads the answer of `calendar.get_events` of Home Assistant (one or several calendars), of its REST
 * interface, or a list of events with `summary`, `start` and `end`. Skips invalid events. Undefined for any
 * other payload.
 */
export const readEvents = (json: unknown): EventsRead | undefined => {
  const lists = Array.isArray(json) ? [json] : isRecord(json) ? listsIn(json) : [];
  if (lists.length === 0) return undefined;
  const all = lists.flat().filter((one) => !isCancelled(one));
  const events = all.flatMap((one) => readEvent(one) ?? []);
  return { events, skipped: all.length - events.length };
};

const listsIn = (json: Readonly<Record<string, unknown>>): readonly (readonly unknown[])[] => {
  if (Array.isArray(json['events'])) return [json['events']];
  const calendars = Object.values(json);
  return calendars.flatMap((one) => (isRecord(one) && Array.isArray(one['events']) ? [one['events']] : []));
};

const isCancelled = (one: unknown): boolean => isRecord(one) && typeof one['status'] === 'string' && /^cancell?ed$/iu.test(one['status']);

const readEvent = (json: unknown): CalendarEvent | undefined => {
  if (!isRecord(json)) return undefined;
  const [start, end] = [momentIn(json['start']), momentIn(json['end'])];
  const title = json['summary'] ?? json['title'] ?? '';
  if (typeof title !== 'string' || start === undefined) return undefined;
  const event = { title: title.trim().slice(0, LONGEST_TITLE), start, ...(end === undefined ? {} : { end }) };
  return spanOf(event, 'UTC') ? event : undefined;
};

/** A text, or `{"date"}` or `{"dateTime"}` of the REST interface. */
const momentIn = (json: unknown): string | undefined => {
  const text = isRecord(json) ? (json['date'] ?? json['dateTime']) : json;
  return typeof text === 'string' && text.length <= 40 ? text.trim() : undefined;
};

/** The time of an event in a zone. `days`, of an event without hours: its first day and the one after it. */
export type Span = {
  readonly beginMs: number;
  readonly endMs: number;
  readonly days?: { readonly first: LocalDate; readonly after: LocalDate };
};

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/u;

/** The moments of an event; local times are of the zone. Undefined without a length or a valid moment. */
export const spanOf = ({ start, end = start }: CalendarEvent, zone: string): Span | undefined => {
  const [first, last] = [dateIn(start), dateIn(end)];
  if (first) {
    if (!last || end < start) return undefined;
    const after = end === start ? addDays(first, 1) : last;
    return { beginMs: instantAt(first, 0, zone), endMs: instantAt(after, 0, zone), days: { first, after } };
  }
  const [beginMs, endMs] = [readInstant(start, zone), readInstant(end, zone)];
  if (beginMs === undefined || endMs === undefined) return undefined;
  // In an hour that the clock skips, begin and end may be the same instant: the event keeps its length.
  const isLocal = !hasOffset(start) && !hasOffset(end);
  const lengthMs = isLocal && endMs <= beginMs ? (readInstant(end, 'UTC') ?? 0) - (readInstant(start, 'UTC') ?? 0) : endMs - beginMs;
  return lengthMs > 0 ? { beginMs, endMs: beginMs + lengthMs } : undefined;
};

const dateIn = (text: string): LocalDate | undefined => {
  const [, year, month, day] = DATE.exec(text) ?? [];
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  return year !== undefined && isDate(date) ? date : undefined;
};
