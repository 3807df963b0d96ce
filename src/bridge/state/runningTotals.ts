import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { amountsOf } from '../../features/energy/periods.ts';
import { counted, type RunningTotal } from '../../features/energy/runningTotal.ts';
import type { Feature } from '../../features/feature.ts';
import type { KeyedStore } from '../ports.ts';
import { type DeviceState, deviceKey } from './deviceState.ts';

const AMOUNTS = z.array(z.number());
const MARK = z.object({
  period: z.enum(['year', 'month', 'week', 'day']),
  amounts: AMOUNTS,
  fallen: z.optional(AMOUNTS),
});
/** As it comes from disk. */
const TOTAL = z.object({ unit: z.string(), total: z.number(), sure: z.number(), ahead: z.number(), long: MARK, short: z.optional(MARK) });

/** The running totals of all features that count energy or gas, kept over restarts. A device is named by its key. */
export const runningTotals = (store: KeyedStore) => {
  const all = new Map<string, RunningTotal>();
  for (const [key, value] of store.read()) {
    const total = TOTAL.safeParse(value);
    if (total.success) all.set(key, total.data);
  }

  /** What the feature has counted since it was first seen; undefined for one that counts nothing. */
  const of = (device: string, feature: string): number | undefined => all.get(`${device} ${feature}`)?.total;

  /** Counts what a record shows more than the one before, and keeps it. The same record may come again: it counts nothing. */
  const count = (device: string, feature: Feature): void => {
    const key = `${device} ${feature.name}`;
    const before = all.get(key);
    const amounts = amountsOf(feature);
    if (!amounts) return;
    const now = counted(before, amounts);
    if (isDeepStrictEqual(before, now)) return;
    all.set(key, now);
    store.write(key, now);
  };

  /** Counts what is shown of these features. */
  const learn = (state: DeviceState, names: readonly string[]): void => {
    for (const name of names) {
      const feature = state.shown(name);
      if (feature) count(deviceKey(state.device), feature);
    }
  };

  return { of, count, learn };
};

export type RunningTotals = ReturnType<typeof runningTotals>;
