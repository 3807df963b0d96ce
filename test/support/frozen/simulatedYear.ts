import { amountName, amountsOf } from '../../../src/features/energy/periods.ts';
import { counted } from '../../../src/features/energy/runningTotal.ts';
import { type SharedTotal, shared, shownTotal } from '../../../src/features/energy/sharedTotal.ts';
import type { Feature } from '../../../src/features/feature.ts';
import { factsOf } from '../../../src/features/frozen/facts.ts';
import { type FrozenRule, type FrozenState, look } from '../../../src/features/frozen/rules.ts';
import { featureOf } from '../devices/features.ts';

const HOUR_MS = 3_600_000;
export const DAY_H = 24;
const YEAR_H = 365 * DAY_H;
/** The log begins on 1 July, at midnight of the house, which is an hour ahead of UTC. */
const START = Date.UTC(2027, 5, 30, 23);
const NEW_YEAR_H = 184 * DAY_H;
/** Before, nothing stands: what is learned of a device takes some days. */
/** No freeze is longer. */
const KEPT_H = 500;
const WINTER_H = 110 * DAY_H;

type Span = readonly [fromHour: number, toHour: number];

/** What stands in these hours, and by which rules that is to be told; none where nobody can know. */
export type Freeze = {
  readonly what: 'summary' | 'lists' | 'amounts' | 'power' | 'all';
  readonly span: Span;
  readonly by: readonly FrozenRule[];
};

/** A device and what happens to it in a year. Hours are those of the log. */
export type Scenario = {
  readonly kind: 'heat pump' | 'gas boiler' | 'oil boiler' | 'battery device' | 'gateway';
  readonly freezes?: readonly Freeze[];
  /** Nobody is at home. */
  readonly away?: readonly Span[];
  /** Nothing is read. */
  readonly unread?: readonly Span[];
  /** So many hours the lists are behind; `daily`: they are made at midnight. */
  readonly lists?: number | 'daily';
  /** Only lists are told. */
  readonly hasNoSummary?: boolean;
  /** All amounts fall to 0 (I.92). */
  readonly resetAt?: number;
  /** Cools in summer with the pumps alone. */
  readonly cools?: boolean;
  /** What the summary tells of the list. */
  readonly share?: number;
  /** The lists count in whole kWh. */
  readonly areListsWhole?: boolean;
};

/** Chance that is the same in each run (mulberry32). */
export const seeded = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const isIn = (spans: readonly Span[] | undefined, hour: number): boolean => spans?.some(([from, to]) => hour >= from && hour < to) ?? false;
const tenth = (value: number): number => Math.round(value * 10) / 10;

/** The amounts of one use: eight days, and two years. */
type Meter = { readonly days: readonly number[]; readonly years: readonly number[] };

const grown = ({ days: [day = 0, ...days], years: [year = 0, ...years] }: Meter, by: number): Meter => ({
  days: [day + by, ...days],
  years: [year + by, ...years],
});
const turned = ({ days, years }: Meter, isNewYear: boolean): Meter => ({
  days: [0, ...days.slice(0, 7)],
  years: isNewYear ? [0, ...years.slice(0, 1)] : years,
});
const both = (one: Meter, other: Meter): Meter => ({
  days: one.days.map((day, at) => day + (other.days[at] ?? 0)),
  years: one.years.map((year, at) => year + (other.years[at] ?? 0)),
});
const EMPTY: Meter = { days: Array.from({ length: 8 }, () => 0), years: [0, 0] };

/** All that a heating has counted by an hour. */
type Snapshot = { readonly hours: number; readonly meters: ReadonlyMap<string, Meter> };

