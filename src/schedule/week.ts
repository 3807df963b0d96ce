export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export type Day = (typeof DAYS)[number];

/** One entry of the platform: local times `HH:MM`, the end exclusive; `24:00` is a valid end. */
export type Entry = { readonly start: string; readonly end: string; readonly mode: string; readonly position: number };

export type Week = Readonly<Record<Day, readonly Entry[]>>;

/** The result of `of` for each day, mon to sun. */
export const weekOf = <T>(of: (day: Day) => T): Readonly<Record<Day, T>> => ({
  mon: of('mon'),
  tue: of('tue'),
  wed: of('wed'),
  thu: of('thu'),
  fri: of('fri'),
  sat: of('sat'),
  sun: of('sun'),
});

/** The entries in the order of their positions. */
export const byPosition = <T extends Pick<Entry, 'position'>>(entries: readonly T[]): T[] =>
  entries.toSorted((a, b) => a.position - b.position);

const sameEntry = (a: Entry, b: Entry): boolean => a.start === b.start && a.end === b.end && a.mode === b.mode;

// `HH:MM` can be compared as text.
const overlap = (a: Entry, b: Entry): boolean => a.start < b.end && b.start < a.end;

/** True if both days have the same entries. Positions only matter as the order of overlapping entries. */
export const sameDay = (a: readonly Entry[], b: readonly Entry[]): boolean => {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  if (a.length < 2) return a.every((entry) => b.every((other) => sameEntry(entry, other)));
  const rest = byPosition(b);
  return byPosition(a).every((entry) => {
    const index = rest.findIndex((other) => sameEntry(entry, other));
    if (index < 0 || rest.slice(0, index).some((before) => overlap(before, entry))) return false;
    rest.splice(index, 1);
    return true;
  });
};

/** The days that differ, mon to sun. */
export const changedDays = (before: Week, after: Week): Day[] => DAYS.filter((day) => !sameDay(before[day], after[day]));

/** A week with only the `named` days written. */
type PartialWeek = { readonly week: Week; readonly named: readonly Day[] };

/** A write of a merge, and its named days: those that a later write replaced, and the rest. */
type MergeOutcome<T> = { readonly write: T; readonly overwritten: readonly Day[]; readonly kept: readonly Day[] };

/** Applies writes to `present` in order, with the outcome of each. A repeated day is not overwritten. */
export const mergeWeeks = <T extends PartialWeek>(
  present: Week,
  writes: readonly T[],
): { readonly week: Week; readonly outcomes: readonly MergeOutcome<T>[] } => {
  const week = weekOf((day) => writes.findLast(({ named }) => named.includes(day))?.week[day] ?? present[day]);
  const outcomes = writes.map((write) => {
    const isKept = (day: Day): boolean => sameDay(write.week[day], week[day]);
    const named = DAYS.filter((day) => write.named.includes(day));
    return { write, overwritten: named.filter((day) => !isKept(day)), kept: named.filter(isKept) };
  });
  return { week, outcomes };
};
