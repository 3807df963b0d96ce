import type { PastBar } from '../../features/energy/past.ts';
import type { PastSeries } from '../../features/energy/pastFiles.ts';
import { dayAfter, daysFrom, periodWith } from '../../features/performance/calendar.ts';
import type { DayRow } from '../../features/performance/dayRow.ts';
import { type Report, reportOf } from '../../features/performance/report.ts';

/** Days of the charts. */
const CHART_DAYS = 31;
const MOST_MONTHS = 25;

export type ShownPeriod = {
  readonly name: 'thisMonth' | 'lastMonth' | 'thisYear';
  /** True for a period that has not ended. */
  readonly isSoFar: boolean;
  readonly report: Report | undefined;
};

/** This month and year, and the month before. `rows`: days that have ended, oldest first. `today`: where the heating is. */
export const periodsOf = (rows: readonly DayRow[], today: string): readonly ShownPeriod[] => {
  if (rows.length === 0) return [];
  const month = periodWith('month', today);
  const periods = { thisMonth: month, lastMonth: periodWith('month', dayAfter(month.from, -1)), thisYear: periodWith('year', today) };
  const names = ['thisMonth', 'lastMonth', 'thisYear'] as const;
  return names.map((name) => ({ name, isSoFar: today <= periods[name].to, report: reportOf(rows, periods[name]) }));
};

/** The last days up to the last one that is known, each with its row where there is one. */
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

/** An amount by month or year: what the bridge has counted, and what the heating listed of the time before. */
export type Sums = readonly { readonly from: string; readonly own: number; readonly past: number }[];

type Kind = 'power' | 'gas';
type Unit = 'kWh' | 'm³';

const isOf = (kind: Kind, { feature }: PastSeries): boolean => feature.startsWith(`heating.${kind}.consumption.`);

const unitOfPast = ({ unit }: PastSeries): Unit => (unit === 'm³' ? unit : 'kWh');

/** In what amounts are shown: gas as the bridge counts it now, else as the heating listed it. */
export const unitOf = (kind: Kind, rows: readonly DayRow[], past: readonly PastSeries[] = []): Unit => {
  if (kind === 'power') return 'kWh';
  const own = rows.findLast(({ gas }) => gas);
  if (own) return own.gasUnit === 'm3' ? 'm³' : 'kWh';
  const listed = past.find((series) => isOf(kind, series));
  return listed ? unitOfPast(listed) : 'kWh';
};

/** Of the total, else of each use. Wh as kWh. What is listed in m³ where kWh are counted, or the other way round, is left out. */
const listed = (
  past: readonly PastSeries[],
  kind: Kind,
  unit: Unit,
): readonly { readonly use: string; readonly bars: readonly PastBar[] }[] => {
  const of = (use: string) => {
    // Several, as of a device behind its gateway of now and the one before.
    const all = past.filter((one) => one.feature === `heating.${kind}.consumption.${use}` && unitOfPast(one) === unit);
    const bars = all.flatMap(({ unit: own, bars }) => (own === 'Wh' ? bars.map((bar) => ({ ...bar, amount: bar.amount / 1000 })) : bars));
    return all.length > 0 ? [{ use, bars: bars.toSorted((a, b) => (a.from < b.from ? -1 : 1)) }] : [];
  };
  const total = of('total');
  return total.length > 0 ? total : ['heating', 'dhw', 'cooling'].flatMap(of);
};

/** What is shown by months and years: gas where there is any, else electricity. */
export const kindOf = (rows: readonly DayRow[], past: readonly PastSeries[]): Kind =>
  rows.some(({ gas }) => gas) || listed(past, 'gas', unitOf('gas', rows, past)).some(({ bars }) => bars.length > 0) ? 'gas' : 'power';

/** The sums by month or year, the oldest first. What the heating lists of a whole year is in no month. */
export const sumsBy = (grain: 'month' | 'year', rows: readonly DayRow[], past: readonly PastSeries[], kind: Kind): Sums => {
  const sums = new Map<string, { own: number; past: number }>();
  const add = (day: string, of: 'own' | 'past', amount: number): void => {
    const { from } = periodWith(grain, day);
    const sum = sums.get(from) ?? { own: 0, past: 0 };
    sum[of] += amount;
    sums.set(from, sum);
  };
  const unit = unitOf(kind, rows, past);
  // What was counted in another unit is left out.
  for (const row of rows) if (unitOf(kind, [row]) === unit) add(row.day, 'own', row[kind]?.total ?? 0);
  // A day that the bridge has counted is no past, as in a demo that begins with a history.
  const end = rows[0]?.day ?? '9999';
  const series = listed(past, kind, unit).map(({ use, bars }) => ({
    use,
    bars: bars.filter((bar) => bar.from < end && (bar.grain !== 'year' || grain === 'year')),
  }));
  // Where heating and hot water are not both listed from one day on, the sum would be that of one of them.
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