/** What is used in an hour: heating by the weather, hot water by people, the defrost that takes power and gives no heat. */
const used = (
  { kind, away, cools }: Scenario,
  hour: number,
  random: () => number,
): { readonly run: number; readonly of: Record<string, number> } => {
  const day = hour / DAY_H;
  const outside =
    9.5 +
    10.5 * Math.cos((2 * Math.PI * (day - 20)) / 365) +
    4 * Math.sin((2 * Math.PI * ((hour % DAY_H) - 8)) / DAY_H) +
    4 * (random() - 0.5);
  const demand = Math.max(0, (isIn(away, hour) ? 7 : 14) - outside) * 0.35;
  const isHeating = random() < Math.min(1, demand / 2);
  const washes = !isIn(away, hour) && (hour % DAY_H === 6 || (hour % DAY_H === 18 && random() < 0.7));
  const [heat, dhw] = [isHeating ? Math.max(2, demand) : 0, washes ? 3 : 0];
  const run = Math.min(1, (isHeating ? 0.8 : 0) + (washes ? 0.7 : 0));
  if (kind !== 'heat pump') {
    const gas = kind === 'gas boiler' ? { 'gas heating': heat / 9.5, 'gas dhw': dhw / 9.5, 'heat heating': heat, 'heat dhw': dhw } : {};
    return { run, of: { ...gas, 'power heating': isHeating ? 0.06 : 0.004, 'power dhw': washes ? 0.03 : 0 } };
  }
  const isDefrosting = isHeating && outside < 4 && random() < 0.1;
  const cooling = cools && outside > 17 ? 1.5 : 0;
  return {
    run,
    of: {
      ...{ 'power heating': heat / 3.6 + (isDefrosting ? 0.5 : 0.01), 'power dhw': dhw / 2.8 },
      ...{ 'heat heating': isDefrosting ? 0 : heat, 'heat dhw': dhw, 'heat cooling': cooling },
    },
  };
};

const UNITS: Readonly<Record<string, string>> = { gas: 'cubicMeter', power: 'kilowattHour', heat: 'kilowattHour' };
const NAMES: Readonly<Record<string, string>> = { gas: 'gas.consumption', power: 'power.consumption', heat: 'heat.production' };

/** What the records of a heating show of an hour's snapshots: the lists of one, the summaries of another. */
const amountFeatures = (
  scenario: Scenario,
  lists: Snapshot,
  summaries: Snapshot,
  isNew: (teller: 'lists' | 'summaries') => boolean,
): Feature[] => {
  const { hasNoSummary = false, share = 1, areListsWhole = false } = scenario;
  const found: Feature[] = [];
  const step = areListsWhole ? Math.floor : tenth;
  for (const of of new Set([...lists.meters.keys()].map((name) => name.split(' ')[0] ?? ''))) {
    const [name, unit] = [`heating.${NAMES[of]}`, UNITS[of] ?? ''];
    const list = (use: string, { days, years }: Meter): Feature =>
      featureOf(`${name}.${use}`, {
        day: { type: 'array', value: days.map(step), unit },
        year: { type: 'array', value: years.map(step), unit },
      });
    const meterOf = (snapshot: Snapshot, use: string): Meter => snapshot.meters.get(`${of} ${use}`) ?? EMPTY;
    for (const use of of === 'heat' ? ['heating', 'dhw', 'cooling'] : ['heating', 'dhw']) {
      if (of !== 'heat' && isNew('lists')) found.push(list(use, meterOf(lists, use)));
      if (hasNoSummary || !isNew('summaries')) continue;
      const { days, years } = meterOf(summaries, use);
      const value = (amount = 0) => ({ value: tenth(amount * share), unit });
      found.push(
        featureOf(`${name}.summary.${use}`, { currentDay: value(days[0]), currentYear: value(years[0]), lastYear: value(years[1]) }),
      );
    }
    if (of !== 'heat' && isNew('lists')) found.push(list('total', both(meterOf(lists, 'heating'), meterOf(lists, 'dhw'))));
  }
  return found;
};

type Alarm = { readonly rule: FrozenRule; readonly from: number; to: number };

