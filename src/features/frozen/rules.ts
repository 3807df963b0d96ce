import * as z from 'zod/mini';
import { sum } from '../energy/periods.ts';
import { amountOf, sumOf } from '../performance/counters.ts';
import type { FrozenFacts, Teller } from './facts.ts';

/**
 * The rules for frozen data (docs/decisions/frozen.md): `pulse` (R0) no record is new; `tellers` (R1) one of
 * two counters of an amount stands still; `heat` (R2) heat without power; `hours` (R3) compressor or burner
 * runs without any amount.
 */
const RULES = ['pulse', 'hours', 'heat', 'tellers'] as const;
export type FrozenRule = (typeof RULES)[number];

/** The frozen data, and since when (epoch milliseconds). */
export const STALE = z.object({
  rule: z.enum(RULES),
  since: z.number(),
  /** The frozen features, if only some are frozen. */
  features: z.readonly(z.array(z.string())),
  /** The device runs on a battery or over Zigbee. */
  isSlow: z.boolean(),
});
export type Stale = Readonly<z.infer<typeof STALE>>;

const MAYBE = z.optional(z.number());

/** A counter that must follow another: both values at its last growth. Instants in epoch milliseconds. */
const WATCH = z.object({
  ...{ counted: z.number(), driver: z.number() },
  /** When it was last seen to grow; absent before. */
  grewAt: MAYBE,
  /** When the other counter first grew without it. */
  from: MAYBE,
  /** The other counter's value at that time. */
  first: MAYBE,
  /** The longest delay before it caught up: a list that the platform updates once a day. */
  lag: MAYBE,
});
type Watch = Readonly<z.infer<typeof WATCH>>;

/** The stored state of a device between successful reads. Instants in epoch milliseconds. */
export const FROZEN_STATE = z.object({
  /** The time since which its records were never too old. */
  steadySince: z.number(),
  watches: z.record(z.string(), WATCH),
  newest: MAYBE,
  /** A successful read showed that the newest record is too old. */
  lateAt: MAYBE,
});
export type FrozenState = Readonly<z.infer<typeof FROZEN_STATE>>;

/** Now, and the last local midnight, which is rarely needed (epoch milliseconds). */
export type Moment = { readonly now: number; readonly midnight: () => number };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const SILENT_MS = 6 * HOUR_MS;
const SLOW_SILENT_MS = 48 * HOUR_MS;
/** The minimum time between two successful reads that confirm the silence. */
const SURE_MS = 30 * MINUTE_MS;
/** A device must be steady for this multiple of the limit; otherwise its silence is not significant. */
const STEADY_TIMES = 2;
/**
 * A silence of this multiple is reported for any device: it may predate the bridge or follow a short return.
 */
const LONG_TIMES = 4;

const STANDS_MS = 6 * HOUR_MS;
/** If it also did not restart at midnight (R4). */
const STANDS_SINCE_MIDNIGHT_MS = 3 * HOUR_MS;
/** A list with up to this delay is updated once a day. */
const LONGEST_LAG_MS = 26 * HOUR_MS;
const LAG_TIMES = 1.25;
/** A counter that stands still for longer was abandoned by the device: the other one counts. */
const GIVEN_UP_MS = 30 * 24 * HOUR_MS;

const LEAST = { tellers: 2, heat: 5, hours: 2 } as const;
const NOISE = 1e-6;

/** A rod's power is separate: a recorded 250A excludes it from the power consumption. */
const USED = /(?:^|\.)(?:(?<rod>heatingRod)\.)?(?<of>power|gas)\.consumption\.(?:summary\.)?(?<use>\w+)$/u;

/** The produced heat, each amount once: the total, else heating and hot water. */
const heatOf = (tellers: readonly Teller[]): number | undefined => {
  const all = Object.fromEntries(tellers.map(({ feature, counted }) => [feature, counted]));
  const [total, ...uses] = ['total', 'heating', 'dhw'].map((use) => amountOf(all, 'heat.production', use));
  return total ?? sumOf(uses.flatMap((use) => use ?? []));
};

/** A counter and what it must follow, by the name of its watch. */
type Follower = {
  readonly key: string;
  readonly rule: Exclude<FrozenRule, 'pulse'>;
  readonly followers: readonly Teller[];
  readonly driver: number;
  /** The maximum lead of the driver that counts. */
  readonly most?: number;
  readonly least: number;
};

/** True if these cover all consumption, as the total or as heating and hot water, and have ever counted. */
const canStand = (tellers: readonly Teller[]): boolean => {
  const uses = new Set(tellers.map(({ feature }) => USED.exec(feature)?.groups?.['use']));
  return (uses.has('total') || (uses.has('heating') && uses.has('dhw'))) && tellers.some(({ isAlive }) => isAlive);
};

