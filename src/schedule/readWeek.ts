import { isRecord } from '../shared/json.ts';
import { entryIn } from './shown/shownWeek.ts';
import { DAYS, type Entry, type Week, weekOf } from './week.ts';

type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

// Not read by a schema: that takes ten times as long, and each day, topic and comparison reads the week.

/** A day of the platform's value: times, modes, positions and order exactly as sent; [] where missing. */
export const readDay = (value: unknown): Read<readonly Entry[]> => {
  if (value === undefined || value === null) return { ok: true, value: [] };
  const entries = Array.isArray(value) ? value.map(entryIn) : [undefined];
  return entries.every((entry) => entry !== undefined) ? { ok: true, value: entries } : { ok: false };
};

/** As `readDay`, for a week. */
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
