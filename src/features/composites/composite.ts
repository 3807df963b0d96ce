import type { Feature, Json } from '../feature.ts';
import type { Limits } from '../writings.ts';

/** The features of a device, by name. */
export type Features = ReadonlyMap<string, Feature>;

/** The value that a property of a feature has now. */
export const shownBy = (features: Features, name: string, property = 'value'): Json | undefined =>
  features.get(name)?.properties.get(property)?.value;

export const PARTS = ['mode', 'target', 'current', 'preset', 'action'] as const;
export type Part = (typeof PARTS)[number];

/** A climate or water heater that is made of several features (docs/topics.md). */
export type Composite = {
  readonly kind: 'climate' | 'water_heater';
  /** As a feature would be called: `heating.circuits.0.climate`. */
  readonly name: string;
  /** The beginning of the names of its features: `heating.circuits.0`. */
  readonly scope: string;
  /** The parts that the device has, each with its value; undefined where it has none now. */
  readonly parts: ReadonlyMap<Part, string | number | undefined>;
  /** The words that `mode` and `preset` can be set to (without `none`). */
  readonly modes: readonly string[];
  readonly presets: readonly string[];
  /** What `target` can be set to, °C: the widest of the programs. */
  readonly limits: Limits;
};

/** Values that no record shows: the last mode that meant `auto`, and the temperature sent to an override that does not show it. */
export type Remembered = {
  readonly auto?: string | undefined;
  readonly override?: { readonly feature: string; readonly temperature: number } | undefined;
};

/** Gives the remembered values of a composite, by its name. */
export type Recall = (composite: string) => Remembered;