const STAMPS = new Map<number, string>();
const stamps = (hour: number): string => {
  const stamp = STAMPS.get(hour) ?? new Date(START + hour * HOUR_MS).toISOString();
  STAMPS.set(hour, stamp);
  return stamp;
};
const OTHERS = new Map<string, string>();
/** The other feature that tells the amount of this one. */
const otherOf = (name: string): string => {
  const amount = amountName(name);
  const other = OTHERS.get(name) ?? (amount === name ? name.replace(/\.(\w+)$/u, '.summary.$1') : amount);
  OTHERS.set(name, other);
  return other;
};

/** Lives through a year with a read each hour; gives what the rules have said, and how far the running total of the heating's power is off (kWh). */
const alarmsOf = (scenario: Scenario, seed: number): { readonly alarms: readonly Alarm[]; readonly off: number } => {
  const { kind, freezes = [], unread, lists = 0, resetAt } = scenario;
  const random = seeded(seed);
  const past = new Map<number, Snapshot>();
  let now: Snapshot = { hours: 1000, meters: new Map() };
  const records = new Map<string, Feature>();
  const fresh = new Set<Feature>();
  const counts = new Map<string, SharedTotal>();
  let state: FrozenState | undefined;
  const alarms: Alarm[] = [];
  let open: Alarm | undefined;
  let power = 0;
  const last = { lists: -1, summaries: -1, battery: 0 };
  const freezeOf = (hour: number, ...what: readonly Freeze['what'][]): number | undefined =>
    freezes.find((one) => what.includes(one.what) && isIn([one.span], hour))?.span[0];
  const put = (feature: Feature, hour: number): void => {
    const record = { ...feature, timestamp: stamps(hour) };
    records.set(feature.name, record);
    fresh.add(record);
  };
  for (let hour = 0; hour < YEAR_H; hour += 1) {
    const { run, of } = used(scenario, hour, random);
    if (hour > 0) power += of['power heating'] ?? 0;
    const isMidnight = hour % DAY_H === 0;
    const meters = new Map(
      Object.entries(of).map(([name, amount]) => {
        const before = now.meters.get(name) ?? { days: [4, 4, 5, 6, 7, 5, 4, 3], years: [700, 1500] };
        const turn = isMidnight ? turned(before, hour === NEW_YEAR_H) : before;
        return [name, hour === resetAt ? EMPTY : grown(turn, amount)];
      }),
    );
    now = { hours: now.hours + run, meters };
    past.set(hour, now);
    past.delete(hour - KEPT_H);
    const silent = freezeOf(hour, 'all');
    if (kind === 'battery device' && silent === undefined && (hour === 0 || random() < 0.15 || hour - last.battery > 30)) {
      last.battery = hour;
      put(featureOf('device.power.battery', { level: { value: 90, unit: 'percent' } }), hour);
    }
    // By fits and starts.
    if (kind === 'gateway' && Math.floor(hour / 60) % 3 === 0 && random() < 0.7)
      put(featureOf('gateway.wifi', { strength: { value: 60 } }), hour);
    if (kind !== 'battery device' && kind !== 'gateway' && silent === undefined) {
      put(featureOf('heating.sensors.temperature.outside', { value: { value: tenth(random() * 9), unit: 'celsius' } }), hour);
      const hours = kind === 'heat pump' ? Math.floor(now.hours) : tenth(now.hours);
      put(
        featureOf(`heating.${kind === 'heat pump' ? 'compressors' : 'burners'}.0.statistics`, { hours: { value: hours, unit: 'hour' } }),
        hour,
      );
      const made = lists === 'daily' ? Math.max(0, hour - (hour % DAY_H) - 1) : Math.max(0, hour - lists);
      const told = {
        lists: freezeOf(hour, 'lists', 'amounts', 'power') ?? made,
        summaries: freezeOf(hour, 'summary', 'amounts') ?? hour,
      };
      const powerAt = freezeOf(hour, 'power');
      const without = (snapshot: Snapshot): Snapshot => {
        const stood = powerAt === undefined ? undefined : past.get(powerAt);
        return stood
          ? {
              ...snapshot,
              meters: new Map(
                [...snapshot.meters].map(([name, meter]) => [name, name.startsWith('power') ? (stood.meters.get(name) ?? meter) : meter]),
              ),
            }
          : snapshot;
      };
      const [fromLists, fromSummaries] = [past.get(told.lists) ?? now, without(past.get(told.summaries) ?? now)];
      for (const feature of amountFeatures(scenario, fromLists, fromSummaries, (teller) => told[teller] !== last[teller]))
        put(feature, hour);
      Object.assign(last, told);
    }
    if (isIn(unread, hour)) continue;
    for (const feature of fresh) {
      const { name } = feature;
      if (records.get(name) !== feature) continue;
      const amounts = amountsOf(feature);
      if (!amounts) continue;
      const other = otherOf(name);
      const [mine, theirs] = shared(counts.get(name), counted(counts.get(name), amounts), counts.get(other));
      counts.set(name, mine);
      if (theirs) counts.set(other, theirs);
    }
    fresh.clear();
    const at = START + hour * HOUR_MS;
    const found = look(state, factsOf(records.values(), counts, at), { now: at, midnight: () => at - (hour % DAY_H) * HOUR_MS });
    state = found.state;
    const rule = found.stale?.rule;
    if (rule !== undefined && open?.rule !== rule) {
      open = { rule, from: hour, to: hour };
      alarms.push(open);
    }
    if (rule === undefined) open = undefined;
    if (open) open.to = hour;
  }
  const total = counts.get('heating.power.consumption.heating');
  return { alarms, off: total ? Math.abs(shownTotal(total) - power) : 0 };
};

