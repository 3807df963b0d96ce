import { isDeepStrictEqual } from 'node:util';
import { amountName, amountsOf } from '../../features/energy/periods.ts';
import { counted } from '../../features/energy/runningTotal.ts';
import { SHARED_TOTAL, type SharedTotal, shared, shownTotal } from '../../features/energy/sharedTotal.ts';
import type { Feature } from '../../features/feature.ts';
import type { KeyedStore } from '../ports.ts';
import { type DeviceState, deviceKey } from './deviceState.ts';
import { keyedRows } from './keptValues.ts';

/** The running totals of all features that count energy or gas, kept over restarts. A device is named by its key. */
export const runningTotals = (store: KeyedStore) => {
  /** By the key of the device, then by feature. */
  const all = new Map<string, Map<string, SharedTotal>>();
  const ofDevice = (device: string): Map<string, SharedTotal> => {
    const totals = all.get(device) ?? new Map<string, SharedTotal>();
    all.set(device, totals);
    return totals;
  };
  for (const [key, total] of keyedRows(store.read(), SHARED_TOTAL)) {
    const [device = '', feature = ''] = key.split(/ (.*)/s);
    ofDevice(device).set(feature, total);
  }

  /** What has been counted of the amount of a feature since it was first seen; undefined for one that counts nothing. */
  const of = (device: string, feature: string): number | undefined => {
    const total = all.get(device)?.get(feature);
    return total && shownTotal(total);
  };

  /** What each feature of a device has counted by itself, whatever another one tells of the same amount. */
  const tellers = (device: string): ReadonlyMap<string, SharedTotal> => all.get(device) ?? new Map();

  /** Counts what a record shows more than the one before, and keeps it; gives what it says otherwise. The same record may come again: it counts nothing. */
  const count = (device: string, feature: Feature): readonly string[] => {
    const totals = ofDevice(device);
    const before = totals.get(feature.name);
    const amounts = amountsOf(feature);
    if (!amounts) return [];
    const other = otherTeller(feature.name, totals);
    const [one, next] = shared(before, counted(before, amounts), other === undefined ? undefined : totals.get(other));
    const keep = (name: string, total: SharedTotal): readonly string[] => {
      if (isDeepStrictEqual(totals.get(name), total)) return [];
      totals.set(name, total);
      store.write(`${device} ${name}`, total);
      return [name];
    };
    return [...keep(feature.name, one), ...(other !== undefined && next ? keep(other, next) : [])];
  };

  /** Counts what is shown of these features; gives them, with those whose total is another now. */
  const learn = (state: DeviceState, features: Iterable<{ readonly name: string }>): readonly string[] => {
    const names = [...features].map(({ name }) => name);
    const more = names.flatMap((name) => {
      const feature = state.shown(name);
      return feature ? count(deviceKey(state.device), feature) : [];
    });
    return [...new Set([...names, ...more.filter((name) => state.features.has(name))])];
  };

  return { of, tellers, count, learn };
};

/** The other feature that tells the amount of this one: some devices tell it as a list and as a summary. */
const otherTeller = (feature: string, totals: ReadonlyMap<string, unknown>): string | undefined => {
  const amount = amountName(feature);
  if (amount !== feature) return totals.has(amount) ? amount : undefined;
  return [...totals.keys()].find((name) => name !== feature && amountName(name) === feature);
};

export type RunningTotals = ReturnType<typeof runningTotals>;
