import type { Feature, Json, Property } from '../feature.ts';

/** The periods of amounts, longest first. */
const PERIODS = ['year', 'month', 'week', 'day'] as const;
export type Period = (typeof PERIODS)[number];

export const isLonger = (one: Period, other: Period): boolean => PERIODS.indexOf(one) < PERIODS.indexOf(other);

const dateOf = (year: number, month: number, day: number): string => new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** The first day (`2026-11-27`) of the period that is `before` periods earlier than a day; weeks begin on Monday. */
export const startOf = (period: Period, today: string, before = 0): string => {
  const day = new Date(`${today}T00:00:00Z`);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  if (period === 'year') return dateOf(year - before, 0, 1);
  if (period === 'month') return dateOf(year, month - before, 1);
  const days = period === 'week' ? ((day.getUTCDay() + 6) % 7) + 7 * before : before;
  return dateOf(year, month, day.getUTCDate() - days);
};

/** The amounts of one period: the current one, then the available previous ones. */
export type Counted = { readonly period: Period; readonly amounts: readonly number[] };

/** The amounts of a feature: its longest period, and its shortest if different. */
export type Amounts = { readonly unit: string; readonly long: Counted; readonly short?: Counted };

/** The property of the current or the previous period, where the amounts are no list. */
const nameOf = (which: 'current' | 'last', period: Period): string => which + period.charAt(0).toUpperCase() + period.slice(1);

/** The properties with the amount of a current period, longest first. */
const CURRENT: ReadonlySet<string> = new Set(PERIODS.flatMap((period) => [period, nameOf('current', period)]));

/** Units of energy and gas, in the platform's words. */
const UNITS: ReadonlySet<string> = new Set(['kilowattHour', 'wattHour', 'cubicMeter']);

/** No home uses that much in a year, even in Wh. One such outlier would hide all later growth. */
const GREATEST = 1e9;

const isAmount = (value: Json | undefined): value is number => typeof value === 'number' && Math.abs(value) <= GREATEST;

/** The unit of a property, or (older records) of the property `unit` beside it. */
const unitOf = ({ properties }: Feature, { unit }: Property): string => {
  const beside = properties.get('unit')?.value;
  return unit || (typeof beside === 'string' ? beside : '');
};

/** True for a property with the amount of a current period. */
export const isPeriod = (property: string): boolean => CURRENT.has(property);

/** The days of a month, more than any device reports. Limits the pairwise comparison. */
const MOST = 32;

export const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);

const numbersOf = (value: Json | undefined): readonly number[] => {
  if (!Array.isArray(value)) return isAmount(value) ? [value] : [];
  const first = value.slice(0, MOST);
  const end = first.findIndex((one) => !isAmount(one));
  return first.slice(0, end < 0 ? undefined : end).filter(isAmount);
};

/** The amounts of a property in this unit. Another unit cannot be compared. */
const amountsInUnit = (unit: string, feature: Feature, name: string): readonly number[] => {
  const property = feature.properties.get(name);
  return property && [unit, ''].includes(unitOf(feature, property)) ? numbersOf(property.value) : [];
};

/** The unit of a feature's energy or gas periods; undefined for other features. Independent of the values. */
export const amountUnit = (feature: Feature): string | undefined => {
  for (const name of CURRENT) {
    const property = feature.properties.get(name);
    const isList = property?.type === 'array' || property?.type === 'number';
    if (property && isList && UNITS.has(unitOf(feature, property))) return unitOf(feature, property);
  }
  return undefined;
};

/** The amounts of a period in this unit, current first: a list (`isList`), or two properties. Empty if there are none. */
export const amountsIn = (unit: string, feature: Feature, period: Period) => {
  const list = amountsInUnit(unit, feature, period);
  if (list.length > 0) return { amounts: list, isList: true };
  const now = amountsInUnit(unit, feature, nameOf('current', period));
  return { amounts: now.length > 0 ? [...now, ...amountsInUnit(unit, feature, nameOf('last', period))] : [], isList: false };
};

/** The current amounts of a feature; undefined if there are none. */
export const amountsOf = (feature: Feature): Amounts | undefined => {
  const unit = amountUnit(feature);
  if (unit === undefined) return undefined;
  const all = PERIODS.map((period): Counted => ({ period, amounts: amountsIn(unit, feature, period).amounts }));
  const [long, ...shorter] = all.filter(({ amounts }) => amounts.length > 0);
  const short = shorter.at(-1);
  return long && { unit, long, ...(short ? { short } : {}) };
};

/** The name of the amount: some devices report it twice, as lists and as a summary. */
export const amountName = (feature: string): string => feature.replace('.summary.', '.');
