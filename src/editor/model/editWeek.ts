import { DAY_MINUTES, printTime, readTime } from '../../schedule/time.ts';
import { byPosition, type Day, type Entry, sameDay, type Week, weekOf } from '../../schedule/week.ts';

/** An entry during editing: minutes since midnight, `end` up to 1440. Its position is its index. */
export type EditEntry = {
  readonly start: number;
  readonly end: number;
  readonly mode: string;
  /** The platform's entry, as long as it is unchanged. */
  readonly origin?: Entry;
};

export type EditDay = readonly EditEntry[];
export type EditWeek = Readonly<Record<Day, EditDay>>;

/** A platform entry in minutes. Unreadable times, or an end before the start, give an undrawable entry. */
const editEntry = (origin: Entry): EditEntry => {
  const [start, end] = [readTime(origin.start), readTime(origin.end)];
  if (start === undefined || end === undefined) return { start: 0, end: 0, mode: origin.mode, origin };
  // No entry can end at 00:00, so 00:00 means the end of the day.
  return { start, end: end === 0 ? DAY_MINUTES : end, mode: origin.mode, origin };
};

/** The week in minutes. Each day is sorted by position. */
export const editWeek = (week: Week): EditWeek => weekOf((day) => byPosition(week[day]).map(editEntry));

/** True if the entry ends after it starts. */
export const isDrawable = ({ start, end }: EditEntry): boolean => start < end;

/** The entries in the format to send. An unchanged entry stays exactly as the platform has it. */
export const printedDay = (entries: EditDay): readonly Entry[] =>
  entries.map(({ start, end, mode, origin }, position) =>
    origin ? { ...origin, position } : { start: printTime(start), end: printTime(end), mode, position },
  );

/** The week in the format to send. A day equal to the one in `base` is taken from `base`. */
export const printedWeek = (week: EditWeek, base: Week): Week =>
  weekOf((day) => {
    const plain = printedDay(week[day]);
    return sameDay(plain, base[day]) ? base[day] : plain;
  });

/** True if both days have the same entries. */
export const isSameDay = (a: EditDay, b: EditDay): boolean => a === b || sameDay(printedDay(a), printedDay(b));

/** The indexes of the entries, sorted by start time. */
export const byStart = (entries: EditDay): readonly number[] =>
  entries.map((_, index) => index).sort((a, b) => (entries[a]?.start ?? 0) - (entries[b]?.start ?? 0) || a - b);
