import { daysFrom, yearBefore } from './calendar.ts';
import { rounded } from './counters.ts';
import { type DayRow, isWhole } from './dayRow.ts';
import { factorOf, KNOWN_SHARE, sumOf } from './factor.ts';
import { type DegreeDays, degreeDaysOf, perDegreeDay, rowsWithUse, unitIn, usedForHeat, usedIn, within } from './report.ts';

/** In kelvin. */
const BIN_K = 5;
const LEAST_DAYS = 5;

/** Days with a mean of at least `from` °C and below `to`. */
export type Bin = {
  readonly from: number;
  readonly to: number;
  readonly days: number;
  readonly factor: number | null;
  readonly used: number | null;
  readonly unit: 'm3' | 'kWh';
};

/**
 * The factor and the daily use by 5 K steps of the daily mean, coldest first. Only complete days without
 * frozen data, in the unit of the last one. A step needs at least 5 days, else both are null.
 */
export const binsOf = (rows: readonly DayRow[]): readonly Bin[] => {
  const all = rows.filter((row) => isWhole(row) && !row.stale && row.outside !== undefined);
  const last = rowsWithUse(all).at(-1);
  const unit = last && usedIn(last);
  const whole = all.filter((row) => !unit || usedIn(row) === unit);
  const groups = Map.groupBy(whole, ({ outside = 0 }) => Math.floor(outside / BIN_K) * BIN_K);
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([from, days]) => {
      const isEnough = days.length >= LEAST_DAYS;
      const factor = isEnough ? factorOf(days, days.length) : undefined;
      const used = isEnough && unitIn(days) ? sumOf(days, usedForHeat) : undefined;
      const told = days.filter((row) => usedForHeat(row) !== undefined).length;
      return {
        ...{ from, to: from + BIN_K, days: days.length },
        factor: factor && 'value' in factor ? factor.value : null,
        used: used === undefined ? null : rounded(used / told, 1),
        unit: unit === 'm3' ? unit : 'kWh',
      };
    });
};

/** The use for heating between two days. `used`: gas, else electricity with the rod; null if units differ. */
type Winter = {
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly of: number;
  readonly used: number | null;
  readonly degree_days: DegreeDays | null;
  readonly per_degree_day: number | null;
};

/** `change`: use per degree day versus last winter (0.1 = 10 % more), if both are 90 % known in one unit. */
export type Winters = { readonly now: Winter; readonly before: Winter; readonly change: number | null };

const [BEGIN, END] = ['10-01', '04-30'];

const winterOf = (rows: readonly DayRow[], from: string, to: string): Winter => {
  const days = within(rows, { from, to });
  const means = days.filter((row) => row.outside !== undefined && isWhole(row));
  const of = daysFrom(from, to);
  const telling = new Set(rowsWithUse(days));
  const used = sumOf(days, (row) => (telling.has(row) ? usedForHeat(row) : undefined));
  const perDay = means.length >= KNOWN_SHARE * of ? perDegreeDay(days) : undefined;
  return {
    ...{ from, to, days: means.length, of },
    used: used === undefined || !unitIn(days) ? null : rounded(used, 1),
    degree_days: perDay ? degreeDaysOf(days) : null,
    per_degree_day: perDay && 'value' in perDay ? perDay.value : null,
  };
};

/**
 * This winter (October to April) up to the last known day, against the same days of the previous winter; in
 * summer the complete last winter. Undefined without data for this one.
 */
export const wintersOf = (rows: readonly DayRow[]): Winters | undefined => {
  const last = rows.at(-1)?.day;
  if (last === undefined) return undefined;
  const year = Number(last.slice(0, 4)) - (last.slice(5) < BEGIN ? 1 : 0);
  const from = `${year}-${BEGIN}`;
  const end = `${year + 1}-${END}`;
  const to = last < end ? last : end;
  const now = winterOf(rows, from, to);
  if (within(rows, now).length === 0) return undefined;
  const before = winterOf(rows, yearBefore(from), yearBefore(to));
  const [unit, unitBefore] = [now, before].map((winter) => unitIn(within(rows, winter)));
  const [used, usedBefore] = [now.per_degree_day, before.per_degree_day];
  const isComparable = unit !== undefined && unit === unitBefore;
  return { now, before, change: isComparable && used !== null && usedBefore ? rounded(used / usedBefore - 1, 3) : null };
};
