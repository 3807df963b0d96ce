import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { modeFeature } from '../../features/composites/climate.ts';
import { wordOf } from '../../features/composites/climateMode.ts';
import type { Composite, Features, Remembered } from '../../features/composites/composite.ts';
import { isActive } from '../../features/composites/program.ts';
import type { KeyedStore } from '../ports.ts';

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

export type CompositeMemory = ReturnType<typeof compositeMemory>;

const keyOf = (device: string, composite: string): string => `${device} ${composite}`;
