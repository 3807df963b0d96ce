import * as z from 'zod/mini';

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

export type Day = (typeof DAYS)[number];

/** One entry of the platform: local times `HH:MM`, the end exclusive; `24:00` is a valid end. */
export type Entry = { readonly start: string; readonly end: string; readonly mode: string; readonly position: number };

export type Week = Readonly<Record<Day, readonly Entry[]>>;

/** What `of` gives for each day, mon to sun. */
export const weekOf = <T>(of: (day: Day) => T): Readonly<Record<Day, T>> => ({
  mon: of('mon'),
  tue: of('tue'),
  wed: of('wed'),
  thu: of('thu'),
  fri: of('fri'),
  sat: of('sat'),
  sun: of('sun'),
});

const ENTRY = z.object({ start: z.string(), end: z.string(), mode: z.string(), position: z.optional(z.number()) });
const ENTRIES = z.pipe(
  z.nullish(z.array(ENTRY)),
  z.transform((entries): readonly Entry[] => (entries ?? []).map((entry, index) => ({ ...entry, position: entry.position ?? index }))),
);
const WEEK = z.object(weekOf(() => ENTRIES));

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

// Values are never changed, and the same week is read for each of its days, topics and comparisons.
const weeks = new WeakMap<object, Read<Week>>();
const days = new WeakMap<object, Read<readonly Entry[]>>();

const readOnce = <T>(known: WeakMap<object, Read<T>>, schema: z.ZodMiniType<T>, value: unknown): Read<T> => {
  if (typeof value !== 'object' || value === null) return readNow(schema, value);
  const read = known.get(value) ?? readNow(schema, value);
  known.set(value, read);
  return read;
};

const readNow = <T>(schema: z.ZodMiniType<T>, value: unknown): Read<T> => {
  const { success, data } = schema.safeParse(value);
  return success ? { ok: true, value: data } : { ok: false };
};

/** The platform's value as a week: times, modes, positions and order exactly as sent; a missing day is []. */
export const readWeek = (value: unknown): Read<Week> => readOnce(weeks, WEEK, value);

/** The same of one day. */
export const readDay = (value: unknown): Read<readonly Entry[]> => readOnce(days, ENTRIES, value);

/** The week with seven days and four keys an entry and nothing else, which need not be read any more. */
export const plainWeek = (week: Week): Week => {
  const plain = weekOf((day) => {
    const entries = week[day].map(({ start, end, mode, position }) => ({ start, end, mode, position }));
    days.set(entries, { ok: true, value: entries });
    return entries;
  });
  weeks.set(plain, { ok: true, value: plain });
  return plain;
};

/** The entries in the order of their positions. */
export const byPosition = (entries: readonly Entry[]): Entry[] => entries.toSorted((a, b) => a.position - b.position);

const sameEntry = (a: Entry, b: Entry): boolean => a.start === b.start && a.end === b.end && a.mode === b.mode;

// `HH:MM` can be compared as text.
const overlap = (a: Entry, b: Entry): boolean => a.start < b.end && b.start < a.end;

/** True if both days have the same entries. Positions matter only as the order of entries that overlap. */
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
