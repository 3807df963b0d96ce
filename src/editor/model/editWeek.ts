import { DAY_MINUTES, printTime, readTime } from '../../schedule/time.ts';
import { byPosition, type Day, type Entry, sameDay, type Week, weekOf } from '../../schedule/week.ts';

/** An entry while it is edited: minutes since midnight, `end` up to 1440. The order in its day is its position. */
export type EditEntry = {
  readonly start: number;
  readonly end: number;
  readonly mode: string;
  /** The entry as the platform has it, while nothing of it is changed. */
  readonly origin?: Entry;
};

export type EditDay = readonly EditEntry[];
export type EditWeek = Readonly<Record<Day, EditDay>>;

/** An entry of the platform in minutes. Times that cannot be read, or an end before the start, give an entry that is not drawable. */
const editEntry = (origin: Entry): EditEntry => {
  const [start, end] = [readTime(origin.start), readTime(origin.end)];
  if (start === undefined || end === undefined) return { start: 0, end: 0, mode: origin.mode, origin };
  // No entry can end at 00:00, so that is the end of the day.
  return { start, end: end === 0 ? DAY_MINUTES : end, mode: origin.mode, origin };
};

/** The week in minutes, each day in the order of its positions. */
export const editWeek = (week: Week): EditWeek => weekOf((day) => byPosition(week[day]).map(editEntry));

/** True for an entry that ends after it starts. */
export const isDrawable = ({ start, end }: EditEntry): boolean => start < end;

/** The entries as they are sent; one that was not changed stays exactly as the platform has it. */
export const printedDay = (entries: EditDay): readonly Entry[] =>
  entries.map(({ start, end, mode, origin }, position) =>
    origin ? { ...origin, position } : { start: printTime(start), end: printTime(end), mode, position },
  );

/** The week as it is sent. A day that equals the one of `base` is that one. */
export const printedWeek = (week: EditWeek, base: Week): Week =>
  weekOf((day) => {
    const plain = printedDay(week[day]);
    return sameDay(plain, base[day]) ? base[day] : plain;
  });

/** True if both days have the same entries. */
export const isSameDay = (a: EditDay, b: EditDay): boolean => a === b || sameDay(printedDay(a), printedDay(b));

/** The indexes of the entries in the order of their start. */
export const byStart = (entries: EditDay): readonly number[] =>
  entries.map((_, index) => index).sort((a, b) => (entries[a]?.start ?? 0) - (entries[b]?.start ?? 0) || a - b);
