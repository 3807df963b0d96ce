import * as z from 'zod/mini';
import { type Entry, type Week, weekOf } from './week.ts';

// The platform's value is checked at the border. Not in week.ts, so that what runs in a browser does without zod.
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
