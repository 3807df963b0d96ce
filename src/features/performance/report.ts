import { sum } from '../energy/periods.ts';
import { dayAfter, daysFrom, type Period, type PeriodKind, periodWith } from './calendar.ts';
import { rounded } from './counters.ts';
import { type DayRow, isWhole } from './dayRow.ts';
import { factorOf, KNOWN_SHARE, sumOf, type Told, type Why } from './factor.ts';

/** Days with a lower mean (°C) are heating days. */
const BASE_C = 15;
const INDOOR_C = 20;
/** The thresholds for short runs. */
const MANY_STARTS = 10;
const SHORT_RUN_MINUTES = { compressors: 20, burners: 10 };

type Figure = number | null;
/** By use. A use that the heating does not report is left out. */
type Uses = { readonly heating?: number; readonly dhw?: number; readonly cooling?: number; readonly total: number };

/** Degree days with base 15 °C, over days with a lower mean: `hgt` = Σ (15 − mean), `gtz` = Σ (20 − mean). */
export type DegreeDays = { readonly hgt: number; readonly gtz: number };

/** The published report of a period. kWh; gas in `gas_unit`. Null: unknown, with the reason in `why`. */
export type Report = {
  /** The first and last counted day. A period with an unknown beginning starts later. */
  readonly from: string;
  readonly to: string;
  /** The complete days, and all days from `from` to `to`. */
  readonly days: number;
  readonly of: number;
  /** The period from its beginning, with at least 90 % complete days up to `to`. */
  readonly complete: boolean;
  readonly heat: Uses | null;
  readonly power: Uses | null;
  readonly rod: Uses | null;
  readonly gas: Uses | null;
  readonly gas_unit?: 'm3' | 'kWh';
  readonly gas_kwh: Figure;
  /** Reported heat per electricity, with the rod. */
  readonly factor: { readonly heating: Figure; readonly dhw: Figure; readonly total: Figure };
  readonly starts: Figure;
  readonly hours: Figure;
  /** Minutes. */
  readonly mean_run: Figure;
  /** Days with many short runs. */
  readonly short_runs: number;
  /** The mean of the days, °C. */
  readonly outside: Figure;
  readonly degree_days: DegreeDays | null;
  /** Gas (kWh, else as reported), else electricity, per degree day (`hgt`). */
  readonly per_degree_day: Figure;
  readonly per_degree_day_unit?: 'm3' | 'kWh';
  /** Without fixed fees; only for amounts with a price. */
  readonly cost: Figure;
  /** kg. */
  readonly co2: Figure;
  readonly why: Readonly<Record<string, Why>>;
};

/**
 * The days that count for a period from this date on. The day of the first read, or of the first one after a
 * pause without rows, is incomplete and cannot begin a period.
 */
const known = (rows: readonly DayRow[], from: string): readonly DayRow[] => {
  const before = dayAfter(from, -1);
  const recent = rows.filter(({ day }) => day >= before);
  return recent.slice(recent[0] && !isWhole(recent[0]) && recent.length > 1 ? 1 : 0);
};

export const within = (rows: readonly DayRow[], { from, to }: Pick<Period, 'from' | 'to'>): readonly DayRow[] =>
  rows.filter(({ day }) => day >= from && day <= to);

type Kind = 'heat' | 'power' | 'rod' | 'gas';
const USES = ['heating', 'dhw', 'cooling', 'total'] as const;

/** The sums by use, if nine of ten days report them. */
const usesOf = (rows: readonly DayRow[], kind: Kind): Uses | null => {
  const sums = USES.flatMap((use) => {
    const sum = sumOf(rows, (row) => row[kind]?.[use]);
    return sum === undefined ? [] : [[use, rounded(sum, 1)] as const];
  });
  const all: Partial<Uses> = Object.fromEntries(sums);
  return all.total === undefined ? null : { ...all, total: all.total };
};

/** True for a day with many short runs. In warm weather the hot water alone causes them. */
const hasShortRuns = (row: DayRow): boolean => {
  const { starts = 0, hours = 0, by, outside = BASE_C + 1 } = row;
  return isWhole(row) && by !== undefined && starts >= MANY_STARTS && outside <= BASE_C && (hours * 60) / starts < SHORT_RUN_MINUTES[by];
};

