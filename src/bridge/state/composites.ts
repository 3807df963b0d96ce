import * as z from 'zod/mini';
import { modeFeature } from '../../features/composites/climate.ts';
import { wordOf } from '../../features/composites/climateMode.ts';
import type { Composite, Features, Remembered } from '../../features/composites/composite.ts';
import { compositesOf, isPartOfComposite } from '../../features/composites/compositesOf.ts';
import { isActive } from '../../features/composites/program.ts';
import type { Feature } from '../../features/feature.ts';
import type { KeyedStore } from '../ports.ts';
import { type DeviceState, deviceKey } from './deviceState.ts';
import { keptValues } from './keptValues.ts';

/** As stored; invalid members are left out. */
const REMEMBERED = z.catch(
  z.object({
    auto: z.catch(z.optional(z.string()), undefined),
    override: z.catch(z.optional(z.object({ feature: z.string(), temperature: z.number() })), undefined),
  }),
  {},
);

/** An accepted command, with the temperature that an override does not show. */
type Accepted = {
  readonly state: DeviceState;
  readonly shares: readonly {
    readonly write: { readonly feature: string; readonly setpoint?: { readonly composite: string; readonly celsius: number } };
  }[];
};

const keyOf = (device: string, composite: string): string => `${device} ${composite}`;

/**
 * The composites of all devices, and what is kept of them over restarts: the last mode that meant `auto`, and
 * the temperature of an override that does not show it.
 */
export const makeComposites = (store: KeyedStore) => {
  const memory = keptValues(store, REMEMBERED);

  /** `device` is the device's key. */
  const recall = (device: string, composite: string): Remembered => memory.all.get(keyOf(device, composite)) ?? {};

  /** The composites of a device, by its features as shown now. */
  const of = (state: DeviceState, features: Features = shownFeatures(state)): readonly Composite[] =>
    compositesOf(features, (composite) => recall(deviceKey(state.device), composite));

  /** Learns the mode that means `auto`, and the end of an override. `changed`: features with other values. */
  const learn = (state: DeviceState, changed: readonly string[]): void => {
    if (!changed.some(isPartOfComposite)) return;
    const features = shownFeatures(state);
    const device = deviceKey(state.device);
    for (const { name, scope } of of(state, features).filter(({ kind }) => kind === 'climate')) {
      const { auto, override } = recall(device, name);
      const mode = features.get(modeFeature(scope))?.properties.get('value')?.value;
      const last = typeof mode === 'string' && wordOf(mode) === 'auto' ? mode : auto;
      const overriding = override && features.get(override.feature);
      const stays = override && (!overriding || isActive(overriding)) ? override : undefined;
      memory.put(keyOf(device, name), { ...(last === undefined ? {} : { auto: last }), ...(stays ? { override: stays } : {}) });
    }
  };

  /** Remembers the temperature of an override that does not show it, °C. */
  const accepted = ({ state, shares }: Accepted): void => {
    const device = deviceKey(state.device);
    for (const { write } of shares) {
      const { feature, setpoint } = write;
      if (!setpoint) continue;
      const { composite, celsius: temperature } = setpoint;
      memory.put(keyOf(device, composite), { ...recall(device, composite), override: { feature, temperature } });
    }
  };

  return { recall, of, learn, accepted };
};

export type Composites = ReturnType<typeof makeComposites>;

/** All features of the device, with accepted pending values. */
export const shownFeatures = (state: DeviceState): Features => {
  const features = new Map<string, Feature>();
  for (const name of state.features.keys()) {
    const feature = state.shown(name);
    if (feature) features.set(name, feature);
  }
  return features;
};
