import { isDeepStrictEqual } from 'node:util';
import { amountName, amountsOf } from '../../features/energy/periods.ts';
import { counted } from '../../features/energy/runningTotal.ts';
import { SHARED_TOTAL, type SharedTotal, shared, shownTotal } from '../../features/energy/sharedTotal.ts';
import type { Feature } from '../../features/feature.ts';
import type { KeyedStore } from '../ports.ts';
import { type DeviceState, deviceKey } from './deviceState.ts';
import { keyedRows } from './keptValues.ts';

/** Running totals of all features that count energy or gas, over restarts; `device` is a `deviceKey`. */
export const runningTotals = (store: KeyedStore) => {
  /** By device key, then by feature. */
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

  /** The amount counted since the feature was first seen; undefined for a feature that counts nothing. */
  const of = (device: string, feature: string): number | undefined => {
    const total = all.get(device)?.get(feature);
    return total && shownTotal(total);
  };

  /** What each feature of a device has counted itself, regardless of others for the same amount. */
  const tellers = (device: string): ReadonlyMap<string, SharedTotal> => all.get(device) ?? new Map();

  /** Adds the increase since the last record (none if it repeats); returns features with a changed total. */
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

  /** Counts these features; returns them, with others whose total has changed. */
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

/** The other feature with the same amount: some devices have it both as a list and as a summary. */
const otherTeller = (feature: string, totals: ReadonlyMap<string, unknown>): string | undefined => {
  const amount = amountName(feature);
  if (amount !== feature) return totals.has(amount) ? amount : undefined;
  return [...totals.keys()].find((name) => name !== feature && amountName(name) === feature);
};

export type RunningTotals = ReturnType<typeof runningTotals>;
