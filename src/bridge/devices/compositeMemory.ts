import { isDeepStrictEqual } from 'node:util';
import { modeFeature } from '../../features/composites/climate.ts';
import { wordOf } from '../../features/composites/climateMode.ts';
import type { Composite, Features, Remembered } from '../../features/composites/composite.ts';
import { isActive } from '../../features/composites/program.ts';
import { isRecord } from '../../shared/json.ts';
import type { CompositeStore } from '../ports.ts';

/** What composites remember over restarts: the last mode that meant `auto`, and the temperature of an override that does not show it. */
export class CompositeMemory {
  readonly #store: CompositeStore;
  readonly #all: Map<string, Remembered>;

  constructor(store: CompositeStore) {
    this.#store = store;
    this.#all = new Map(readAll(store.read()));
  }

  /** `device` is the device's key. */
  recall(device: string, composite: string): Remembered {
    return this.#all.get(keyOf(device, composite)) ?? {};
  }

  /** Something was sent to an override, °C. */
  overridden(device: string, composite: string, feature: string, temperature: number): void {
    if (this.#keep(device, composite, { ...this.recall(device, composite), override: { feature, temperature } })) this.#write();
  }

  /** Learns from what is shown now: the mode that means `auto`, and that an override has ended. */
  note(device: string, composites: readonly Composite[], features: Features): void {
    const changed = composites.map((composite) => this.#learn(device, composite, features));
    if (changed.includes(true)) this.#write();
  }

  /** True where that is something new. */
  #learn(device: string, { kind, name, scope }: Composite, features: Features): boolean {
    if (kind !== 'climate') return false;
    const { auto, override } = this.recall(device, name);
    const mode = features.get(modeFeature(scope))?.properties.get('value')?.value;
    const last = typeof mode === 'string' && wordOf(mode) === 'auto' ? mode : auto;
    const overriding = override && features.get(override.feature);
    const stays = override && (!overriding || isActive(overriding)) ? override : undefined;
    return this.#keep(device, name, { ...(last === undefined ? {} : { auto: last }), ...(stays ? { override: stays } : {}) });
  }

  #keep(device: string, composite: string, remembered: Remembered): boolean {
    if (isDeepStrictEqual(this.recall(device, composite), remembered)) return false;
    this.#all.set(keyOf(device, composite), remembered);
    return true;
  }

  #write(): void {
    this.#store.write({ composites: Object.fromEntries(this.#all) });
  }
}

const keyOf = (device: string, composite: string): string => `${device} ${composite}`;

const readAll = (kept: unknown): readonly (readonly [string, Remembered])[] => {
  const all = isRecord(kept) && isRecord(kept.composites) ? Object.entries(kept.composites) : [];
  return all.map(([key, value]) => [key, readOne(value)] as const);
};

const readOne = (value: unknown): Remembered => {
  if (!isRecord(value)) return {};
  const { auto, override } = value;
  const { feature, temperature }: Readonly<Record<string, unknown>> = isRecord(override) ? override : {};
  return {
    ...(typeof auto === 'string' ? { auto } : {}),
    ...(typeof feature === 'string' && typeof temperature === 'number' ? { override: { feature, temperature } } : {}),
  };
};
