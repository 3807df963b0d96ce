import type { Feature } from '../feature.ts';
import { isSource } from './action.ts';
import { climateOf } from './climate.ts';
import type { Composite, Features, Recall } from './composite.ts';
import { waterHeaterOf } from './waterHeater.ts';

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
