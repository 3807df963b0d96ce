import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { modeFeature } from '../../features/composites/climate.ts';
import { wordOf } from '../../features/composites/climateMode.ts';
import type { Composite, Features, Remembered } from '../../features/composites/composite.ts';
import { compositesOf, isPartOfComposite } from '../../features/composites/compositesOf.ts';
import { isActive } from '../../features/composites/program.ts';
import type { Feature } from '../../features/feature.ts';
import type { KeyedStore } from '../ports.ts';
import { type DeviceState, deviceKey } from './deviceState.ts';

/** As it comes from disk: what makes no sense is left out. */
const REMEMBERED = z.catch(
  z.object({
    auto: z.catch(z.optional(z.string()), undefined),
    override: z.catch(z.optional(z.object({ feature: z.string(), temperature: z.number() })), undefined),
  }),
  {},
);

/** What composites remember over restarts: the last mode that meant `auto`, and the temperature of an override that does not show it. */
export const compositeMemory = (store: KeyedStore) => {
  const all = new Map([...store.read()].map(([key, value]) => [key, REMEMBERED.parse(value)]));

  /** `device` is the device's key. */
  const recall = (device: string, composite: string): Remembered => all.get(keyOf(device, composite)) ?? {};

  const keep = (device: string, composite: string, remembered: Remembered): void => {
    if (isDeepStrictEqual(recall(device, composite), remembered)) return;
    all.set(keyOf(device, composite), remembered);
    store.write(keyOf(device, composite), remembered);
  };

  /** Something was sent to an override, °C. */
  const overridden = (device: string, composite: string, feature: string, temperature: number): void =>
    keep(device, composite, { ...recall(device, composite), override: { feature, temperature } });

  /** Learns from what is shown now: the mode that means `auto`, and that an override has ended. */
  const note = (device: string, composites: readonly Composite[], features: Features): void => {
    for (const { name, scope } of composites.filter(({ kind }) => kind === 'climate')) {
      const { auto, override } = recall(device, name);
      const mode = features.get(modeFeature(scope))?.properties.get('value')?.value;
      const last = typeof mode === 'string' && wordOf(mode) === 'auto' ? mode : auto;
      const overriding = override && features.get(override.feature);
      const stays = override && (!overriding || isActive(overriding)) ? override : undefined;
      const remembered = { ...(last === undefined ? {} : { auto: last }), ...(stays ? { override: stays } : {}) };
      keep(device, name, remembered);
    }
  };

  return { recall, overridden, note };
};

const keyOf = (device: string, composite: string): string => `${device} ${composite}`;

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
