import { isRecord } from '../shared/json.ts';
import { entryIn } from './shown/shownWeek.ts';
import { DAYS, type Entry, type Week, weekOf } from './week.ts';

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

// Checked by hand: with a schema it takes ten times as long, and the same week is read for each of its days, topics and comparisons.

/** A day of the platform's value: times, modes, positions and order exactly as sent; a missing one is []. */
export const readDay = (value: unknown): Read<readonly Entry[]> => {
  if (value === undefined || value === null) return { ok: true, value: [] };
  const entries = Array.isArray(value) ? value.map(entryIn) : [undefined];
  return entries.every((entry) => entry !== undefined) ? { ok: true, value: entries } : { ok: false };
};

/** The same of a week. */
export const readWeek = (value: unknown): Read<Week> => {
  if (!isRecord(value)) return { ok: false };
  const days = new Map<string, readonly Entry[]>();
  for (const day of DAYS) {
    const read = readDay(value[day]);
    if (!read.ok) return read;
    days.set(day, read.value);
  }
  return { ok: true, value: weekOf((day) => days.get(day) ?? []) };
};
