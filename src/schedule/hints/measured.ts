import { localNow } from '../shown/localNow.ts';
import { runsOfDays } from '../text/dayWords.ts';
import { printTime, readTime } from '../time.ts';
import { modeIn, segmentsOf } from '../transitions.ts';
import { DAYS, type Day, type Week, weekOf } from '../week.ts';
import type { Points, WeekFacts } from './facts.ts';

/** Moves the begin of a mode on these days, given as runs: `06:00` to `05:20`. */
export type Move = { readonly runs: readonly (readonly Day[])[]; readonly mode: string; readonly from: string; readonly to: string };

/** On `count` of `of` days the room reached its target this many minutes (median) after the begin. */
export type LateBegin = {
  readonly count: number;
  readonly of: number;
  readonly minutes: number;
  readonly celsius: number;
  readonly move: Move;
};

/** On `count` of `of` days something ran without the week asking for it, `minutes` on each day. */
export type RanOutside = { readonly count: number; readonly of: number; readonly minutes: number; readonly what: 'circulation' | 'water' };

// Fourteen days have ten working days: half of them are a habit, fewer may be one cold spell.
const LEAST_DAYS = 5;
/** A series keeps the last value of every ten minutes. */
const SLOT_MINUTES = 10;
const LATE_MINUTES = 2 * SLOT_MINUTES;
/** The swing of a steady room around its target. */
const TOLERANCE_KELVIN = 0.2;
const MOST_EARLIER_MINUTES = 120;
/** A run seen up to this long after the end of a window began within it. */
const SEEN_LATE_MINUTES = 30;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

type Begin = { readonly start: number; readonly mode: string; readonly lateMinutes: number };

/** The begin that was late on most days; undefined where no earlier begin would help. */
export const lateBegin = (facts: WeekFacts): LateBegin | undefined => {
  const begins = beginsOf(facts);
  const found = [...new Set(begins.map(({ start, mode }) => `${start} ${mode}`))].flatMap((key) => {
    const all = begins.filter(({ start, mode }) => `${start} ${mode}` === key);
    const late = all.flatMap(({ lateMinutes }) => (isLate(lateMinutes) ? lateMinutes : [])).toSorted((a, b) => a - b);
    const [[first], middle] = [all, late[Math.floor(late.length / 2)]];
    const celsius = first && facts.temperatures.get(first.mode);
    if (!first || middle === undefined || celsius === undefined || late.length < LEAST_DAYS || 2 * late.length < all.length) return [];
    const move = moveEarlier(facts, first, middle);
    return move ? [{ count: late.length, of: all.length, minutes: roundTo5(middle), celsius, move }] : [];
  });
  return found.toSorted((a, b) => b.count - a.count)[0];
};

// Where the target was not reached at all, an earlier begin may not help.
const isLate = (minutes: number): boolean => minutes >= LATE_MINUTES && Number.isFinite(minutes);
const roundTo5 = (minutes: number): number => 5 * Math.round(minutes / 5);

/** The value in force at an instant. */
const heldAt = (points: Points, at: number): Points[number][1] | undefined => points.findLast(([from]) => from <= at)?.[1];

/** An instant in local time, with the present week's modes on that day. */
const momentOf = ({ week, defaultMode, holidays, measured }: WeekFacts, at: number) => {
  const { date, minutes, day } = localNow(at, measured?.zone);
  const segments = segmentsOf(week[day], defaultMode);
  return { date, minutes, segments, isHoliday: holidays.some((one) => one.start <= date && date <= one.end) };
};

/**
 * The measured begins of a warmer mode. Left out: begins that the week does not have now (temporary, or
 * before a change), with another target, within a holiday, or with missing values.
 */
