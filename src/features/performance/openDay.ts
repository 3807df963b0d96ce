import * as z from 'zod/mini';
import { sum } from '../energy/periods.ts';
import { amountsOfDay, type Counters, mostInDay, type Reading, rodRested, rounded, runsOfDay } from './counters.ts';
import { type DayRow, LONGEST_DAY_HOURS, type Prices, WHOLE_DAY_HOURS } from './dayRow.ts';

const HOUR_MS = 3_600_000;
/** A longer time between two reads is not covered: the outside temperature may change. */
const LONGEST_GAP_MS = 3 * HOUR_MS;

const COUNTERS = z.record(z.string(), z.number());

/** The current day, with the state to continue counting. Stored over restarts; nothing counts twice. */
export const OPEN_DAY = z.object({
  day: z.string(),
  /** The last read (epoch milliseconds). */
  at: z.number(),
  /** The counters of the last read. */
  last: COUNTERS,
  /** Counters below `last`: a single wrong read, or a restart. */
  low: COUNTERS,
  grown: COUNTERS,
  coveredMs: z.number(),
  outsideMs: z.number(),
  /** °C times milliseconds. */
  outsideSum: z.number(),
  /** From the last read; valid until the next one. */
  outside: z.optional(z.number()),
  stale: z.optional(z.boolean()),
  hasRod: z.optional(z.boolean()),
  /** `mixed`: the unit of gas changed during this day, so the amounts cannot be added. */
  gasUnit: z.optional(z.enum(['m3', 'kWh', 'mixed'])),
});
export type OpenDay = Readonly<z.infer<typeof OPEN_DAY>>;

/** A local day and the instant of its midnight (epoch milliseconds). */
export type DayBegin = { readonly day: string; readonly at: number };

const empty = (day: string): Pick<OpenDay, 'day' | 'grown' | 'coveredMs' | 'outsideMs' | 'outsideSum'> => ({
  day,
  grown: {},
  coveredMs: 0,
  outsideMs: 0,
  outsideSum: 0,
});

const ofReading = ({ counters, outside, hasRod, gasUnit }: Reading, at: number) => ({
  at,
  last: counters,
  low: {},
  outside,
  hasRod,
  gasUnit,
});

/** Counters may stand still for a month and catch up later. */
const MOST_DAYS = 31;
/** A fall up to 10 % is a correction or an older copy, as in running totals; more may be a restart. */
const CORRECTION = 0.1;

/** The maximum growth of a counter between two reads. More means another device. */
const mostOf = (name: string, spanMs: number): number => mostInDay(name) * Math.max(MOST_DAYS, spanMs / (24 * HOUR_MS));

type Step = { readonly by: number; readonly last: number; readonly low?: number };

/**
 * The growth of a counter, and its marks. After a fall and a return, only the growth above the former value
 * counts. A fall beyond a correction with later growth is a restart.
 */
const step = (last: number, low: number | undefined, now: number, most: number): Step => {
  if (now < last && now >= last * (1 - CORRECTION)) return { by: 0, last };
  const before = now >= last ? last : low;
  if (before === undefined || (now < last && now <= before)) return { by: 0, last, low: now };
  return { by: now - before <= most ? now - before : 0, last: now };
};

/** The growth since the last read, and the new marks. A missing counter keeps its value. */
const grownSince = (open: OpenDay, now: Counters, spanMs: number) => {
  const grown: Record<string, number> = {};
  const last: Record<string, number> = { ...open.last };
  const low: Record<string, number> = { ...open.low };
  for (const [name, value] of Object.entries(now)) {
    const one = step(open.last[name] ?? value, open.low[name], value, mostOf(name, spanMs));
    grown[name] = one.by;
    last[name] = one.last;
    delete low[name];
    if (one.low !== undefined) low[name] = one.low;
  }
  return { grown, last, low };
};

/** The part of the growth between two shares of the time; starts are whole numbers. */
const partOf = (name: string, by: number, from: number, to: number): number =>
  name.endsWith(' starts') ? Math.round(by * to) - Math.round(by * from) : by * (to - from);

