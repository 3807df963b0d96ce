import type { Feature, Json } from '../feature.ts';

/** What of a device is known now, by feature name. */
export type Features = ReadonlyMap<string, Feature>;

/** The value that a property of a feature has now. */
export const shownBy = (features: Features, name: string, property = 'value'): Json | undefined =>
  features.get(name)?.properties.get(property)?.value;

export const PARTS = ['mode', 'target', 'current', 'preset', 'action'] as const;
export type Part = (typeof PARTS)[number];

export type Limits = { readonly min?: number; readonly max?: number; readonly stepping?: number };

/** What a person means by "the heating", made of several features (docs/topics.md). */
export type Composite = {
  readonly kind: 'climate' | 'water_heater';
  /** As a feature would be called: `heating.circuits.0.climate`. */
  readonly name: string;
  /** What it is made of lies below: `heating.circuits.0`. */
  readonly scope: string;
  /** The parts that the device has, each with its value; undefined where it has none now. */
  readonly parts: ReadonlyMap<Part, string | number | undefined>;
  /** The words that `mode` and `preset` can be set to (without `none`). */
  readonly modes: readonly string[];
  readonly presets: readonly string[];
  /** What `target` can be set to, °C: the widest of the programs. */
  readonly limits: Limits;
};

/** What no record shows: the last mode that meant `auto`, and the temperature that was sent to an override which does not show it. */
export type Remembered = {
  readonly auto?: string;
  readonly override?: { readonly feature: string; readonly temperature: number };
};

/** What is remembered of a composite, by its name. */
export type Recall = (composite: string) => Remembered;
