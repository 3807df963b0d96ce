import type { Feature } from '../feature.ts';
import { isSource } from './action.ts';
import { climateOf } from './climate.ts';
import { waterHeaterOf } from './waterHeater.ts';

/** What of a device is known now, by feature name. */
export type Features = ReadonlyMap<string, Feature>;

export const PARTS = ['mode', 'target', 'current', 'preset', 'action'] as const;
export type Part = (typeof PARTS)[number];

export type Limits = { readonly min?: number; readonly max?: number; readonly stepping?: number };

/** What a person means by "the heating", made of several features (CONTRACT §2.3). */
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

const SCOPES = /^(heating\.circuits\.\d+|rooms\.\d+)\./u;

/** By scope what a climate is made of, so that no circuit or room is looked for among the features of all others. */
export const climateScopes = (features: Features): ReadonlyMap<string, Features> => {
  const sources = [...features].filter(([name]) => isSource(name));
  const scopes = new Map<string, Map<string, Feature>>();
  for (const [name, feature] of features) {
    const scope = SCOPES.exec(name)?.[1];
    if (scope === undefined) continue;
    const part = scopes.get(scope) ?? new Map(sources);
    scopes.set(scope, part.set(name, feature));
  }
  return scopes;
};

/** Every composite of a device. A real feature of such a name wins: then there is no composite. */
export const compositesOf = (features: Features, recall: Recall): readonly Composite[] => {
  const climates = [...climateScopes(features)].map(([scope, part]) => [climateOf(part, scope, recall), part] as const);
  return [...climates, [waterHeaterOf(features), features] as const].flatMap(([composite, part]) =>
    composite && !isTaken(part, composite.name) ? [composite] : [],
  );
};

const isTaken = (features: Features, name: string): boolean =>
  [...features].some(
    ([other, { properties, commands }]) => (other === name || other.startsWith(`${name}.`)) && properties.size + commands.size > 0,
  );
