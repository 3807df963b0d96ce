import type { Feature, Json, Property } from '../feature.ts';

/** A period of a feature with amounts, from the longest to the shortest. */
export type Period = 'year' | 'month' | 'week' | 'day';

/** From the shortest. */
const LENGTHS: readonly Period[] = ['day', 'week', 'month', 'year'];

export const isLonger = (one: Period, other: Period): boolean => LENGTHS.indexOf(one) > LENGTHS.indexOf(other);

/** What a feature says of one period: the amount of the running one, then those of the ones before it, as far as they are told. */
export type Counted = { readonly period: Period; readonly amounts: readonly number[] };

/** The amounts of a feature: its longest period, and its shortest one if that is another. */
export type Amounts = { readonly unit: string; readonly long: Counted; readonly short?: Counted };

/** From the longest to the shortest period: its list has all its amounts, or two properties the running one and the one before it. */
const PERIODS = (['Year', 'Month', 'Week', 'Day'] as const).map((word) => {
  return { period: word.toLowerCase() as Lowercase<typeof word>, running: `current${word}`, last: `last${word}` };
});

/** Units of energy and gas, in the platform's words. */
const UNITS: ReadonlySet<string> = new Set(['kilowattHour', 'wattHour', 'cubicMeter']);

/** No home uses as much in a year, not even in watt hours. One such fault would hide all that is counted after it. */
const GREATEST = 1e9;

const isAmount = (value: Json | undefined): value is number => typeof value === 'number' && Math.abs(value) <= GREATEST;

/** The unit that a property says itself, or, in older records, a property beside it. */
const unitOf = ({ properties }: Feature, { unit }: Property): string => {
  const beside = properties.get('unit')?.value;
  return unit || (typeof beside === 'string' ? beside : '');
};

/** True for a property with the amount of a running period. */
export const isPeriod = (property: string): boolean => PERIODS.some(({ period, running }) => property === period || property === running);

/** A month of days, and more than any device tells. Each is compared with each. */
const MOST = 32;

export const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);

const numbersOf = (value: Json | undefined): readonly number[] => {
  if (!Array.isArray(value)) return isAmount(value) ? [value] : [];
  const first = value.slice(0, MOST);
  const end = first.findIndex((one) => !isAmount(one));
  return first.slice(0, end < 0 ? undefined : end).filter(isAmount);
};

/** What a property tells in this unit; one in another unit could not be compared. */
export const toldIn = (unit: string, feature: Feature, name: string): readonly number[] => {
  const property = feature.properties.get(name);
  return property && [unit, ''].includes(unitOf(feature, property)) ? numbersOf(property.value) : [];
};

/** The unit in which a feature counts energy or gas by periods; undefined for any other feature. It does not depend on the values. */
export const amountUnit = (feature: Feature): string | undefined => {
  for (const { period, running } of PERIODS)
    for (const name of [period, running]) {
      const property = feature.properties.get(name);
      const isList = property?.type === 'array' || property?.type === 'number';
      if (property && isList && UNITS.has(unitOf(feature, property))) return unitOf(feature, property);
    }
  return undefined;
};

/** The amounts that a feature shows now; undefined where it counts none, or shows none. */
export const amountsOf = (feature: Feature): Amounts | undefined => {
  const unit = amountUnit(feature);
  if (unit === undefined) return undefined;
  const told = (name: string): readonly number[] => toldIn(unit, feature, name);
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

/** The amount behind a feature: some devices tell the same twice, as lists and as a summary. */
export const amountName = (feature: string): string => feature.replace('.summary.', '.');
