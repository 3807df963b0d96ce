import type { Composite, Features } from '../../features/composites/composite.ts';
import { compositesOf, isPartOfComposite } from '../../features/composites/compositesOf.ts';
import type { Feature } from '../../features/feature.ts';
import type { KeyedStore } from '../ports.ts';
import { compositeMemory } from './compositeMemory.ts';
import { type DeviceState, deviceKey } from './deviceState.ts';

/** A command that the platform has accepted, with the temperature that an override does not show. */
type Accepted = {
  readonly state: DeviceState;
  readonly shares: readonly {
    readonly write: { readonly feature: string; readonly setpoint?: { readonly composite: string; readonly celsius: number } };
  }[];
};

/** The composites of all devices, and what is remembered of them. */
export const makeComposites = (store: KeyedStore) => {
  const memory = compositeMemory(store);

  /** Every composite of a device, as its features are shown now. */
  const of = (state: DeviceState, features: Features = shownFeatures(state)): readonly Composite[] =>
    compositesOf(features, (composite) => memory.recall(deviceKey(state.device), composite));

  /** The memory learns from what is shown of the device now; `changed` are the features that may show something else than before. */
  const learn = (state: DeviceState, changed: readonly string[]): void => {
    if (!changed.some(isPartOfComposite)) return;
    const features = shownFeatures(state);
    memory.note(deviceKey(state.device), of(state, features), features);
  };

  /** Remembers the temperature of an override that does not show it. */
  const accepted = ({ state, shares }: Accepted): void => {
    for (const { write } of shares) {
      const { feature, setpoint } = write;
      if (setpoint) memory.overridden(deviceKey(state.device), setpoint.composite, feature, setpoint.celsius);
    }
  };

  return { memory, of, learn, accepted };
};

export type Composites = ReturnType<typeof makeComposites>;

/** All features of the device, with the accepted pending values in them. */
export const shownFeatures = (state: DeviceState): Features => {
  const features = new Map<string, Feature>();
  for (const name of state.features.keys()) {
    const feature = state.shown(name);
    if (feature) features.set(name, feature);
  }
  return features;
};
