import type { PastBar } from '../../features/energy/past.ts';
import type { PastSeries } from '../../features/energy/pastFiles.ts';
import { dayAfter, daysFrom, periodWith } from '../../features/performance/calendar.ts';
import type { DayRow } from '../../features/performance/dayRow.ts';
import { reportOf } from '../../features/performance/report.ts';

/** The number of days in the charts. */
const CHART_DAYS = 31;
const MOST_MONTHS = 25;

/**
 * This month, last month, this year, which may not have ended (`isSoFar`). `rows`: completed days, oldest first.
 * `today`: the heating's date.
 */
export const periodsOf = (rows: readonly DayRow[], today: string) => {
  if (rows.length === 0) return [];
  const month = periodWith('month', today);
  const periods = { thisMonth: month, lastMonth: periodWith('month', dayAfter(month.from, -1)), thisYear: periodWith('year', today) };
  const names = ['thisMonth', 'lastMonth', 'thisYear'] as const;
  return names.map((name) => {
    const { from, to } = periods[name];
    return { name, isSoFar: today <= to, isFirstDay: today === from, report: reportOf(rows, periods[name]) };
  });
};

export type ShownPeriod = ReturnType<typeof periodsOf>[number];

/** The last days up to the last known one, each with its row if it has one. */
export const lastDays = (rows: readonly DayRow[]): readonly { readonly day: string; readonly row: DayRow | undefined }[] => {
  const [first, last] = [rows[0]?.day, rows.at(-1)?.day];
  if (first === undefined || last === undefined) return [];
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const count = Math.min(CHART_DAYS, daysFrom(first, last));
  return Array.from({ length: count }, (_, index) => {
    const day = dayAfter(last, index + 1 - count);
    return { day, row: byDay.get(day) };
  });
};

type Kind = 'power' | 'gas';
type Unit = 'kWh' | 'm³';

const isOf = (kind: Kind, { feature }: PastSeries): boolean => feature.startsWith(`heating.${kind}.consumption.`);

const unitOfPast = ({ unit }: PastSeries): Unit => (unit === 'm³' ? unit : 'kWh');

/** The unit of amounts: for gas the bridge's current unit, else the unit listed by the heating. */
export const unitOf = (kind: Kind, rows: readonly DayRow[], past: readonly PastSeries[] = []): Unit => {
  if (kind === 'power') return 'kWh';
  const own = rows.findLast(({ gas }) => gas);
  if (own) return own.gasUnit === 'm3' ? 'm³' : 'kWh';
  const listed = past.find((series) => isOf(kind, series));
  return listed ? unitOfPast(listed) : 'kWh';
};

/** Series of the total, else of each use. Wh become kWh. Gas in another unit than `unit` is left out. */
const listed = (
  past: readonly PastSeries[],
  kind: Kind,
  unit: Unit,
): readonly { readonly use: string; readonly bars: readonly PastBar[] }[] => {
  const of = (use: string) => {
    // Several series, for example from a device behind its current and its previous gateway.
    const all = past.filter((one) => one.feature === `heating.${kind}.consumption.${use}` && unitOfPast(one) === unit);
    const bars = all.flatMap(({ unit: own, bars }) => (own === 'Wh' ? bars.map((bar) => ({ ...bar, amount: bar.amount / 1000 })) : bars));
    return all.length > 0 ? [{ use, bars: bars.toSorted((a, b) => (a.from < b.from ? -1 : 1)) }] : [];
  };
  const total = of('total');
  return total.length > 0 ? total : ['heating', 'dhw', 'cooling'].flatMap(of);
};

/** The kind for months and years: gas if there is any, else electricity. */
export const kindOf = (rows: readonly DayRow[], past: readonly PastSeries[]): Kind =>
  rows.some(({ gas }) => gas) || listed(past, 'gas', unitOf('gas', rows, past)).some(({ bars }) => bars.length > 0) ? 'gas' : 'power';

/**
 * Sums by month or year, oldest first: `own` counted by the bridge, `past` listed by the heating for the time before.
 * Amounts listed per year count in no month.
 */
export const sumsBy = (grain: 'month' | 'year', rows: readonly DayRow[], past: readonly PastSeries[], kind: Kind) => {
  const sums = new Map<string, { own: number; past: number }>();
  const add = (day: string, of: 'own' | 'past', amount: number): void => {
    const { from } = periodWith(grain, day);
    const sum = sums.get(from) ?? { own: 0, past: 0 };
    sum[of] += amount;
    sums.set(from, sum);
  };
  const unit = unitOf(kind, rows, past);
  // Amounts counted in another unit are left out.
  for (const row of rows) if (unitOf(kind, [row]) === unit) add(row.day, 'own', row[kind]?.total ?? 0);
  // A day counted by the bridge is not in the past, for example in a demo that starts with a history.
  const end = rows[0]?.day ?? '9999';
  const series = listed(past, kind, unit).map(({ use, bars }) => ({
    use,
    bars: bars.filter((bar) => bar.from < end && (bar.grain !== 'year' || grain === 'year')),
  }));
  // If heating and hot water are not both listed from the same day, their sum would be incomplete.
  const firsts = series.flatMap(({ use, bars }) =>
    use === 'cooling' ? [] : [new Map(bars.toReversed().map(({ from }) => [periodWith(grain, from).from, from]))],
  );
  for (const { from, amount } of series.flatMap(({ bars }) => bars)) {
    const period = periodWith(grain, from).from;
    if (new Set(firsts.map((first) => first.get(period))).size <= 1) add(from, 'past', amount);
  }
  return [...sums]
    .map(([from, sum]) => ({ from, ...sum }))
    .sort((a, b) => (a.from < b.from ? -1 : 1))
    .slice(-MOST_MONTHS);
};
