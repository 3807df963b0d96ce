import type { Feature } from '../feature.ts';
import { isForAction, isSource } from './action.ts';
import { climateOf } from './climate.ts';
import type { Composite, Features, Recall } from './composite.ts';
import { CIRCUIT_MODE, waterHeaterOf } from './waterHeater.ts';

const SCOPES = /^(heating\.circuits\.\d+|rooms\.\d+)\./u;

/** The features of each circuit and room by scope, which avoids a full search per scope. */
const climateScopes = (features: Features): ReadonlyMap<string, Features> => {
  const sources = [...features].filter(([name]) => isForAction(name));
  const scopes = new Map<string, Map<string, Feature>>();
  for (const [name, feature] of features) {
    const scope = SCOPES.exec(name)?.[1];
    if (scope === undefined) continue;
    const part = scopes.get(scope) ?? new Map(sources);
    scopes.set(scope, part.set(name, feature));
  }
  return scopes;
};

/** True for a feature that can affect a composite. */
export const isPartOfComposite = (name: string): boolean => SCOPES.test(name) || isSource(name) || /^heating\.dhw(?:\.|$)/u.test(name);

/** The same for the composite of one circuit, room or the hot water. */
export const isPartOf =
  ({ kind, scope }: Pick<Composite, 'kind' | 'scope'>) =>
  (name: string): boolean =>
    name === scope || name.startsWith(`${scope}.`) || (kind === 'climate' ? isForAction(name) : CIRCUIT_MODE.test(name));

/** All composites of a device. A feature with the same name takes precedence over the composite. */
export const compositesOf = (features: Features, recall: Recall): readonly Composite[] => {
  const climates = [...climateScopes(features)].map(([scope, part]) => [climateOf(part, scope, recall), part] as const);
  return [...climates, [waterHeaterOf(features), features] as const].flatMap(([composite, part]) =>
    composite && !isTaken(part, composite.name) ? [composite] : [],
  );
};

const isTaken = (features: Features, name: string): boolean => {
  const below = `${name}.`;
  for (const [other, { properties, commands }] of features)
    if ((other === name || other.startsWith(below)) && properties.size + commands.size > 0) return true;
  return false;
};