/** What the rules made of a year. `slowest`: hours until the freeze that was told last was told. */
export type Judged = {
  readonly freezes: number;
  readonly told: number;
  readonly missed: number;
  readonly falseAlarms: number;
  readonly slowest: number;
  readonly off: number;
  readonly wrong: readonly string[];
};

/** Counts what was told of the freezes of a year, and what was told without one. */
export const judge = (scenario: Scenario, seed: number): Judged => {
  const { alarms, off } = alarmsOf(scenario, seed);
  const freezes = (scenario.freezes ?? []).filter(({ by }) => by.length > 0);
  const isOf = ({ rule, from, to }: Alarm, { span, by }: Freeze): boolean => by.includes(rule) && from < span[1] && to >= span[0];
  const told = freezes.map((freeze) => alarms.filter((alarm) => isOf(alarm, freeze)).map(({ from }) => from - freeze.span[0]));
  const falseAlarms = alarms.filter((alarm) => !freezes.some((freeze) => isOf(alarm, freeze)));
  const delays = told.flatMap((hours) => (hours.length > 0 ? [Math.min(...hours)] : []));
  return {
    freezes: freezes.length,
    told: delays.length,
    missed: freezes.length - delays.length,
    falseAlarms: falseAlarms.length,
    slowest: Math.max(0, ...delays),
    off,
    wrong: [
      ...falseAlarms.map(({ rule, from, to }) => `false ${rule} ${from}-${to}`),
      ...freezes.flatMap(({ what, span }, at) => (told[at]?.length === 0 ? [`missed ${what} ${span.join('-')}`] : [])),
    ],
  };
};

/** So many freezes in winter, each of some hours. */
export const freezes = (
  what: Freeze['what'],
  by: readonly FrozenRule[],
  { count, hours, every, atHour = 0 }: { readonly count: number; readonly hours: number; readonly every: number; readonly atHour?: number },
): readonly Freeze[] =>
  Array.from({ length: count }, (_, index) => {
    const from = WINTER_H + index * every * DAY_H + atHour;
    return { what, by, span: [from, from + hours] as const };
  });
