import { DAYS, type Day } from './week.ts';

/** Named ends to choose from, as `until` takes them: midnight, and the end of Sunday if that is later. */
export type UsualEnds = { readonly midnight: string; readonly sunday?: string };

/** The ends on this day. Without a date there is no Sunday, and `00:00` means the next midnight. */
export const usualEnds = ({ day, date }: { readonly day: Day; readonly date?: string | undefined }): UsualEnds => {
  const tomorrow = date && daysAfter(date, 1);
  const monday = date && daysAfter(date, DAYS.length - DAYS.indexOf(day));
  return { midnight: tomorrow ?? '00:00', ...(monday && monday !== tomorrow ? { sunday: monday } : {}) };
};

/** `2027-01-04`: the date this many days after another; undefined for an invalid date. */
const daysAfter = (date: string, count: number): string | undefined => {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(date) ?? [];
  if (year === undefined) return undefined;
  return new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) + count)).toISOString().slice(0, 10);
};
