import type { Constraints } from '../../schedule/constraints.ts';
import { nextDay } from '../../schedule/text/dayWords.ts';
import { DAY_MINUTES } from '../../schedule/time.ts';
import { DAYS, type Day, weekOf } from '../../schedule/week.ts';
import type { EditDay, EditEntry } from './editWeek.ts';
import { gridDown, gridUp, rangeAround, snap, stepOf } from './grid.ts';
import { entriesAt, type Plan, planOf, rowOf } from './plan.ts';

/** Splits an entry at midnight into two; `end` is in minutes of the next day. */
const overMidnight = (entry: EditEntry, end: number): readonly [EditEntry, EditEntry] => [
  { start: entry.start, end: DAY_MINUTES, mode: entry.mode },
  { start: 0, end, mode: entry.mode },
];

/** Splits an entry at midnight: the second part goes to the next days. Different days get new rows. */
export const withOverMidnight = (plan: Plan, day: Day, index: number, end: number): Plan => {
  const row = rowOf(plan, day);
  const entry = entriesAt(plan, day)[index];
  if (!entry) return plan;
  const [late, early] = overMidnight(entry, end);
  const after = row.map(nextDay);
  const week = Object.fromEntries(
    DAYS.map((one) => {
      const kept = plan.week[one].map((other, at) => (row.includes(one) && at === index ? late : other));
      return [one, after.includes(one) ? [...kept, early] : kept];
    }),
  );
  return planOf({ ...plan.week, ...week });
};

/** An entry across midnight in two parts: from `start` on these days to `end` on the next days. */
export type Joined = { readonly days: readonly Day[]; readonly start: number; readonly end: number; readonly mode: string };

const dayBefore = (day: Day): Day => DAYS[(DAYS.indexOf(day) + 6) % DAYS.length] ?? 'sun';

/** The entry across midnight that includes this entry, on all days of its row; undefined if none. */
export const joinedAt = ({ week, rows }: Plan, day: Day, { start, end, mode }: EditEntry): Joined | undefined => {
  const row = rowOf({ week, rows }, day);
  if (end === DAY_MINUTES && start > 0) {
    const ends = row.map((one) => week[nextDay(one)].find((other) => other.start === 0 && other.mode === mode)?.end);
    return sameForAll(ends, (early) => early < DAY_MINUTES && { days: row, start, end: early, mode });
  }
  if (start === 0 && end < DAY_MINUTES) {
    const starts = row.map((one) => week[dayBefore(one)].find((other) => other.end === DAY_MINUTES && other.mode === mode)?.start);
    return sameForAll(starts, (late) => late > 0 && { days: row.map(dayBefore), start: late, end, mode });
  }
  return undefined;
};

const sameForAll = <T>(times: readonly (number | undefined)[], of: (time: number) => T | false): T | undefined => {
  const [first] = times;
  return first !== undefined && times.every((time) => time === first) ? of(first) || undefined : undefined;
};

const lateOf = (entries: EditDay, { start, mode }: Joined): number =>
  entries.findIndex((entry) => entry.start === start && entry.end === DAY_MINUTES && entry.mode === mode);

const earlyOf = (entries: EditDay, { end, mode }: Joined): number =>
  entries.findIndex((entry) => entry.start === 0 && entry.end === end && entry.mode === mode);

/** The entry across midnight moved by `by` minutes, on the grid, without overlaps. Both parts remain. */
export const movedJoined = ({ week }: Plan, joined: Joined, by: number, constraints: Constraints): Joined => {
  const step = stepOf(constraints);
  const { days, start, end } = joined;
  const earliest = Math.max(...days.map((day) => rangeAround(week[day], lateOf(week[day], joined), constraints).from));
  const latest = Math.min(...days.map(nextDay).map((day) => rangeAround(week[day], earlyOf(week[day], joined), constraints).to));
  const lowest = Math.max(gridUp(earliest, step) - start, step - end);
  const highest = Math.min(DAY_MINUTES - step - start, gridDown(latest, step) - end);
  if (lowest > highest) return joined;
  const shift = Math.max(lowest, Math.min(highest, snap(start + by, step) - start));
  return { ...joined, start: start + shift, end: snap(end + shift, step) };
};

/** The plan with a moved entry across midnight. Different days get new rows. */
export const withJoined = (plan: Plan, before: Joined, after: Joined): Plan => {
  const { days, mode } = before;
  const late: EditEntry = { start: after.start, end: DAY_MINUTES, mode };
  const early: EditEntry = { start: 0, end: after.end, mode };
  const next = days.map(nextDay);
  const week = weekOf((day) => {
    const [first, second] = [lateOf(plan.week[day], before), earlyOf(plan.week[day], before)];
    return plan.week[day].map((entry, at) => {
      if (days.includes(day) && at === first) return late;
      return next.includes(day) && at === second ? early : entry;
    });
  });
  return planOf(week);
};
