import { DAY_MINUTES } from '../time.ts';
import { type Mode, type ModeSpan, modeSpans } from '../transitions.ts';
import { DAYS, type Day, type Week } from '../week.ts';
import { localAt } from '../zone.ts';

/** The minutes of each day in which a week has another mode than the default: there it releases hot water. */
export type Released = ReadonlyMap<Day, readonly ModeSpan[]>;

/** When a week releases hot water, and in which modes. */
export const releasedIn = (week: Week, defaultMode: Mode): Released =>
  new Map(DAYS.map((day) => [day, modeSpans(week[day]).filter(({ mode }) => mode !== defaultMode)]));

/** The mode in which the week releases hot water at a minute of a day; undefined where it does not. */
export const releasedMode = (released: Released, day: Day, minute: number): string | undefined =>
  (released.get(day) ?? []).find(({ start, end }) => start <= minute && minute < end)?.mode;

/** The longest time of the week without release, in minutes of the clock. */
export const longestGap = (released: Released): number => {
  const spans = DAYS.flatMap((day, index) =>
    (released.get(day) ?? []).map(({ start, end }) => ({ start: index * DAY_MINUTES + start, end: index * DAY_MINUTES + end })),
  );
  const again = (spans[0]?.start ?? 0) + DAYS.length * DAY_MINUTES;
  return Math.max(...spans.map(({ end }, index) => (spans[index + 1]?.start ?? again) - end));
};

/** A week with an entry releases within eight days. */
const LONGEST_MS = 8 * 86_400_000;

type Steps = { readonly resolution: number; readonly zone: string };

/** Whether the week releases at an instant. */
const isAt = (released: Released, ms: number, zone: string): boolean => {
  const { weekday, hour, minute } = localAt(ms, zone);
  return releasedMode(released, weekday, hour * 60 + minute) !== undefined;
};

/** The last instant up to `ms` until which the week releases; on steps of its resolution. The week is not empty. */
export const releaseUntil = (released: Released, ms: number, { resolution, zone }: Steps): number => {
  let at = ms;
  while (at > ms - LONGEST_MS && !isAt(released, at - 1, zone)) at -= resolution * 60_000;
  return at;
};

/** The first instant from `ms` on at which the week releases; likewise. */
export const releaseFrom = (released: Released, ms: number, { resolution, zone }: Steps): number => {
  let at = ms;
  while (at < ms + LONGEST_MS && !isAt(released, at, zone)) at += resolution * 60_000;
  return at;
};
