import { isRecord } from '../../shared/json.ts';
import { type Entry, type Week, weekOf } from '../week.ts';

/** A week as the bridge publishes it; undefined for any other value. */
export const shownWeek = (value: unknown): Week | undefined => {
  if (!isRecord(value)) return undefined;
  return weekOf((day) => {
    const entries = value[day];
    return Array.isArray(entries) ? entries.flatMap(entryIn) : [];
  });
};

const entryIn = (raw: unknown, index: number): readonly Entry[] => {
  if (!isRecord(raw)) return [];
  const { start, end, mode, position } = raw;
  if (typeof start !== 'string' || typeof end !== 'string' || typeof mode !== 'string') return [];
  return [{ start, end, mode, position: typeof position === 'number' ? position : index }];
};
