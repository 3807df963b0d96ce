import { DAYS, type Day } from '../../schedule/week.ts';
import { type EditDay, type EditWeek, isSameDay } from './editWeek.ts';

/** Days that are shown and edited as one row. */
export type Row = readonly Day[];

/** The drawn and edited state: the week, with its days grouped in rows. All days of a row are equal. */
export type Plan = { readonly week: EditWeek; readonly rows: readonly Row[] };

/** Groups equal days in rows, sorted by the first day of each row. */
const rowsOf = (week: EditWeek): readonly Row[] => {
  const rows: Day[][] = [];
  for (const day of DAYS) {
    const row = rows.find(([first]) => first !== undefined && isSameDay(week[first], week[day]));
    if (row) row.push(day);
    else rows.push([day]);
  }
  return rows;
};

export const planOf = (week: EditWeek): Plan => ({ week, rows: rowsOf(week) });

/** The row that contains the day. */
export const rowOf = ({ rows }: Plan, day: Day): Row => rows.find((row) => row.includes(day)) ?? [day];

/** The entries of the row that contains the day. */
export const entriesAt = (plan: Plan, day: Day): EditDay => plan.week[rowOf(plan, day)[0] ?? day];

/** Sets the entries of all days in the row of `day`. */
export const withEntries = (plan: Plan, day: Day, entries: EditDay): Plan => ({
  ...plan,
  week: { ...plan.week, ...Object.fromEntries(rowOf(plan, day).map((one) => [one, entries])) },
});

const inOrder = (rows: readonly Row[]): readonly Row[] =>
  rows
    .filter((row) => row.length > 0)
    .map((row) => DAYS.filter((day) => row.includes(day)))
    .sort((a, b) => DAYS.indexOf(a[0] ?? 'mon') - DAYS.indexOf(b[0] ?? 'mon'));

/** Removes a day from its row and keeps its entries. */
export const separateDay = (plan: Plan, day: Day): Plan => ({
  ...plan,
  rows: inOrder([...plan.rows.map((row) => row.filter((one) => one !== day)), [day]]),
});

/** True if the only difference from `before` is this entry, added or changed since. */
const differsOnlyAt = (index: number, now: EditDay, before: EditDay): boolean => {
  const without = (entries: EditDay): EditDay => entries.filter((_, at) => at !== index);
  return [before, without(before)].some((one) => isSameDay(one, without(now)));
};

/**
 * Removes a day from its row if this entry was added or changed since `earlier`. The other days of the row
 * get their earlier entries if only this entry differs.
 */
export const withEntryOnlyOn = (plan: Plan, day: Day, index: number, earlier: EditWeek): Plan => {
  const taken = separateDay(plan, day);
  const others = rowOf(plan, day).filter((one) => one !== day);
  const [first] = others;
  const before = first && earlier[first];
  if (!before || !others.every((one) => isSameDay(earlier[one], before)) || !differsOnlyAt(index, plan.week[day], before)) return taken;
  return { ...taken, week: { ...taken.week, ...Object.fromEntries(others.map((one) => [one, before])) } };
};

/** Copies the entries of the row of `day` to these days and adds the days to the row. */
export const copyTo = (plan: Plan, day: Day, days: readonly Day[]): Plan => {
  const row = rowOf(plan, day);
  const joined = [...row, ...days.filter((one) => !row.includes(one))];
  const rows = inOrder([...plan.rows.filter((one) => one !== row).map((one) => one.filter((other) => !joined.includes(other))), joined]);
  return withEntries({ ...plan, rows }, day, entriesAt(plan, day));
};