/** The sum of degrees below `base`, over heating days with a known mean. */
const below = (base: number, rows: readonly DayRow[]): number =>
  sum(rows.flatMap(({ outside }) => (outside !== undefined && outside < BASE_C ? [base - outside] : [])));

/** For the rows with a known mean. */
export const degreeDaysOf = (rows: readonly DayRow[]): DegreeDays => ({
  hgt: rounded(below(BASE_C, rows), 1),
  gtz: rounded(below(INDOOR_C, rows), 1),
});

/**
 * The heating use per degree day: gas, else electricity with the rod. The use `heating` if reported. The
 * electricity of a boiler, as of one for oil, is not its heat.
 */
export const usedForHeat = ({ gas, gasUnit, gasKwh, power, rod, by }: DayRow): number | undefined => {
  if (gas?.total !== undefined) {
    const perUnit = gasUnit === 'm3' && gasKwh !== undefined && gas.total > 0 ? gasKwh / gas.total : 1;
    return (gas.heating ?? gas.total) * perUnit;
  }
  if (by === 'burners') return undefined;
  if (power?.heating !== undefined) return power.heating + (rod?.heating ?? 0);
  return power?.total === undefined ? undefined : power.total + (rod?.total ?? 0);
};

/** The unit of `usedForHeat` for a day. Electricity is not comparable with gas. */
export const usedIn = ({ gas, gasUnit, gasKwh }: DayRow): 'm3' | 'kWh' | 'electricity' => {
  if (gas?.total === undefined) return 'electricity';
  return gasUnit === 'm3' && gasKwh === undefined ? 'm3' : 'kWh';
};

/** The days with a known heating use. With gas, only gas days: a boiler's electricity is not its heat. */
export const rowsWithUse = (rows: readonly DayRow[]): readonly DayRow[] => {
  const telling = rows.filter((row) => usedForHeat(row) !== undefined);
  const ofGas = telling.filter((row) => usedIn(row) !== 'electricity');
  return ofGas.length > 0 ? ofGas : telling;
};

/** Gas and a compressor heat the house, so neither amount alone is its use. */
const isHybrid = ({ gas, by }: DayRow): boolean => gas?.total !== undefined && by === 'compressors';

/** The common unit of several days; undefined if it changes or is unknown, and for a hybrid. */
export const unitIn = (rows: readonly DayRow[]): ReturnType<typeof usedIn> | undefined => {
  if (rows.some(isHybrid)) return undefined;
  const units = new Set(rowsWithUse(rows).map(usedIn));
  return units.size === 1 ? [...units][0] : undefined;
};

/** Over the cold days that report both; nine of ten cold days must report the use. */
export const perDegreeDay = (rows: readonly DayRow[]): Told & { readonly unit?: 'm3' | 'kWh' } => {
  const isCold = ({ outside = BASE_C }: DayRow): boolean => outside < BASE_C;
  const telling = new Set(rowsWithUse(rows));
  const cold = rows.filter(isCold);
  const told = cold.filter((row) => telling.has(row));
  const hgt = below(BASE_C, told);
  const used = sumOf(cold, (row) => (telling.has(row) ? usedForHeat(row) : undefined));
  if (used === undefined) return { why: telling.size === 0 || cold.length > 0 ? 'not_told' : 'too_little' };
  if (hgt < 1) return { why: 'too_little' };
  const unit = unitIn(told);
  return unit ? { value: rounded(used / hgt, 3), unit: unit === 'm3' ? 'm3' : 'kWh' } : { why: 'mixed_units' };
};

