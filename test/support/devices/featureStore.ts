import type { Device } from '../../../src/bridge/state/deviceState.ts';
import { FeatureForms } from '../../../src/bridge/state/featureForms.ts';
import { FeatureStore } from '../../../src/bridge/state/featureStore.ts';
import { type Clock, systemClock } from '../../../src/shared/clock.ts';
import { StatesInMemory } from '../system/keptInMemory.ts';

/** A store with these devices, of which nothing is known from an earlier run. */
export const storeOf = (devices: readonly Device[], clock: Clock = systemClock): FeatureStore => {
  const settings = { goneAfterH: 24, nowMs: clock.now, settleMs: 60_000 };
  const store = new FeatureStore(new Map(), settings, new StatesInMemory().open(), new FeatureForms(), { pendingOf: () => [] }, clock);
  for (const device of devices) store.add(device);
  return store;
};