/**
 * The open day after a read, and the days that ended since the last one. `begun`: the midnights since then,
 * oldest first. The growth is distributed evenly over the time between the reads, so the days add up to it. A
 * read before the last one is ignored.
 */
export const takeReading = (
  before: OpenDay | undefined,
  reading: Reading,
  at: number,
  today: string,
  begun: readonly DayBegin[],
  isStale = false,
): { readonly open: OpenDay; readonly ended: readonly OpenDay[] } => {
  const open = before ?? { ...empty(today), ...ofReading(reading, at) };
  const span = at - open.at;
  if (span < 0) return { open, ended: [] };
  const { grown: by, last, low } = grownSince(open, reading.counters, span);
  const isCovered = span <= LONGEST_GAP_MS;
  const bounds = [...begun.map(({ at: midnight }) => Math.min(at, Math.max(open.at, midnight))), at];
  let day: OpenDay = open;
  let from = open.at;
  const ended: OpenDay[] = [];
  for (const [index, to] of bounds.entries()) {
    const [start, end] = span === 0 ? [0, 1] : [(from - open.at) / span, (to - open.at) / span];
    const grown: Record<string, number> = { ...day.grown };
    for (const [name, all] of Object.entries(by)) grown[name] = (grown[name] ?? 0) + partOf(name, all, start, end);
    const ms = isCovered ? to - from : 0;
    const outside = open.outside === undefined ? {} : { outsideMs: day.outsideMs + ms, outsideSum: day.outsideSum + open.outside * ms };
    day = { ...day, grown, coveredMs: day.coveredMs + ms, ...outside };
    const next = begun[index];
    if (next) {
      ended.push(day);
      day = { ...day, ...empty(next.day), stale: undefined, gasUnit: reading.gasUnit ?? open.gasUnit };
    }
    from = to;
  }
  const isMixed = reading.gasUnit !== undefined && day.gasUnit !== undefined && reading.gasUnit !== day.gasUnit;
  const now = { ...day, ...ofReading(reading, at), last, low, gasUnit: isMixed ? ('mixed' as const) : (reading.gasUnit ?? day.gasUnit) };
  return { open: isStale ? { ...now, stale: true } : now, ended };
};

/** The cost or CO₂ of the amounts that have a price. */
const priced = (...parts: readonly (readonly [amount: number | undefined, price: number | undefined])[]): number | undefined => {
  const known = parts.flatMap(([amount, price]) => (amount === undefined || price === undefined ? [] : amount * price));
  return known.length > 0 ? rounded(sum(known)) : undefined;
};

const gasKwhOf = (total: number | undefined, unit: DayRow['gasUnit'], { calorific_value, state_number }: Prices): number | undefined => {
  if (total === undefined || unit === 'kWh') return total;
  return calorific_value === undefined || state_number === undefined ? undefined : rounded(total * calorific_value * state_number);
};

/** The row of a day, with the prices in the current settings. */
export const rowOf = (day: OpenDay, prices: Prices): DayRow => {
  const { heat, power, rod, gas: counted } = amountsOfDay(day.grown);
  const gasUnit = day.gasUnit === 'mixed' ? undefined : day.gasUnit;
  const gas = gasUnit && counted;
  const gasKwh = gasKwhOf(gas?.total, gasUnit, prices);
  const electricity = power?.total === undefined ? rod?.total : power.total + (rod?.total ?? 0);
  return {
    day: day.day,
    ...{ heat, power, rod, gas, gasKwh },
    gasUnit: gas && gasUnit,
    rodUntold: day.hasRod && power && !rod && !rodRested(day.grown) ? true : undefined,
    ...runsOfDay(day.grown),
    outside: day.outsideMs >= WHOLE_DAY_HOURS * HOUR_MS ? rounded(day.outsideSum / day.outsideMs, 2) : undefined,
    // A clock set back or a zone moved west makes a day longer.
    covered: Math.min(LONGEST_DAY_HOURS, rounded(day.coveredMs / HOUR_MS, 2)),
    stale: day.stale,
    cost: priced([electricity, prices.price], [gasKwh ?? gas?.total, prices.gas_price]),
    co2: priced([electricity, prices.co2], [gasKwh ?? gas?.total, prices.gas_co2]),
  };
};