const beginsOf = (facts: WeekFacts): readonly Begin[] => {
  const { temperatures, measured } = facts;
  const { asked = [], room = [], ...targets } = measured?.points ?? {};
  return asked.flatMap(([at, mode], index): readonly Begin[] => {
    const [before, end] = [asked[index - 1]?.[1], asked[index + 1]?.[0]];
    if (typeof mode !== 'string' || typeof before !== 'string' || end === undefined) return [];
    const [celsius, cooler] = [temperatures.get(mode), temperatures.get(before)];
    if (celsius === undefined || cooler === undefined || cooler >= celsius || heldAt(targets[mode] ?? [], at) !== celsius) return [];
    const { minutes, segments, isHoliday } = momentOf(facts, at);
    const start = segments.find((one) => one.mode === mode && one.start <= minutes && minutes < one.start + SLOT_MINUTES)?.start ?? 0;
    if (start === 0 || isHoliday) return [];
    const values = [[at, heldAt(room, at) ?? null] as const, ...room.filter(([then]) => then > at && then < end)];
    const reached = values.findIndex(([, value]) => typeof value === 'number' && value >= celsius - TOLERANCE_KELVIN);
    if (values.slice(0, reached < 0 ? undefined : reached).some(([, value]) => typeof value !== 'number')) return [];
    const reachedAt = values[reached]?.[0] ?? Number.POSITIVE_INFINITY;
    return [{ start, mode, lateMinutes: (reachedAt - at) / MINUTE_MS }];
  });
};

/** The begin moved earlier on all its days, on the device's grid; undefined where more would change. */
const moveEarlier = ({ week, defaultMode, resolution }: WeekFacts, { start, mode }: Begin, minutes: number): Move | undefined => {
  const to = Math.floor((start - Math.min(minutes, MOST_EARLIER_MINUTES)) / resolution) * resolution;
  const days = DAYS.filter((day) => segmentsOf(week[day], defaultMode).some((one) => one.start === start && one.mode === mode));
  if (to < 0) return undefined;
  const move = { runs: runsOfDays(days), mode, from: printTime(start), to: printTime(to) };
  const moved = moveBegin(week, move);
  const isAlone = days.every((day) => {
    const [before, after] = [week, moved].map((one) => segmentsOf(one[day], defaultMode));
    const wanted = before?.map((one) => (one.start === start ? { ...one, start: to } : one));
    return JSON.stringify(after) === JSON.stringify(wanted);
  });
  return isAlone ? move : undefined;
};

/** The week with the begin moved; a touching entry before it ends earlier. Days without it are unchanged. */
export const moveBegin = (week: Week, { runs, mode, from, to }: Move): Week =>
  weekOf((day) => {
    const isBegin = ({ start, mode: own }: Week[Day][number]): boolean => own === mode && readTime(start) === readTime(from);
    if (!runs.flat().includes(day) || !week[day].some(isBegin)) return week[day];
    return week[day].map((entry) => {
      if (isBegin(entry)) return { ...entry, start: to };
      return readTime(entry.end) === readTime(from) ? { ...entry, end: to } : entry;
    });
  });

/** On how many days a pump or a hot water charge began outside the week's times; undefined for few days. */
export const ranOutside = (facts: WeekFacts): RanOutside | undefined => {
  const { kind, defaultMode, measured } = facts;
  const { asked = [], state = [] } = measured?.points ?? {};
  const since = state.find(([, value]) => value !== null)?.[0];
  if ((kind !== 'circulation' && kind !== 'water') || defaultMode === undefined || !measured || since === undefined) return undefined;
  const runs = state.flatMap(([at, value], index) => {
    const around = [at - SEEN_LATE_MINUTES * MINUTE_MS, at, at + SLOT_MINUTES * MINUTE_MS];
    if (value !== 1 || state[index - 1]?.[1] !== 0 || around.some((then) => heldAt(asked, then) !== defaultMode)) return [];
    const ends = [state[index + 1]?.[0], asked.find(([then]) => then > at)?.[0], measured.now].filter((end) => end !== undefined);
    const { date, minutes, segments, isHoliday } = momentOf(facts, at);
    // The current week may have a time at which it had none before.
    if (isHoliday || modeIn(segments, minutes) !== defaultMode) return [];
    return [{ date, minutes: (Math.min(...ends) - at) / MINUTE_MS }];
  });
  const count = new Set(runs.map(({ date }) => date)).size;
  const minutes = Math.max(5, roundTo5(runs.reduce((sum, run) => sum + run.minutes, 0) / count));
  const of = Math.max(count, Math.round((measured.now - since) / DAY_MS));
  return count < LEAST_DAYS ? undefined : { count, of, minutes, what: kind };
};
