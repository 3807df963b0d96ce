import { startOf } from '../energy/periods.ts';

const DAY_MS = 86_400_000;

// Dates without a time zone: `2026-11-27`.

const msOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The date `count` days later. */
export const dayAfter = (day: string, count = 1): string => new Date(msOf(day) + count * DAY_MS).toISOString().slice(0, 10);

/** The number of days between two dates, both included; 0 if the first one is later. */
export const daysFrom = (from: string, to: string): number => Math.max(0, Math.round((msOf(to) - msOf(from)) / DAY_MS) + 1);

/** The same date of the previous year; 28 February for 29 February. */
export const yearBefore = (day: string): string => {
  const before = `${String(Number(day.slice(0, 4)) - 1).padStart(4, '0')}${day.slice(4)}`;
  return before.endsWith('-02-29') ? `${before.slice(0, 8)}28` : before;
};

export type PeriodKind = 'day' | 'month' | 'year';
export type Period = { readonly kind: PeriodKind; readonly from: string; readonly to: string };

/** The complete day, month or year that contains this date. */
export const periodWith = (kind: PeriodKind, day: string): Period => ({
  ...{ kind, from: startOf(kind, day) },
  to: dayAfter(startOf(kind, day, -1), -1),
});
