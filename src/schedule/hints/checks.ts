import { nextDay } from '../text/dayWords.ts';
import { DAY_MINUTES, printTime } from '../time.ts';
import { segmentsOf, spanOf } from '../transitions.ts';
import { byPosition, DAYS, type Day, type Entry, type Week } from '../week.ts';
import type { WeekFacts } from './facts.ts';
import { type LateBegin, lateBegin, type Move, type RanOutside, ranOutside } from './measured.ts';

type Span = { readonly day: Day; readonly from: string; readonly to: string };
type At = { readonly day: Day; readonly time: string };

/** The facts that each check finds for its sentence. */
export type Found = {
  readonly no_effect: { readonly mode: string | undefined };
  readonly holiday: { readonly start: string; readonly end: string; readonly isOver: boolean };
  readonly circulation_always: object;
  readonly circulation_unreleased: Span;
  readonly water_always: object;
  readonly water_short: Span;
  readonly water_late: { readonly day: Day; readonly heating: string; readonly water: string };
  readonly water_gap: { readonly from: At; readonly to: At };
  readonly water_starts: { readonly day: Day; readonly count: number };
  readonly water_cool: { readonly celsius: number };
  readonly hygiene_outside: At;
  readonly same_temperature: { readonly modes: readonly string[]; readonly celsius: number };
  readonly night_setback: { readonly kelvin: number };
  /** `mode`: the mode that counts where two entries overlap; without it a minute is not covered. */
  readonly overlap: { readonly span: Span; readonly mode: string | undefined };
  readonly odd_day: { readonly day: Day; readonly time: string; readonly usual: string };
  readonly late_begin: LateBegin;
  readonly ran_outside: RanOutside;
};

export type HintKey = keyof Found;

/** Undefined where the check finds nothing. */
type Check<K extends HintKey> = (facts: WeekFacts) => Found[K] | undefined;

/** Checks whose advice is right only for some homes. */
export const TIPS: ReadonlySet<HintKey> = new Set(['night_setback']);

/** Minutes of a day; the end is exclusive. */
type Window = { readonly start: number; readonly end: number };

const LEAST_CHARGE_MINUTES = 30;
const MOST_STARTS = 4;
const SETBACK_KELVIN = 4;
const LEAST_WATER_CELSIUS = 50;
const DEVIATION_MINUTES = 20;
const WEEKDAYS = DAYS.slice(0, 5);

