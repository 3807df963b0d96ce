import { DAY_MINUTES, readTime } from './time.ts';
import { byPosition, DAYS, type Day, type Entry, type Week } from './week.ts';
import { addDays, clockAt, instantAt, localAt, nextTransition } from './zone.ts';

/** A mode of the schedule; undefined between entries if the schedule has no default mode. */
export type Mode = string | undefined;

/** A change of mode: the new mode and the instant (epoch milliseconds). */
export type Change = { readonly mode: Mode; readonly atMs: number };

/** A mode from this minute of the day until the next segment. */
export type Segment = { readonly start: number; readonly mode: Mode };

// A change comes within eight days, or within four weeks if the clock skips its hour.
const SPANS = [
  [-1, 2],
  [2, 9],
  [9, 30],
] as const;

/** The mode of the week at an instant, in local time; of overlapping entries the highest position wins. */
export const modeAt = (week: Week, defaultMode: Mode, atMs: number, zone: string): Mode => {
  const { weekday, minutes } = clockAt(atMs, zone);
  return modeIn(segmentsOf(week[weekday], defaultMode), minutes);
};

/**
 * The first change of mode after `atMs`; undefined if the mode never changes. Local time decides: entries
 * start and end twice in a repeated hour, and never in a skipped one.
 */
export const nextChange = (week: Week, defaultMode: Mode, atMs: number, zone: string): Change | undefined => {
  const segments = new Map(DAYS.map((day) => [day, segmentsOf(week[day], defaultMode)]));
  const modes = new Set([...segments.values()].flatMap((day) => day.map(({ mode }) => mode)));
  if (modes.size < 2) return undefined;
  const modeOf = (ms: number): Mode => {
    const { weekday, minutes } = clockAt(ms, zone);
    return modeIn(segments.get(weekday) ?? [], minutes);
  };
  const present = modeOf(atMs);
  for (const [from, to] of SPANS) {
    const found = candidates(segments, atMs, from, to, zone).find((ms) => ms > atMs && modeOf(ms) !== present);
    if (found !== undefined) return { mode: modeOf(found), atMs: found };
  }
  return undefined;
};

/** The mode at a minute of the day. */
export const modeIn = (segments: readonly Segment[], minute: number): Mode => segments.findLast(({ start }) => start <= minute)?.mode;

/** Minutes of a day in one mode. */
export type ModeSpan = { readonly start: number; readonly end: number; readonly mode: string };

/** The minutes of a day in which an entry counts, without overlaps. */
export const modeSpans = (entries: readonly Entry[]): readonly ModeSpan[] => {
  const segments = segmentsOf(entries, undefined);
  return segments.flatMap(({ start, mode }, index) =>
    mode === undefined ? [] : [{ start, end: segments[index + 1]?.start ?? DAY_MINUTES, mode }],
  );
};

/** The segments of a day from 00:00; neighbours differ in mode. Entries with invalid times are ignored. */
export const segmentsOf = (entries: readonly Entry[], defaultMode: Mode): readonly Segment[] => {
  const spans = byPosition(entries).flatMap(spanOf);
  const edges = new Set([0, ...spans.flatMap(({ start, end }) => [start, end])]);
  edges.delete(DAY_MINUTES);
  const segments: Segment[] = [];
  for (const minute of [...edges].sort((a, b) => a - b)) {
    const inside = spans.findLast(({ start, end }) => start <= minute && minute < end);
    const mode = inside ? inside.mode : defaultMode;
    if (segments.length === 0 || segments.at(-1)?.mode !== mode) segments.push({ start: minute, mode });
  }
  return segments;
};

/** The minutes of an entry; none if its times are invalid. */
export const spanOf = ({ start: from, end: to, mode }: Entry): readonly ModeSpan[] => {
  const [start, end] = [readTime(from), readTime(to)];
  // No entry ends at 00:00, so that is the end of the day.
  return start === undefined || end === undefined ? [] : [{ start, end: end === 0 ? DAY_MINUTES : end, mode }];
};

/** The instants at which the mode can change on days `from` to `to`: segment starts and clock changes. */
const candidates = (
  segments: ReadonlyMap<Day, readonly Segment[]>,
  atMs: number,
  from: number,
  to: number,
  zone: string,
): readonly number[] => {
  const today = localAt(atMs, zone);
  const first = DAYS.indexOf(today.weekday);
  const midnight = (ahead: number): number => instantAt(addDays(today, ahead), 0, zone);
  // Only of these days: an instant of a later day would precede the starts of that day.
  const instants = transitions(midnight(from) - 1, midnight(to), zone);
  for (let ahead = from; ahead < to; ahead += 1) {
    const weekday = DAYS.at((first + ahead) % DAYS.length) ?? 'mon';
    const date = addDays(today, ahead);
    for (const { start } of segments.get(weekday) ?? [])
      instants.push(instantAt(date, start, zone, 'earlier'), instantAt(date, start, zone, 'later'));
  }
  return instants.sort((a, b) => a - b);
};

const transitions = (fromMs: number, toMs: number, zone: string): number[] => {
  const found: number[] = [];
  for (let next = nextTransition(fromMs, zone); next !== undefined && next < toMs; next = nextTransition(next, zone)) found.push(next);
  return found;
};
