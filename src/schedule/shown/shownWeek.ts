import { isRecord } from '../../shared/json.ts';
import { type Entry, type Week, weekOf } from '../week.ts';

/** A week as the bridge publishes it; undefined for any other value. */
export const shownWeek = (value: unknown): Week | undefined => {
  if (!isRecord(value)) return undefined;
  return weekOf((day) => {
    const entries = value[day];
    return Array.isArray(entries) ? entries.flatMap((raw, index) => entryIn(raw, index) ?? []) : [];
  });
};

/** An entry with its four keys only; position defaults to that in the list. Undefined for invalid keys. */
export const entryIn = (raw: unknown, index: number): Entry | undefined => {
  if (!isRecord(raw)) return undefined;
  const { start, end, mode, position = index } = raw;
  if (typeof start !== 'string' || typeof end !== 'string' || typeof mode !== 'string' || typeof position !== 'number') return undefined;
  return { start, end, mode, position };
};
