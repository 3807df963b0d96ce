import { DAY_MINUTES } from '../time.ts';
import { type Mode, modeIn, segmentsOf } from '../transitions.ts';
import { DAYS, type Day, type Week } from '../week.ts';
import { clockAt } from '../zone.ts';

/** The mode, other than the default, in which a week releases hot water at a minute; undefined: none. */
export type Released = (day: Day, minute: number) => string | undefined;

export const releasedIn = (week: Week, defaultMode: Mode): Released => {
  const segments = new Map(DAYS.map((day) => [day, segmentsOf(week[day], defaultMode)]));
  return (day, minute) => {
    const mode = modeIn(segments.get(day) ?? [], minute);
    return mode === defaultMode ? undefined : mode;
  };
};

/** The longest time without release, in minutes of local time; two weeks if it never releases. */
export const longestGap = (released: Released): number => {
  let [longest, gap] = [0, 0];
  // Twice, as a gap may continue over the end of the week.
  for (const day of [...DAYS, ...DAYS])
    for (let minute = 0; minute < DAY_MINUTES; minute += 1) {
      gap = released(day, minute) === undefined ? gap + 1 : 0;
      longest = Math.max(longest, gap);
    }
  return longest;
};

/** A week with an entry releases within eight days. */
const LONGEST_MS = 8 * 86_400_000;

/** The first released instant from `ms` on in steps of `stepMs`; backwards, the end of the last release. */
export const releaseNear = (released: Released, ms: number, stepMs: number, zone: string): number => {
  const isReleased = (at: number): boolean => {
    const { weekday, minutes } = clockAt(stepMs < 0 ? at - 1 : at, zone);
    return released(weekday, minutes) !== undefined;
  };
  let at = ms;
  while (Math.abs(at - ms) < LONGEST_MS && !isReleased(at)) at += stepMs;
  return at;
};
