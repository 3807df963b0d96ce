import type { Device } from '../../../src/bridge/state/deviceState.ts';
import { FeatureStore } from '../../../src/bridge/state/featureStore.ts';
import { PendingWrites } from '../../../src/bridge/state/pendingWrites.ts';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { deviceStateStore } from '../system/keptInMemory.ts';

/** A store with these devices, of which nothing is known from an earlier run. */
export const storeOf = (devices: readonly Device[], clock: Clock = systemClock): FeatureStore => {
  const store = new FeatureStore(new Map(), 24, deviceStateStore(), clock, () => new PendingWrites(60_000));
  for (const device of devices) store.add(device);
  return store;
};
