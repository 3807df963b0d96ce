import { amountName } from '../energy/periods.ts';
import { type SharedTotal, scaleOf } from '../energy/sharedTotal.ts';
import type { Feature } from '../feature.ts';

/** A feature that tells an amount. */
export type Teller = {
  readonly feature: string;
  /** The same for a list and the summary of one amount. */
  readonly amount: string;
  /** What it has counted since it was first seen, in kWh or m³. */
  readonly counted: number;
  /** What another feature has counted of the same amount beyond this one. */
  readonly owed: number;
  readonly isSummary: boolean;
  /** False for one that shows nothing but 0: the device may not have it. */
  readonly isAlive: boolean;
  /** Of the day that it shows now; undefined where it tells no days. */
  readonly day: number | undefined;
};

/** What the records of a device say of how fresh they are, after a good read. */
export type FrozenFacts = {
  /** The newest time of any of its records (epoch milliseconds); undefined where none has one. */
  readonly newest: number | undefined;
  /** It runs on a battery or is reached over Zigbee, and so tells rarely. */
  readonly isSlow: boolean;
  /** It has a sensor, whose value changes by itself: its silence says something. */
  readonly hasSensor: boolean;
  readonly tellers: readonly Teller[];
  /** Of all compressors, and of all burners; undefined where the device has none. */
  readonly hours: { readonly compressors: number | undefined; readonly burners: number | undefined };
};

/** A heat pump that leads a Zigbee network has `device.zigbee.active` and `.status` too. */
const SLOW = /^device\.(?:power\.battery|zigbee\.(?:lqi|parent\..+))$/u;
const RUNS = /(?:^|\.)(?<what>compressors|burners)\.\d+\.statistics$/u;

/** A record from further ahead has no time that is true. */
const AHEAD_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** What the records of a device say at this moment (epoch milliseconds), with what each of its features has counted. */
export const factsOf = (features: Iterable<Feature>, counts: ReadonlyMap<string, SharedTotal>, now: number): FrozenFacts => {
  // RFC 3339 in UTC, as the platform writes it: the later text is the later time.
  const latest = new Date(now + AHEAD_MS).toISOString();
  let newest = '';
  let isSlow = false;
  let hasSensor = false;
  const hours: { compressors: number | undefined; burners: number | undefined } = { compressors: undefined, burners: undefined };
  const tellers: Teller[] = [];
  for (const { name, timestamp = '', properties } of features) {
    if (timestamp > newest && timestamp <= latest) newest = timestamp;
    isSlow ||= SLOW.test(name);
    hasSensor ||= name.includes('sensors.');
    const what = RUNS.exec(name)?.groups?.['what'] as 'compressors' | 'burners' | undefined;
    const run = what && properties.get('hours')?.value;
    if (what && typeof run === 'number') hours[what] = (hours[what] ?? 0) + run;
    const count = counts.get(name);
    if (count) tellers.push(tellerOf(name, count, now));
  }
  const at = Date.parse(newest);
  return { newest: Number.isNaN(at) ? undefined : at, isSlow, hasSensor, tellers, hours };
};

const tellerOf = (feature: string, { unit, total, owed = 0, long, short = long }: SharedTotal, now: number): Teller => {
  const scale = scaleOf(unit);
  // At New Year one that tells no last year cannot follow another one that does. One that falls later stands, as any other.
  const isJanuary = new Date(now + DAY_MS).getUTCMonth() === 0;
  const isNewYear = isJanuary && long.period === 'year' && long.fallen !== undefined;
  const day = short.period === 'day' ? short.amounts[0] : undefined;
  const amount = amountName(feature);
  return {
    ...{ feature, amount },
    counted: total * scale,
    owed: isNewYear ? 0 : owed * scale,
    isSummary: amount !== feature,
    isAlive: long.amounts.some((one) => one > 0),
    day,
  };
};
