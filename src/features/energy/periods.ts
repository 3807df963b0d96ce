import type { Feature, Json, Property } from '../feature.ts';

/** A period of a feature with amounts, longest first. */
export type Period = 'year' | 'month' | 'week' | 'day';

/** Shortest first. */
const LENGTHS: readonly Period[] = ['day', 'week', 'month', 'year'];

export const isLonger = (one: Period, other: Period): boolean => LENGTHS.indexOf(one) > LENGTHS.indexOf(other);

/** The amounts of one period: the current one, then the available previous ones. */
export type Counted = { readonly period: Period; readonly amounts: readonly number[] };

/** The amounts of a feature: its longest period, and its shortest if different. */
export type Amounts = { readonly unit: string; readonly long: Counted; readonly short?: Counted };

/** Longest first. Amounts are a list, or two properties for the current and the previous period. */
const PERIODS = (['Year', 'Month', 'Week', 'Day'] as const).map((word) => {
  return { period: word.toLowerCase() as Lowercase<typeof word>, running: `current${word}`, last: `last${word}` };
});

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
export const isPeriod = (property: string): boolean => PERIODS.some(({ period, running }) => property === period || property === running);

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
export const amountsInUnit = (unit: string, feature: Feature, name: string): readonly number[] => {
  const property = feature.properties.get(name);
  return property && [unit, ''].includes(unitOf(feature, property)) ? numbersOf(property.value) : [];
};

/** The unit of a feature's energy or gas periods; undefined for other features. Independent of the values. */
export const amountUnit = (feature: Feature): string | undefined => {
  for (const { period, running } of PERIODS)
    for (const name of [period, running]) {
      const property = feature.properties.get(name);
      const isList = property?.type === 'array' || property?.type === 'number';
      if (property && isList && UNITS.has(unitOf(feature, property))) return unitOf(feature, property);
    }
  return undefined;
};

/** The current amounts of a feature; undefined if there are none. */
export const amountsOf = (feature: Feature): Amounts | undefined => {
  const unit = amountUnit(feature);
  if (unit === undefined) return undefined;
  const told = (name: string): readonly number[] => amountsInUnit(unit, feature, name);
  const all = PERIODS.flatMap(({ period, running, last }): Counted[] => {
    const amounts = told(period);
    if (amounts.length > 0) return [{ period, amounts }];
    const now = told(running);
    return now.length === 0 ? [] : [{ period, amounts: [...now, ...told(last)] }];
  });
  const [long] = all;
  const short = all.at(-1);
  return long && short && { unit, long, ...(short === long ? {} : { short }) };
};

/** The name of the amount: some devices report it twice, as lists and as a summary. */
export const amountName = (feature: string): string => feature.replace('.summary.', '.');