const followersOf = ({ tellers, hours }: FrozenFacts): readonly Follower[] => {
  const used = Map.groupBy(tellers, ({ feature }) => {
    const { rod, of } = USED.exec(feature)?.groups ?? {};
    return rod ?? of;
  });
  const [power = [], rod = [], gas = []] = ['power', 'heatingRod', 'gas'].map((of) => used.get(of));
  const pairs = tellers.flatMap((one): Follower[] => {
    const other = tellers.find(({ feature, amount }) => amount === one.amount && feature !== one.feature);
    const { feature } = one;
    return other && one.isAlive
      ? [{ key: feature, rule: 'tellers', followers: [one], driver: other.counted, most: one.owed, least: LEAST.tellers }]
      : [];
  });
  // The heat of a boiler is computed from its gas.
  const heat = hours.compressors === undefined && (hours.burners !== undefined || gas.length > 0) ? undefined : heatOf(tellers);
  const follower = (
    key: string,
    rule: 'hours' | 'heat',
    whole: readonly Teller[],
    driver: number | undefined,
    more: readonly Teller[] = [],
  ) => (driver !== undefined && canStand(whole) ? [{ key, rule, followers: [...whole, ...more], driver, least: LEAST[rule] }] : []);
  return [
    ...follower('compressors', 'hours', power, hours.compressors),
    // An oil burner reports only its electricity.
    ...follower('burners', 'hours', [...gas, ...power], hours.burners),
    // Heat from the rod alone is not heat without power.
    ...follower('heat', 'heat', power, heat, rod),
    ...pairs,
  ];
};

/** The watch after a successful read. `since` is not the last growth: an idle heating grew long ago. */
const watched = (
  before: Watch | undefined,
  { rule, followers, driver, most = Number.POSITIVE_INFINITY, least }: Follower,
  { now, midnight }: Moment,
): { readonly watch: Watch; readonly since?: number } => {
  const counted = sum(followers.map((teller) => teller.counted));
  // A counter that restarted gives no information.
  if (!before || counted < before.counted - NOISE || driver < before.driver - NOISE)
    return { watch: { counted, driver, ...(before?.lag === undefined ? {} : { lag: before.lag }) } };
  const ahead = Math.min(most, driver - before.driver);
  const behindMs = before.from === undefined ? 0 : now - before.from;
  if (counted > before.counted + NOISE) {
    // A freeze that grows a little stays behind; a list with a delay catches up.
    const isRhythm = followers.every(({ isSummary, owed }) => !isSummary && owed < LEAST.tellers) && behindMs <= LONGEST_LAG_MS;
    const lag = Math.max(before.lag ?? 0, isRhythm ? behindMs : 0);
    return { watch: { counted, driver, grewAt: now, ...(lag > 0 ? { lag } : {}) } };
  }
  if (ahead <= NOISE) return { watch: before };
  const { from = now, first = driver, grewAt, lag = 0 } = before;
  // A single burst may be delayed data (a freeze of heat or hours that ended): wait for further growth.
  const goesOn = rule === 'tellers' || driver > first + NOISE;
  const isPast = (grewAt ?? now) < midnight() && now - midnight() >= STANDS_SINCE_MIDNIGHT_MS;
  const isOldDay = isPast && followers.some(({ day = 0 }) => day > 0);
  const limitMs = Math.max(isOldDay ? STANDS_SINCE_MIDNIGHT_MS : STANDS_MS, lag * LAG_TIMES);
  const isGivenUp = rule === 'tellers' && now - from > GIVEN_UP_MS;
  const stands = goesOn && ahead >= least - NOISE && now - from >= limitMs && !isGivenUp;
  return { watch: { ...before, from, first }, ...(stands ? { since: from } : {}) };
};

type Pulse = Pick<FrozenState, 'newest' | 'lateAt' | 'steadySince'>;

/** The same for all records of the device. */
const pulsed = (
  before: FrozenState | undefined,
  { newest, isSlow, hasSensor }: FrozenFacts,
  now: number,
): Pulse & { readonly since?: number } => {
  const steadySince = before?.steadySince ?? now;
  if (newest === undefined || !(hasSensor || isSlow)) return { steadySince };
  if (before?.newest === undefined || newest > before.newest)
    return { newest, steadySince: before?.lateAt === undefined ? steadySince : newest };
  const limitMs = isSlow ? SLOW_SILENT_MS : SILENT_MS;
  if (now - newest <= limitMs) return { newest, steadySince };
  const lateAt = before.lateAt ?? now;
  const isUnusual = newest - steadySince >= STEADY_TIMES * limitMs || now - newest >= LONG_TIMES * limitMs;
  const isSure = now - lateAt >= SURE_MS && isUnusual;
  return { newest, steadySince, lateAt, ...(isSure ? { since: newest } : {}) };
};

/** The new state after a successful read, and the frozen data, if any, by the strongest rule. */
export const look = (
  before: FrozenState | undefined,
  facts: FrozenFacts,
  moment: Moment,
): { readonly state: FrozenState; readonly stale?: Stale } => {
  const { since: silentSince, ...pulse } = pulsed(before, facts, moment.now);
  const watches: Record<string, Watch> = {};
  const standing: { readonly rule: FrozenRule; readonly since: number; readonly features: readonly string[] }[] = [];
  if (silentSince !== undefined) standing.push({ rule: 'pulse', since: silentSince, features: [] });
  for (const one of followersOf(facts)) {
    const { watch, since } = watched(before?.watches[one.key], one, moment);
    watches[one.key] = watch;
    if (since !== undefined) standing.push({ rule: one.rule, since, features: one.followers.map(({ feature }) => feature) });
  }
  const rule = standing[0]?.rule;
  const state = { ...pulse, watches };
  if (rule === undefined) return { state };
  const most = standing.filter((one) => one.rule === rule);
  const features = rule === 'tellers' ? most.flatMap((one) => one.features) : [];
  return { state, stale: { rule, since: Math.min(...most.map(({ since }) => since)), features, isSlow: facts.isSlow } };
};
