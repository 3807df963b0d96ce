import { amountName, amountUnit } from '../energy/periods.ts';
import type { Feature } from '../feature.ts';
import { celsius, OUTSIDE } from '../outside.ts';
import type { Amounts } from './dayRow.ts';

/** Numbers that only grow, except for a reset of their source, by name. */
export type Counters = Readonly<Record<string, number>>;

const AMOUNTS =
  /^heating\.(?:(?:compressors\.\d+\.)?(?:power\.consumption|heat\.production)|gas\.consumption|heatingRod\.power\.consumption)(?:\.summary)?\.(?:heating|dhw|cooling|total)$/u;
const STATISTICS = /^heating\.(?:compressors\.\d+|burners\.\d+|heatingRod)\.statistics$/u;
const ROD = /^heating\.heatingRod(?:\.|$)/u;
const GAS = 'heating.gas.';

const KINDS = {
  heat: 'heat.production',
  power: 'power.consumption',
  rod: 'heatingRod.power.consumption',
  gas: 'gas.consumption',
} as const;

/** Sums of absurd values overflow and would lose the open day. */
const MOST_C = 100;
const MOST_COUNTED = 1e9;

const within = (value: number | undefined, most: number): number | undefined =>
  value !== undefined && Math.abs(value) <= most ? value : undefined;

const numberOf = ({ properties }: Feature, name: string, most: number): number | undefined => {
  const value = properties.get(name)?.value;
  return typeof value === 'number' ? within(value, most) : undefined;
};

/** °C; undefined where the sensor is not connected. */
const outsideOf = (feature: Feature): number | undefined => {
  const value = numberOf(feature, 'value', Number.MAX_VALUE);
  return value === undefined || !isConnected(feature) ? undefined : within(celsius(feature, value), MOST_C);
};

const isConnected = ({ properties }: Feature): boolean => (properties.get('status')?.value ?? 'connected') === 'connected';

/** True if the device reports energy, gas or starts: its days are stored. */
export const hasPerformanceData = (features: Iterable<string>): boolean => {
  for (const name of features) if (AMOUNTS.test(name) || (STATISTICS.test(name) && !ROD.test(name))) return true;
  return false;
};

/** The figures that the features of a device allow. */
export const figuresOf = (features: Iterable<string>): { readonly factor: boolean; readonly starts: boolean } => {
  const names = [...features];
  const tells = (kind: string): boolean => names.some((name) => AMOUNTS.test(name) && name.includes(kind));
  return {
    factor: tells(KINDS.heat) && tells(KINDS.power) && !tells(GAS),
    starts: names.some((name) => STATISTICS.test(name) && !ROD.test(name)),
  };
};

/** The performance data of a device at one instant. `totalOf`: the running total of a feature. `outside`: °C. */
export const readingOf = (features: Iterable<Feature>, totalOf: (feature: string) => number | undefined) => {
  /** Running totals (kWh; gas as reported) by feature; `<feature> hours`, `<feature> starts`. */
  const counters: Record<string, number> = {};
  let outside: number | undefined;
  let hasRod = false;
  const gasUnits = new Map<string, 'm3' | 'kWh'>();
  for (const feature of features) {
    const { name } = feature;
    hasRod ||= ROD.test(name) && [...feature.properties.values()].some(({ value }) => value !== undefined);
    if (name === OUTSIDE) outside = outsideOf(feature);
    if (STATISTICS.test(name))
      for (const what of ['hours', 'starts']) {
        const value = numberOf(feature, what, MOST_COUNTED);
        if (value !== undefined) counters[`${name} ${what}`] = value;
      }
    if (!AMOUNTS.test(name)) continue;
    const [unit, total] = [amountUnit(feature), within(totalOf(name), MOST_COUNTED)];
    if (unit === undefined || total === undefined) continue;
    counters[name] = unit === 'wattHour' ? total / 1000 : total;
    if (name.startsWith(GAS)) gasUnits.set(name, unit === 'cubicMeter' ? 'm3' : 'kWh');
  }
  const gasUnit = gasUnits.get(`${GAS}consumption.total`) ?? [...gasUnits.values()].at(-1);
  // Amounts in another unit cannot be added.
  for (const [name, unit] of gasUnits) if (unit !== gasUnit) delete counters[name];
  return { counters, hasRod, ...(outside === undefined ? {} : { outside }), ...(gasUnit === undefined ? {} : { gasUnit }) };
};

