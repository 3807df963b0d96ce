import { DAYS, type Day, sameDay, type Week, weekOf } from './week.ts';

/** A week that somebody wrote, and the days that they named; the others stand as they were. */
export type Named = { readonly week: Week; readonly named: readonly Day[] };

/** What became of one of several written weeks: the days that a later one has overwritten with something else, and the rest of those named. */
export type Lot = { readonly overwritten: readonly Day[]; readonly kept: readonly Day[] };

/** Several written weeks laid over `present` in their order, and the lot of each. A day that a later one repeats is not overwritten. */
export const mergeWeeks = (present: Week, written: readonly Named[]): { readonly week: Week; readonly lots: readonly Lot[] } => {
  const week = weekOf((day) => written.findLast(({ named }) => named.includes(day))?.week[day] ?? present[day]);
  const lots = written.map((one) => {
    const isKept = (day: Day): boolean => sameDay(one.week[day], week[day]);
    const named = DAYS.filter((day) => one.named.includes(day));
    return { overwritten: named.filter((day) => !isKept(day)), kept: named.filter(isKept) };
  });
  return { week, lots };
};
