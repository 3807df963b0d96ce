import type { Feature } from '../../features/feature.ts';
import { parseFeature } from '../../features/parseFeature.ts';
import type { Clock } from '../../shared/clock.ts';
import type { DeviceStateStore } from '../ports.ts';
import { type DeviceState, deviceKey } from './deviceState.ts';
import type { FeatureForms } from './featureForms.ts';
import type { FeatureStore } from './featureStore.ts';
import { devicesOf, isChosen, type ReadTarget } from './readTarget.ts';

/**
 * Restores what earlier runs knew, and gives the storage what this run knows. After a kill none of it is
 * believed, so the broker may hold newer values than the disk.
 */
export const stateRepository = (memory: DeviceStateStore, store: FeatureStore, forms: FeatureForms, clock: Clock) => {
  memory.keeps(() => [...store.states].map(([device, state]) => ({ device, facts: state.facts, features: takeChanged(state, forms) })));

  /** Restores the chosen features, none fresh. Returns each as a document offered it, then as it was read. */
  const restore = (state: DeviceState): readonly Feature[] => {
    const restored: Feature[] = [];
    for (const { name, record, offered } of memory.features(deviceKey(state.device))) {
      if (!isChosen(state.device, name)) continue;
      const [before, feature] = [featureOf(offered, name), featureOf(record, name)];
      if (feature) state.remember(feature);
      restored.push(...[before, feature].filter((one) => one !== undefined));
    }
    return restored;
  };

  /** When any run last made this read (`Clock.elapsedMs`); -Infinity: never, or for other settings. */
  const lastReadMs = (read: ReadTarget): number => {
    const ages = devicesOf(read).map((device) => {
      const at = store.states.get(deviceKey(device))?.lastReadAt(read.target.feature);
      return at === undefined ? Number.NaN : clock.now() - at;
    });
    // A read is as old as its oldest device. A negative age: the clock was set back, so it is unknown.
    return ages.every((age) => age >= 0) ? clock.elapsedMs() - Math.max(...ages) : Number.NEGATIVE_INFINITY;
  };

  return { restore, lastReadMs };
};

/** Features that the storage lacks, each with what a document offers beyond it. */
const takeChanged = (state: DeviceState, forms: FeatureForms) =>
  [...state.features.values()].flatMap((known) => {
    if (known.isKept) return [];
    known.isKept = true;
    return [{ feature: known.truth, offered: forms.beside(state, known.truth) }];
  });

const featureOf = (record: unknown, name: string): Feature | undefined => {
  const read = parseFeature(record);
  return read.ok && read.value.name === name ? read.value : undefined;
};
