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
export class CompositeMemory {
  readonly #store: KeyedStore;
  readonly #all: Map<string, Remembered>;

  constructor(store: KeyedStore) {
    this.#store = store;
    this.#all = new Map([...store.read()].map(([key, value]) => [key, REMEMBERED.parse(value)]));
  }

  /** `device` is the device's key. */
  recall(device: string, composite: string): Remembered {
    return this.#all.get(keyOf(device, composite)) ?? {};
  }

  /** Something was sent to an override, °C. */
  overridden(device: string, composite: string, feature: string, temperature: number): void {
    this.#keep(device, composite, { ...this.recall(device, composite), override: { feature, temperature } });
  }

  /** Learns from what is shown now: the mode that means `auto`, and that an override has ended. */
  note(device: string, composites: readonly Composite[], features: Features): void {
    for (const composite of composites) this.#learn(device, composite, features);
  }

  #learn(device: string, { kind, name, scope }: Composite, features: Features): void {
    if (kind !== 'climate') return;
    const { auto, override } = this.recall(device, name);
    const mode = features.get(modeFeature(scope))?.properties.get('value')?.value;
    const last = typeof mode === 'string' && wordOf(mode) === 'auto' ? mode : auto;
    const overriding = override && features.get(override.feature);
    const stays = override && (!overriding || isActive(overriding)) ? override : undefined;
    this.#keep(device, name, { ...(last === undefined ? {} : { auto: last }), ...(stays ? { override: stays } : {}) });
  }

  #keep(device: string, composite: string, remembered: Remembered): void {
    if (isDeepStrictEqual(this.recall(device, composite), remembered)) return;
    this.#all.set(keyOf(device, composite), remembered);
    this.#store.write(keyOf(device, composite), remembered);
  }
}

const keyOf = (device: string, composite: string): string => `${device} ${composite}`;
