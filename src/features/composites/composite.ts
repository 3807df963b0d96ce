import type { Feature, Json } from '../feature.ts';
import type { Limits } from '../writings.ts';

/** The features of a device, by name. */
export type Features = ReadonlyMap<string, Feature>;

/** The current value of a property. */
export const shownBy = (features: Features, name: string, property = 'value'): Json | undefined =>
  features.get(name)?.properties.get(property)?.value;

export const PARTS = ['mode', 'target', 'current', 'preset', 'action'] as const;
export type Part = (typeof PARTS)[number];

/** A climate or water heater that combines several features (docs/topics.md). */
export type Composite = {
  readonly kind: 'climate' | 'water_heater';
  /** In the style of a feature name: `heating.circuits.0.climate`. */
  readonly name: string;
  /** The name prefix of its features: `heating.circuits.0`. */
  readonly scope: string;
  /** The parts of the device with their values; undefined without a current value. */
  readonly parts: ReadonlyMap<Part, string | number | undefined>;
  /** The values for `mode` and `preset` (without `none`). */
  readonly modes: readonly string[];
  readonly presets: readonly string[];
  /** The limits of `target` in °C: the widest of all programs. */
  readonly limits: Limits;
};

/** Values that no record shows: the last `auto` mode, and the temperature sent to an override. */
export type Remembered = {
  readonly auto?: string | undefined;
  readonly override?: { readonly feature: string; readonly temperature: number } | undefined;
};

/** The remembered values of a composite, by its name. */
export type Recall = (composite: string) => Remembered;
