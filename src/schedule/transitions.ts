import { DAY_MINUTES, readTime } from './time.ts';
import { DAYS, type Day, type Entry, type Week } from './week.ts';
import { addDays, instantOf, type LocalDate, localAt, nextTransition } from './zone.ts';

/** A mode of the schedule; undefined between the entries of a schedule that names no default mode. */
export type Mode = string | undefined;

/** The next change of mode: what it changes to, and when (epoch milliseconds). */
export type Change = { readonly mode: Mode; readonly atMs: number };

/** From this minute of the day on a mode, until the next segment. */
export type Segment = { readonly start: number; readonly mode: Mode };

const DAY_MS = 86_400_000;
// A change shows within eight days, unless a change of the clock skips it; the same hour of the same weekday is not skipped four weeks in a row.
const SPANS = [
  [-1, 2],
  [2, 9],
  [9, 30],
] as const;

/** The mode that the week asks for at an instant, by the clock on the wall of the zone; where entries overlap, the highest position wins. */
export const modeAt = (week: Week, defaultMode: Mode, atMs: number, zone: string): Mode => {
  const { weekday, hour, minute } = localAt(atMs, zone);
  return modeIn(segmentsOf(week[weekday], defaultMode), hour * 60 + minute);
};

/**
 * The first instant after `atMs` at which the week asks for another mode; undefined where it always asks for the same. The clock on
 * the wall decides: in an hour that is repeated entries begin and end twice, in one that is skipped never.
 */
export const nextChange = (week: Week, defaultMode: Mode, atMs: number, zone: string): Change | undefined => {
  const segments = new Map(DAYS.map((day) => [day, segmentsOf(week[day], defaultMode)]));
  const modes = new Set([...segments.values()].flatMap((day) => day.map(({ mode }) => mode)));
  if (modes.size < 2) return undefined;
  const modeOf = (ms: number): Mode => {
    const { weekday, hour, minute } = localAt(ms, zone);
    return modeIn(segments.get(weekday) ?? [], hour * 60 + minute);
  };
  const present = modeOf(atMs);
  for (const [from, to] of SPANS) {
    const found = candidates(segments, atMs, from, to, zone).find((ms) => ms > atMs && modeOf(ms) !== present);
    if (found !== undefined) return { mode: modeOf(found), atMs: found };
  }
  return undefined;
};

const modeIn = (segments: readonly Segment[], minute: number): Mode => segments.findLast(({ start }) => start <= minute)?.mode;

type Span = { readonly start: number; readonly end: number; readonly mode: string };

/** What a day asks for from 00:00 on; neighbours differ. An entry whose times make no sense asks for nothing. */
export const segmentsOf = (entries: readonly Entry[], defaultMode: Mode): readonly Segment[] => {
  const spans = entries.toSorted((a, b) => a.position - b.position).flatMap(spanOf);
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

const spanOf = ({ start: from, end: to, mode }: Entry): readonly Span[] => {
  const [start, end] = [readTime(from), readTime(to)];
  // Nothing can end where the day starts, so 00:00 is the day's end.
  return start === undefined || end === undefined ? [] : [{ start, end: end === 0 ? DAY_MINUTES : end, mode }];
};

/** Every instant, in order, at which the mode can change on the days `from` to `to` around an instant: starts of segments and changes of the clock. */
const candidates = (
  segments: ReadonlyMap<Day, readonly Segment[]>,
  atMs: number,
  from: number,
  to: number,
  zone: string,
): readonly number[] => {
  const today = localAt(atMs, zone);
  const first = DAYS.indexOf(today.weekday);
  const instants = transitions(atMs + (from - 1) * DAY_MS, atMs + (to + 1) * DAY_MS, zone);
  for (let ahead = from; ahead < to; ahead += 1) {
    const weekday = DAYS.at((first + ahead) % DAYS.length) ?? 'mon';
    const date: LocalDate = addDays(today, ahead);
    for (const { start } of segments.get(weekday) ?? []) {
      const local = { ...date, hour: Math.floor(start / 60), minute: start % 60 };
      instants.push(instantOf(local, zone, 'earlier'), instantOf(local, zone, 'later'));
    }
  }
  return instants.sort((a, b) => a - b);
};

const transitions = (fromMs: number, toMs: number, zone: string): number[] => {
  const found: number[] = [];
  for (let next = nextTransition(fromMs, zone); next !== undefined && next < toMs; next = nextTransition(next, zone)) found.push(next);
  return found;
};
