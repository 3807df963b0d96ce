import { nextDay } from '../../schedule/text/dayWords.ts';
import { DAY_MINUTES } from '../../schedule/time.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import type { EditEntry } from './editWeek.ts';
import { entriesAt, type Plan, planOf, rowOf } from './plan.ts';

/** The two entries of one that goes over midnight; `end` is in minutes of the next day. */
export const overMidnight = (entry: EditEntry, end: number): readonly [EditEntry, EditEntry] => [
  { start: entry.start, end: DAY_MINUTES, mode: entry.mode },
  { start: 0, end, mode: entry.mode },
];

/** The plan with an entry over midnight: its row gets the first part, the days after the second. Days come into new rows where they differ. */
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

/** True where an entry that ends at midnight goes on in the same mode on the next day, for all days of its row. */
export const goesOn = (plan: Plan, day: Day, { end, mode }: EditEntry): boolean =>
  end === DAY_MINUTES && rowOf(plan, day).every((one) => plan.week[nextDay(one)].some((other) => other.start === 0 && other.mode === mode));

/** True where an entry that starts at midnight goes on from the same mode on the day before. */
export const comesFrom = (plan: Plan, day: Day, { start, mode }: EditEntry): boolean =>
  start === 0 &&
  rowOf(plan, day).every((one) =>
    plan.week[DAYS[(DAYS.indexOf(one) + 6) % 7] ?? 'sun'].some((other) => other.end === DAY_MINUTES && other.mode === mode),
  );
