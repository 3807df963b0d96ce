import type { Feature } from '../feature.ts';
import { amountsIn, amountUnit, type Period, startOf, sum } from './periods.ts';

type Grain = 'day' | 'month' | 'year';

/** The use before the bridge counted, from the local day `from` (`2026-11-27`) to before the next bar. */
export type PastBar = { readonly from: string; readonly grain: Grain; readonly amount: number };

/** Sums with a larger relative difference do not agree. */
const TOLERANCE = 0.02;
/** The platform's sums have floating-point noise. */
const NOISE = 1e-6;
const WHOLE_DAYS = 7;

const agree = (a: number, b: number): boolean => Math.abs(a - b) <= TOLERANCE * Math.max(Math.abs(a), Math.abs(b)) + NOISE;
const rounded = (amount: number): number => Math.round(amount * 1000) / 1000;

/** The amounts of a period, current first, if up to date. `absent`: the record has none. */
const told = (unit: string, feature: Feature, period: Period, today: string, dateOf: (iso: string) => string | undefined) => {
  const { amounts, isList } = amountsIn(unit, feature, period);
  if (amounts.length === 0) return { amounts, isList, absent: true };
  const readAt = feature.properties.get(`${period}ValueReadAt`)?.value ?? feature.timestamp;
  const read = typeof readAt === 'string' ? dateOf(readAt) : undefined;
  const isFresh = read !== undefined && startOf(period, read) === startOf(period, today);
  return { amounts: isFresh && amounts.every((one) => one >= 0) ? amounts : [], isList, absent: false };
};

/** The remainder of a coarser period, on its first day; none if finer bars cover or exceed it. */
const rest = (grain: Grain, from: string, to: string, amount: number, finer: readonly PastBar[]): readonly PastBar[] => {
  const within = finer.filter((bar) => bar.from >= from && bar.from < to);
  const left = rounded(amount - sum(within.map((bar) => bar.amount)));
  return left < 0 || within.some((bar) => bar.from === from) ? [] : [{ from, grain, amount: left }];
};

/**
 * True if the days of the week (or months of the year) agree with its total, or do not exceed it if
 * incomplete.
 */
const fits = (grain: 'day' | 'month', amounts: readonly number[], [whole]: readonly number[], today: string): boolean => {
  const begin = startOf(grain === 'day' ? 'week' : 'year', today);
  const within = amounts.filter((_, before) => startOf(grain, today, before) >= begin);
  if (whole === undefined || within.length === 0) return false;
  const covers = startOf(grain, today, within.length - 1) === begin;
  return covers ? agree(sum(within), whole) : sum(within) <= whole + NOISE;
};

/** Up to 7 complete days. */
const daysOf = (amounts: readonly number[], today: string): readonly PastBar[] =>
  amounts
    .slice(1, WHOLE_DAYS + 1)
    .map((amount, index) => ({ from: startOf('day', today, index + 1), grain: 'day', amount: rounded(amount) }));

/** The remainders of a coarser period. The current period is omitted if today's amount is unknown. */
const barsOf = (
  grain: 'month' | 'year',
  amounts: readonly number[],
  today: string,
  ofToday: number | undefined,
  finer: readonly PastBar[],
) =>
  amounts.flatMap((amount, before): readonly PastBar[] => {
    if (before === 0 && ofToday === undefined) return [];
    const past = before === 0 ? amount - (ofToday ?? 0) : amount;
    return rest(grain, startOf(grain, today, before), startOf(grain, today, before - 1), past, finer);
  });

/**
 * The amounts of a feature before today (local, `2026-11-27`): complete days, the remainder of each month on
 * its first day and of each year on 1 January. Outdated or inconsistent lists are left out, because the
 * platform shifts them with old values. `dateOf`: the local day of an RFC 3339 instant. `counted`: the
 * bridge's own total; the bars end before it. Oldest first; `whole`: no outdated or inconsistent data was left
 * out. Undefined for a feature without amounts.
 */
export const pastOf = (feature: Feature, today: string, counted: number, dateOf: (iso: string) => string | undefined) => {
  const unit = amountUnit(feature);
  if (unit === undefined) return undefined;
  const tell = (period: Period) => told(unit, feature, period, today, dateOf);
  const [day, week, month, year] = [tell('day'), tell('week'), tell('month'), tell('year')];
  const isFit = fits('month', month.amounts, year.amounts, today);
  const days = fits('day', day.amounts, week.amounts, today) ? daysOf(day.amounts, today) : [];
  const [ofToday] = day.amounts;
  const months = [...days, ...barsOf('month', isFit ? month.amounts.slice(0, 13) : [], today, ofToday, days)];
  const years = barsOf('year', isFit ? year.amounts.slice(0, 3) : [], today, ofToday, months);
  const bars = [...months, ...years].filter(({ from }) => from < today).sort((a, b) => (a.from < b.from ? -1 : 1));
  const lacksDays = !day.absent && (day.isList ? days.length === 0 : ofToday === undefined);
  const first = bars.findIndex(({ amount }) => amount > 0);
  const whole = !lacksDays && (isFit || (month.absent && year.absent));
  return { unit, whole, bars: first < 0 ? [] : barsBeforeCounting(bars.slice(first), counted, ofToday ?? 0) };
};

/** Drops the newest bars until they and today's amount reach what the bridge has counted. */
const barsBeforeCounting = (bars: readonly PastBar[], counted: number, today: number): readonly PastBar[] => {
  let after = today;
  let end = bars.length;
  while (end > 0 && after < counted - NOISE) {
    end -= 1;
    after += bars[end]?.amount ?? 0;
  }
  return bars.slice(0, end);
};