/** Windows in order; overlapping or touching ones are joined. */
const joined = (all: readonly Window[]): readonly Window[] => {
  const windows: Window[] = [];
  for (const { start, end } of all) {
    const last = windows.at(-1);
    // Devices write 23:59 for the end of the day.
    if (last && start <= last.end + 1) windows[windows.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    else windows.push({ start, end });
  }
  return windows;
};

/** The times of a day that any entry covers. */
const windowsOf = (entries: readonly Entry[]): readonly Window[] => joined(entries.flatMap(spanOf).sort((a, b) => a.start - b.start));

/** The windows of the week in minutes from Monday 00:00, joined; the last may run into the next week. */
const weekWindows = (week: Week): readonly Window[] => {
  const after = (minutes: number, index: number): number => minutes + index * DAY_MINUTES;
  const windows = joined(
    DAYS.flatMap((day, index) => windowsOf(week[day]).map(({ start, end }) => ({ start: after(start, index), end: after(end, index) }))),
  );
  const [first, last] = [windows[0], windows.at(-1)];
  if (!first || !last || windows.length < 2 || first.start > 0 || last.end < WEEK_MINUTES - 1) return windows;
  return [...windows.slice(1, -1), { start: last.start, end: first.end + WEEK_MINUTES }];
};

const WEEK_MINUTES = DAYS.length * DAY_MINUTES;
const isAlways = (week: Week): boolean => weekWindows(week).some(({ start, end }) => end - start >= WEEK_MINUTES - 1);
const dayAt = (minutes: number): Day => DAYS[Math.floor(minutes / DAY_MINUTES) % DAYS.length] ?? 'mon';
const timeAt = (minutes: number) => ({ day: dayAt(minutes), time: printTime(minutes % DAY_MINUTES) });
const spanAt = (day: Day, { start, end }: Window) => ({ day, from: printTime(start), to: printTime(end) });

/** The first result of `of`, Monday to Sunday. */
const firstDay = <T>(of: (day: Day) => T | undefined, days: readonly Day[] = DAYS): T | undefined =>
  days.map(of).find((found) => found !== undefined);

const isIn = (windows: readonly Window[], minute: number): boolean => windows.some(({ start, end }) => start <= minute && minute < end);

/** The first part of `inside` outside `outside` that is long enough for a charge. */
const firstOutside = (inside: readonly Window[], outside: readonly Window[]): Window | undefined => {
  const minutes = [...Array(DAY_MINUTES).keys()].filter((minute) => isIn(inside, minute) && !isIn(outside, minute));
  return joined(minutes.map((start) => ({ start, end: start + 1 }))).find(({ start, end }) => end - start >= LEAST_CHARGE_MINUTES);
};

/**
 * Overlapping entries of a day with different modes, the upper not inside the lower; the upper mode counts.
 */
const overlapOf = (entries: readonly Entry[]): (Window & { readonly mode: string }) | undefined => {
  const ordered = byPosition(entries).flatMap(spanOf);
  for (const [index, below] of ordered.entries())
    for (const above of ordered.slice(index + 1)) {
      const [start, end] = [Math.max(below.start, above.start), Math.min(below.end, above.end)];
      const isLayer = below.start <= above.start && above.end <= below.end;
      if (start < end && !isLayer && below.mode !== above.mode) return { start, end, mode: above.mode };
    }
  return undefined;
};

/** A minute before midnight without an entry, though the mode continues after it. */
const openMinute = (week: Week, day: Day): Window | undefined => {
  const next = week[nextDay(day)];
  const last = week[day].flatMap(spanOf).find(({ end }) => end === DAY_MINUTES - 1);
  const isCovered = week[day].flatMap(spanOf).some(({ end }) => end === DAY_MINUTES);
  const goesOn = next.flatMap(spanOf).some(({ start, mode }) => start === 0 && mode === last?.mode);
  return last && goesOn && !isCovered ? { start: DAY_MINUTES - 1, end: DAY_MINUTES } : undefined;
};

/** The first time in `day` that differs from `usual`, if their entries differ only by some minutes. */
const deviationOf = (day: readonly Entry[], usual: readonly Entry[]): { readonly time: string; readonly usual: string } | undefined => {
  const [own, other] = [day, usual].map((entries) => entries.flatMap(spanOf).sort((a, b) => a.start - b.start));
  if (!own || !other || own.length !== other.length || own.some(({ mode }, index) => mode !== other[index]?.mode)) return undefined;
  const [a, b] = [own, other].map((spans) => spans.flatMap(({ start, end }) => [start, end])) as [number[], number[]];
  if (a.some((at, index) => Math.abs(at - (b[index] ?? at)) > DEVIATION_MINUTES)) return undefined;
  const first = a.findIndex((at, index) => at !== b[index]);
  return first < 0 ? undefined : { time: printTime(a[first] ?? 0), usual: printTime(b[first] ?? 0) };
};

const sameTimes = (a: readonly Entry[], b: readonly Entry[]): boolean =>
  JSON.stringify(segmentsOf(a, undefined)) === JSON.stringify(segmentsOf(b, undefined));

/** Operating modes in which a circuit, or the hot water, follows no week. */
const MODES_WITHOUT_WEEK: ReadonlySet<string> = new Set(['standby', 'off', 'dhw', 'summerEco', 'forcedNormal', 'forcedReduced']);

/** The checks in display order: fifteen of the week itself, and two of measured values. */
export const CHECKS: { readonly [K in HintKey]: Check<K> } = {
  no_effect: ({ kind, week, isActive, mode }) => {
    // Other schedules are not checked: cooling, for example, rests in winter.
    if (kind === 'other' || DAYS.every((day) => week[day].length === 0)) return undefined;
    const hasNoWeek = kind !== 'circulation' && mode !== undefined && MODES_WITHOUT_WEEK.has(mode);
    return hasNoWeek || !isActive ? { mode: hasNoWeek ? mode : undefined } : undefined;
  },
  holiday: ({ kind, holidays, today }) => {
    if (kind === 'other') return undefined;
    // On the first and the last day many heatings still follow the week: there only `isActive` tells.
    const runs = holidays.find(({ start, end, isActive }) => isActive || (start < today && today < end));
    const over = holidays.find(({ end }) => end < today);
    const found = runs ?? over;
    return found && { start: found.start, end: found.end, isOver: !runs };
  },
  circulation_always: ({ kind, week }) => {
    const isCycled = DAYS.some((day) => week[day].some(({ mode }) => mode.includes('cycles')));
    return kind === 'circulation' && isAlways(week) && !isCycled ? {} : undefined;
  },
  circulation_unreleased: ({ kind, week, water }) => {
    if (kind !== 'circulation' || !water) return undefined;
    return firstDay((day) => {
      const found = firstOutside(windowsOf(week[day]), windowsOf(water[day]));
      return found && spanAt(day, found);
    });
  },
  water_always: ({ kind, week, hasCylinder }) => (kind === 'water' && hasCylinder && isAlways(week) ? {} : undefined),
  water_short: ({ kind, week, hasCylinder, isChargedOnce }) => {
    if (kind !== 'water' || !hasCylinder || isChargedOnce) return undefined;
    const short = weekWindows(week).find(({ start, end }) => end - start < LEAST_CHARGE_MINUTES);
    return short && spanAt(dayAt(short.start), { start: short.start % DAY_MINUTES, end: ((short.end - 1) % DAY_MINUTES) + 1 });
  },
  water_late: ({ kind, week, heating }) => {
    if (kind !== 'water') return undefined;
    return firstDay((day) => {
      const water = windowsOf(week[day])[0]?.start;
      const starts = heating.flatMap((one) => windowsOf(one[day])[0]?.start ?? []).filter((start) => start > 0);
      const first = Math.min(...starts);
      return water !== undefined && first < water ? { day, heating: printTime(first), water: printTime(water) } : undefined;
    });
  },
  water_gap: ({ kind, week }) => {
    const windows = weekWindows(week);
    if (kind !== 'water') return undefined;
    for (const [index, { end }] of windows.entries()) {
      const next = windows[index + 1]?.start ?? (windows[0]?.start ?? 0) + WEEK_MINUTES;
      if (next - end > DAY_MINUTES) return { from: timeAt(end), to: timeAt(next) };
    }
    return undefined;
  },
  water_starts: ({ kind, week, hasCompressor }) => {
    if (kind !== 'water' || !hasCompressor) return undefined;
    const starts = weekWindows(week).map(({ start }) => dayAt(start));
    return firstDay((day) => {
      const count = starts.filter((one) => one === day).length;
      return count > MOST_STARTS ? { day, count } : undefined;
    });
  },
  water_cool: ({ kind, hasCylinder, hygiene, waterTarget = LEAST_WATER_CELSIUS }) =>
    kind === 'water' && hasCylinder && hygiene?.isOn === false && waterTarget < LEAST_WATER_CELSIUS ? { celsius: waterTarget } : undefined,
  hygiene_outside: ({ kind, week, hygiene }) => {
    if (kind !== 'water' || !hygiene?.isOn) return undefined;
    const run = hygiene.runs.find(({ day, minutes }) => !isIn(windowsOf(week[day]), minutes));
    return run && { day: run.day, time: printTime(run.minutes) };
  },
  same_temperature: ({ kind, week, defaultMode, temperatures }) => {
    if (kind !== 'heating') return undefined;
    const modes = [...new Set(DAYS.flatMap((day) => segmentsOf(week[day], defaultMode).map(({ mode }) => mode ?? '')))];
    const [celsius, ...others] = modes.map((mode) => temperatures.get(mode));
    return celsius !== undefined && others.length > 0 && others.every((one) => one === celsius) ? { modes, celsius } : undefined;
  },
  night_setback: ({ kind, week, defaultMode, temperatures, hasCompressor }) => {
    if (kind !== 'heating' || !hasCompressor) return undefined;
    const modes = DAYS.flatMap((day) => segmentsOf(week[day], defaultMode).map(({ mode }) => mode ?? ''));
    const known = modes.flatMap((mode) => temperatures.get(mode) ?? []);
    const kelvin = Math.round(10 * (Math.max(...known) - Math.min(...known))) / 10;
    return kelvin >= SETBACK_KELVIN ? { kelvin } : undefined;
  },
  overlap: ({ week }) =>
    firstDay((day) => {
      const overlap = overlapOf(week[day]);
      const open = openMinute(week, day);
      if (overlap) return { span: spanAt(day, overlap), mode: overlap.mode };
      return open && { span: spanAt(day, open), mode: undefined };
    }),
  odd_day: ({ week }) =>
    firstDay((day) => {
      const [usual, ...others] = WEEKDAYS.filter((one) => one !== day).map((one) => week[one]);
      if (!usual || !others.every((one) => sameTimes(one, usual))) return undefined;
      const slip = deviationOf(week[day], usual);
      return slip && { day, ...slip };
    }, WEEKDAYS),
  // Where the heating follows no week, measured values say nothing about it.
  late_begin: (facts) => (CHECKS.no_effect(facts) ? undefined : lateBegin(facts)),
  ran_outside: (facts) => (CHECKS.no_effect(facts) ? undefined : ranOutside(facts)),
};

/** A remark about a week, never an error: the check that made it, its level, and a proposed move. */
export type Hint = { readonly key: HintKey; readonly level: 'hint' | 'tip'; readonly text: string; readonly move?: Move };

/** The sentence of each check, in one language. */
export type Sentences = { readonly [K in HintKey]: (found: Found[K]) => string };

/** The hints of all checks for a week. */
export const hintsOf = (facts: WeekFacts, sentences: Sentences): readonly Hint[] =>
  (Object.keys(CHECKS) as HintKey[]).flatMap((key) => textOf(key, facts, sentences));

const textOf = <K extends HintKey>(key: K, facts: WeekFacts, sentences: Sentences): readonly Hint[] => {
  const found = CHECKS[key](facts);
  const level = TIPS.has(key) ? 'tip' : 'hint';
  return found ? [{ key, level, text: sentences[key](found), ...('move' in found ? { move: found.move } : {}) }] : [];
};
