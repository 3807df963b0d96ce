import { runsOfDays } from '../text/dayWords.ts';
import { modeSpans } from '../transitions.ts';
import { byPosition, DAYS, type Day, type Entry, type Week } from '../week.ts';
import { type Difference, differences } from './dayDifferences.ts';

/** An entry as named in sentences; without its mode where the schedule has only one. */
type NamedSpan = { readonly start: string; readonly end: string; readonly mode?: string };

/** The difference between two weeks on days that change alike. */
export type DayGroup = {
  /** Consecutive days together. */
  readonly runs: readonly (readonly Day[])[];
  /** Starts and ends that moved: `06:00` to `05:30`. */
  readonly moved: readonly { readonly from: string; readonly to: string }[];
  /** Entries that keep their times and have another mode. */
  readonly changed: readonly (NamedSpan & { readonly from: string; readonly to: string })[];
  readonly removed: readonly NamedSpan[];
  readonly added: readonly NamedSpan[];
  /** Minutes that a mode gains on one of the days; negative: loses. */
  readonly more: readonly { readonly mode?: string; readonly minutes: number }[];
  readonly isReordered: boolean;
};

/** The differences between two weeks; days that change alike are one item. Empty if there are none. */
export const weekDifference = (before: Week, after: Week): readonly DayGroup[] => {
  const modes = new Set([before, after].flatMap((week) => DAYS.flatMap((day) => week[day].map(({ mode }) => mode))));
  const named = (mode: string): { readonly mode?: string } => (modes.size > 1 ? { mode } : {});
  return differences(before, after).map((difference) => {
    const [day = 'mon'] = difference.days;
    const [was, is] = [minutesOf(before[day]), minutesOf(after[day])];
    const more = [...modes].map((mode) => ({ ...named(mode), minutes: (is.get(mode) ?? 0) - (was.get(mode) ?? 0) }));
    return {
      runs: runsOfDays(difference.days),
      ...pairsOf(difference, named),
      more: more.filter(({ minutes }) => minutes !== 0),
      isReordered: difference.reordered,
    };
  });
};

/** The minutes of each mode; where entries overlap, the highest position counts. */
const minutesOf = (entries: readonly Entry[]): ReadonlyMap<string, number> => {
  const minutes = new Map<string, number>();
  for (const { start, end, mode } of modeSpans(entries)) minutes.set(mode, (minutes.get(mode) ?? 0) + end - start);
  return minutes;
};

type Pairs = Pick<DayGroup, 'moved' | 'changed' | 'removed' | 'added'>;

/** Removed and added entries as moves and mode changes, where each has a counterpart. */
const pairsOf = ({ removed, added }: Difference, named: (mode: string) => { readonly mode?: string }): Pairs => {
  const [went, came] = [removed, added].map((entries) => byPosition(entries).sort((a, b) => (a.start < b.start ? -1 : 1)));
  const spans = (entries: readonly Entry[] = []): readonly NamedSpan[] =>
    entries.map(({ start, end, mode }) => ({ start, end, ...named(mode) }));
  const pairs = (went ?? []).map((from, index) => ({ from, to: came?.[index] }));
  const known = pairs.flatMap(({ from, to }) => (to && (from.mode === to.mode || isSameTime(from, to)) ? [{ from, to }] : []));
  if (known.length !== came?.length || known.length !== pairs.length)
    return { moved: [], changed: [], removed: spans(went), added: spans(came) };
  const edges = known.flatMap(({ from, to }) => [
    { from: from.start, to: to.start },
    { from: from.end, to: to.end },
  ]);
  // The end of one entry is often the start of the next.
  const moved = new Map(edges.filter(({ from, to }) => from !== to).map((edge) => [`${edge.from} ${edge.to}`, edge]));
  const changed = known
    .filter(({ from, to }) => from.mode !== to.mode)
    .map(({ from, to }) => ({ start: from.start, end: from.end, from: from.mode, to: to.mode }));
  return { moved: [...moved.values()], changed, removed: [], added: [] };
};

const isSameTime = (a: Entry, b: Entry): boolean => a.start === b.start && a.end === b.end;