/** The report of a period; undefined without known days. `rows`: all days of the device, oldest first. */
export const reportOf = (rows: readonly DayRow[], period: Period): Report | undefined => {
  const counted = known(rows, period.from);
  const [first] = counted;
  const days = within(period.kind === 'day' ? rows : counted, period);
  const last = days.at(-1);
  if (!first || !last) return undefined;
  const [from, to] = [period.kind !== 'day' && first.day > period.from ? first.day : period.from, last.day];
  const of = daysFrom(from, to);
  const whole = days.filter(isWhole).length;
  const why: Record<string, Why> = {};
  const told = (name: string, figure: Told): Figure => {
    if ('value' in figure) return figure.value;
    why[name] = figure.why;
    return null;
  };
  const orWhy = <T>(name: string, value: T | undefined | null, reason: Why = 'not_told'): T | null => {
    if (value !== undefined && value !== null) return value;
    why[name] = reason;
    return null;
  };
  const tell = (name: string, value: number | undefined, digits: number, reason?: Why): Figure =>
    orWhy(name, value === undefined ? undefined : rounded(value, digits), reason);
  const unit = days.findLast((row) => row.gas)?.gasUnit;
  const [starts, hours] = [sumOf(days, (row) => row.starts), sumOf(days, (row) => row.hours)];
  const means = days.flatMap(({ outside }) => outside ?? []);
  const areMeansKnown = means.length >= KNOWN_SHARE * of;
  // A day of which too few hours are known has no mean, even if the heating reports the temperature.
  const whyNoMean: Why = means.length === 0 && whole > 0 ? 'not_told' : 'incomplete';
  const money = (name: 'cost' | 'co2', unitOf: number, digits: number): Figure => {
    const count = days.filter((row) => row[name] !== undefined).length;
    const all = sumOf(days, (row) => row[name], 1);
    // Sums of fractions may be slightly below a half.
    const sum = all === undefined ? undefined : rounded(all, digits + 3) / unitOf;
    return tell(name, sum, digits, count === 0 ? 'no_price' : 'partly_priced');
  };
  const perDay = areMeansKnown ? perDegreeDay(days) : { why: whyNoMean };
  const uses = (kind: Kind): Uses | null => orWhy(kind, usesOf(days, kind));
  // If the unit changed during the period, the sum has no valid unit.
  const isMixed = new Set(days.flatMap((row) => (row.gas ? [row.gasUnit] : []))).size > 1;
  const gas = isMixed ? orWhy<Uses>('gas', null, 'mixed_units') : uses('gas');
  const gasKwh = sumOf(days, (row) => row.gasKwh, 1);
  return {
    ...{ from, to, days: whole, of },
    complete: from === period.from && whole >= KNOWN_SHARE * of,
    ...{ heat: uses('heat'), power: uses('power'), rod: uses('rod'), gas },
    ...(gas && unit ? { gas_unit: unit } : {}),
    gas_kwh: tell('gas_kwh', gasKwh, 1),
    factor: {
      heating: told('factor_heating', factorOf(days, of, 'heating')),
      dhw: told('factor_dhw', factorOf(days, of, 'dhw')),
      total: told('factor', factorOf(days, of)),
    },
    starts: tell('starts', starts, 0),
    hours: tell('hours', hours, 1),
    mean_run: tell('mean_run', starts ? hours && (hours * 60) / starts : undefined, 0, starts === 0 ? 'too_little' : 'not_told'),
    short_runs: days.filter(hasShortRuns).length,
    outside: tell('outside', areMeansKnown ? sum(means) / means.length : undefined, 1, whyNoMean),
    degree_days: orWhy('degree_days', areMeansKnown ? degreeDaysOf(days) : undefined, whyNoMean),
    per_degree_day: told('per_degree_day', perDay),
    ...(perDay.unit ? { per_degree_day_unit: perDay.unit } : {}),
    cost: money('cost', 1, 2),
    co2: money('co2', 1000, 1),
    why,
  };
};

/** The reports of the last known day, and of its month and year so far. */
export const reportsSoFar = (rows: readonly DayRow[]): Readonly<Record<PeriodKind, Report | undefined>> => {
  const last = rows.at(-1)?.day;
  const of = (kind: PeriodKind): Report | undefined => (last === undefined ? undefined : reportOf(rows, periodWith(kind, last)));
  return { day: of('day'), month: of('month'), year: of('year') };
};

/** All known periods of a kind, newest first. */
export const allReports = (rows: readonly DayRow[], kind: PeriodKind): readonly Report[] => {
  const begins = [...new Set(rows.map(({ day }) => periodWith(kind, day).from))];
  return begins.reverse().flatMap((from) => reportOf(rows, periodWith(kind, from)) ?? []);
};

const SPAN_DAYS = 30;
const LEAST_DAYS = 7;

/** The mean starts per complete day of the last 30 days; undefined with less than 7 such days. */
export const startsPerDay = (rows: readonly DayRow[]): number | undefined => {
  const last = rows.at(-1)?.day;
  const days = last === undefined ? [] : rows.slice(-SPAN_DAYS).filter((row) => daysFrom(row.day, last) <= SPAN_DAYS && isWhole(row));
  const told = days.flatMap(({ starts }) => starts ?? []);
  return told.length < LEAST_DAYS ? undefined : rounded(sum(told) / told.length, 1);
};
