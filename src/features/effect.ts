import type { Command, Feature, Json, Parameter } from './feature.ts';

// Commands of which a value is written; add, move, remove, reset, trigger and the like do something else with their parameters.
const WRITES = /^(?:set|change|schedule|activate|deactivate|enable|disable)(?![a-z])/u;

const SWITCHES: ReadonlyMap<string, readonly [property: string, value: boolean]> = new Map([
  ['activate', ['active', true]],
  ['deactivate', ['active', false]],
  ['enable', ['enabled', true]],
  ['disable', ['enabled', false]],
]);

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** The longest property that `setX` names at its end: setHysteresisSwitchOnValue → switchOnValue rather than value. */
const namedBySetter = (command: Command, name: string, candidates: readonly string[]): string | undefined => {
  const spoken = command.name.startsWith('set') ? command.name.slice('set'.length) : '';
  return (
    candidates
      .filter((property) => property !== '' && spoken.endsWith(capital(property)))
      // With several parameters each has to say itself which it means.
      .filter((property) => command.params.size === 1 || capital(name).endsWith(capital(property)))
      .sort((a, b) => b.length - a.length)[0]
  );
};

/** The property that a parameter writes, by the platform's habits of naming (recorded devices); undefined where none can be told. */
const targetOf = (feature: Feature, command: Command, name: string, parameter: Parameter): string | undefined => {
  const candidates = [...feature.properties].filter(([, property]) => property.type === parameter.type).map(([property]) => property);
  if (parameter.type === 'Schedule') return candidates.sort()[0];
  if (candidates.includes(name)) return name;
  const named = namedBySetter(command, name, candidates);
  if (named !== undefined) return named;
  const border = /^(min|max)(?=[A-Z])/u.exec(name)?.[1];
  if (border !== undefined && candidates.includes(border)) return border;
  return command.params.size === 1 && candidates.includes('value') ? 'value' : undefined;
};

/**
 * The properties that a command with these arguments writes, with the values they will have; undefined where no effect can be predicted
 * (an argument that writes no property of the feature, or a command that does something else).
 */
export const effectOf = (
  feature: Feature,
  command: Command,
  args: Readonly<Record<string, Json>>,
): ReadonlyMap<string, Json> | undefined => {
  if (!WRITES.test(command.name)) return undefined;
  const effect = new Map<string, Json>();
  const [property, value] = SWITCHES.get(command.name) ?? [];
  if (property !== undefined && value !== undefined && feature.properties.get(property)?.type === 'boolean') effect.set(property, value);
  for (const [name, argument] of Object.entries(args)) {
    const parameter = command.params.get(name);
    const target = parameter && targetOf(feature, command, name, parameter);
    // Two arguments for one property: nobody can tell which of them it will show.
    if (target === undefined || effect.has(target)) return undefined;
    effect.set(target, argument);
  }
  return effect.size > 0 ? effect : undefined;
};

/** Sorted names of the properties that some command of the feature writes, executable now or not. */
export const writtenProperties = (feature: Feature): readonly string[] => {
  const written = new Set<string>();
  for (const command of feature.commands.values()) {
    const names = [...command.params].filter(([, parameter]) => parameter.required).map(([name]) => name);
    const optional = [...command.params.keys()].filter((name) => !names.includes(name));
    for (const given of [names, ...optional.map((name) => [...names, name])]) {
      const effect = effectOf(feature, command, Object.fromEntries(given.map((name) => [name, null])));
      for (const property of effect?.keys() ?? []) written.add(property);
    }
  }
  return [...written].sort();
};