export type Reading = ReturnType<typeof readingOf>;

/** Removes floating-point noise. */
export const rounded = (value: number, digits = 3): number => Number(value.toFixed(digits));

/** The sum; undefined without values. */
export const sumOf = (values: readonly number[]): number | undefined => (values.length > 0 ? values.reduce((a, b) => a + b, 0) : undefined);

/** The amount of one use: of the device, else its compressors. Of a list and its summary, one may stand still. */
export const amountOf = (grown: Counters, kind: string, use: string): number | undefined => {
  const pattern = new RegExp(`^heating\\.(compressors\\.\\d+\\.)?${kind}\\.${use}$`, 'u');
  const parts = new Map<string, number>();
  for (const [name, value] of Object.entries(grown)) {
    const [amount, part = ''] = pattern.exec(amountName(name)) ?? [];
    if (amount !== undefined) parts.set(part, Math.max(parts.get(part) ?? 0, value));
  }
  return parts.get('') ?? sumOf([...parts.values()]);
};

/** The growth of the counters by kind and use. */
export const amountsOfDay = (grown: Counters): Readonly<Record<keyof typeof KINDS, Amounts | undefined>> => {
  const of = (kind: string): Amounts | undefined => {
    const all: Record<string, number> = {};
    for (const use of ['heating', 'dhw', 'cooling']) {
      const value = amountOf(grown, kind, use);
      if (value !== undefined) all[use] = rounded(value);
    }
    const total = amountOf(grown, kind, 'total') ?? sumOf(Object.values(all));
    return total === undefined ? undefined : { ...all, total: rounded(total) };
  };
  return { heat: of(KINDS.heat), power: of(KINDS.power), rod: of(KINDS.rod), gas: of(KINDS.gas) };
};

/** For one compressor or burner: a day of 25 hours, and a start every five minutes. */
const MOST_IN_DAY = { hours: 25, starts: 300 };

/** The maximum growth of a counter in a day. Unlimited for amounts. */
export const mostInDay = (name: string): number => {
  if (name.endsWith(' hours')) return MOST_IN_DAY.hours;
  return name.endsWith(' starts') ? MOST_IN_DAY.starts : Number.POSITIVE_INFINITY;
};

/** Starts and hours of all compressors, else burners; empty if one exceeds the daily maximum. */
export const runsOfDay = (grown: Counters) => {
  const all = Object.entries(grown).filter(([name]) => mostInDay(name) < Number.POSITIVE_INFINITY);
  const runsOf = (by: 'compressors' | 'burners') => all.filter(([name]) => name.startsWith(`heating.${by}.`));
  const by = runsOf('compressors').length > 0 ? 'compressors' : 'burners';
  const runs = runsOf(by);
  if (runs.length === 0 || runs.some(([name, value]) => value > mostInDay(name))) return {};
  const of = (what: string): number | undefined => sumOf(runs.flatMap(([name, value]) => (name.endsWith(` ${what}`) ? [value] : [])));
  const [starts, hours] = [of('starts'), of('hours')];
  return { by, ...(starts === undefined ? {} : { starts }), ...(hours === undefined ? {} : { hours: rounded(hours) }) } as const;
};

/** True if the statistics of the rod show that it did not run. */
export const rodRested = (grown: Counters): boolean => {
  const runs = Object.entries(grown).filter(([name]) => name.startsWith('heating.heatingRod.statistics '));
  return runs.length > 0 && runs.every(([, value]) => value === 0);
};
