import { bad, broken, type Checked, good, type Issue, listed, pointer, shown } from '../shared/issue.ts';
import { isRecord } from '../shared/json.ts';

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export type Day = (typeof DAYS)[number];

/** One entry of the platform: local times `HH:MM`, the end exclusive; `24:00` is a valid end. */
export type Entry = { readonly start: string; readonly end: string; readonly mode: string; readonly position: number };

export type Week = Readonly<Record<Day, readonly Entry[]>>;

/** A week with the entries that `entriesOf` returns for each day, mon to sun. */
export const weekOf = (entriesOf: (day: Day) => readonly Entry[]): Week => ({
  mon: entriesOf('mon'),
  tue: entriesOf('tue'),
  wed: entriesOf('wed'),
  thu: entriesOf('thu'),
  fri: entriesOf('fri'),
  sat: entriesOf('sat'),
  sun: entriesOf('sun'),
});

/** The platform's value as a week: times, modes, positions and order exactly as sent; a missing day is []. */
export const readWeek = (value: unknown): Checked<Week> => {
  if (!isRecord(value)) return bad(broken('type', '', `a week is an object of days, not ${shown(value)}`));
  const issues: Issue[] = [];
  const week = weekOf((day) => {
    const list = value[day] ?? [];
    if (Array.isArray(list)) return list.flatMap((raw, index) => readEntry(raw, index, pointer(day, index), issues));
    issues.push(broken('type', pointer(day), `a day is a list of entries, not ${shown(list)}`));
    return [];
  });
  return issues.length > 0 ? bad(...listed(issues)) : good(week);
};

const readEntry = (raw: unknown, index: number, path: string, issues: Issue[]): readonly Entry[] => {
  const { start, end, mode, position = index } = isRecord(raw) ? raw : {};
  if (typeof start === 'string' && typeof end === 'string' && typeof mode === 'string' && typeof position === 'number') {
    return [{ start, end, mode, position }];
  }
  issues.push(broken('type', path, `an entry has start, end and mode as texts and position as a number, unlike ${shown(raw)}`));
  return [];
};

/** The entries in the order of their positions. */
export const byPosition = (entries: readonly Entry[]): Entry[] => entries.toSorted((a, b) => a.position - b.position);

const sameEntry = (a: Entry, b: Entry): boolean => a.start === b.start && a.end === b.end && a.mode === b.mode;

// `HH:MM` can be compared as text.
const overlap = (a: Entry, b: Entry): boolean => a.start < b.end && b.start < a.end;

/** True if both days have the same entries. Positions matter only as the order of entries that overlap. */
export const sameDay = (a: readonly Entry[], b: readonly Entry[]): boolean => {
  if (a.length !== b.length) return false;
  const rest = byPosition(b);
  return byPosition(a).every((entry) => {
    const index = rest.findIndex((other) => sameEntry(entry, other));
    if (index < 0 || rest.slice(0, index).some((before) => overlap(before, entry))) return false;
    rest.splice(index, 1);
    return true;
  });
};

export const sameWeek = (a: Week, b: Week): boolean => changedDays(a, b).length === 0;

/** The days that differ, mon to sun. */
export const changedDays = (before: Week, after: Week): Day[] => DAYS.filter((day) => !sameDay(before[day], after[day]));

/** A week of which only the `named` days were written. */
export type PartialWeek = { readonly week: Week; readonly named: readonly Day[] };

/** The named days of one write in a merge: those that a later write replaced with other entries, and the rest. */
export type MergeOutcome = { readonly overwritten: readonly Day[]; readonly kept: readonly Day[] };

/** Applies several writes to `present` in their order, with the outcome of each. A day that a later write repeats is not overwritten. */
export const mergeWeeks = (
  present: Week,
  writes: readonly PartialWeek[],
): { readonly week: Week; readonly outcomes: readonly MergeOutcome[] } => {
  const week = weekOf((day) => writes.findLast(({ named }) => named.includes(day))?.week[day] ?? present[day]);
  const outcomes = writes.map((one) => {
    const isKept = (day: Day): boolean => sameDay(one.week[day], week[day]);
    const named = DAYS.filter((day) => one.named.includes(day));
    return { overwritten: named.filter((day) => !isKept(day)), kept: named.filter(isKept) };
  });
  return { week, outcomes };
};
