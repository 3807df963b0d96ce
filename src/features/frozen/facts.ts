import { amountName } from '../energy/periods.ts';
import { type SharedTotal, scaleOf } from '../energy/sharedTotal.ts';
import type { Feature } from '../feature.ts';

/** A battery or Zigbee: such a device reports rarely. A heat pump that leads a Zigbee network also has `device.zigbee.active` and `.status`. */
const SLOW = /^device\.(?:power\.battery|zigbee\.(?:lqi|parent\..+))$/u;
const RUNS = /(?:^|\.)(?<what>compressors|burners)\.\d+\.statistics$/u;

/** A record with a time further in the future is invalid. */
const AHEAD_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The freshness data of a device after a successful read at this instant (epoch ms), with the totals of its features. */
export const factsOf = (features: Iterable<Feature>, counts: ReadonlyMap<string, SharedTotal>, now: number) => {
  // RFC 3339 in UTC, as the platform sends it: text order is time order.
  const latest = new Date(now + AHEAD_MS).toISOString();
  let newest = '';
  let isSlow = false;
  /** The value of a sensor changes by itself: silence is then significant. */
  let hasSensor = false;
  /** Of all compressors and of all burners; undefined if the device has none. */
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

export type FrozenFacts = Readonly<ReturnType<typeof factsOf>>;

/** A feature that reports an amount; a list and the summary of one amount have the same `amount`. In kWh or m³. */
const tellerOf = (feature: string, { unit, total, owed = 0, long, short = long }: SharedTotal, now: number) => {
  const scale = scaleOf(unit);
  // At New Year, a feature without last year's amount cannot follow one that has it. A later fall counts as
  // frozen.
  const isJanuary = new Date(now + DAY_MS).getUTCMonth() === 0;
  const isNewYear = isJanuary && long.period === 'year' && long.fallen !== undefined;
  const amount = amountName(feature);
  return {
    ...{ feature, amount },
    counted: total * scale,
    /** What another feature counted of the same amount beyond this one. */
    owed: isNewYear ? 0 : owed * scale,
    isSummary: amount !== feature,
    /** False if it shows only 0: the device may not have it. */
    isAlive: long.amounts.some((one) => one > 0),
    /** Today's amount; undefined if it reports no days. */
    day: short.period === 'day' ? short.amounts[0] : undefined,
  };
};

export type Teller = Readonly<ReturnType<typeof tellerOf>>;
