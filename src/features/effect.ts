import type { Command, Feature, Json, Parameter } from './feature.ts';

// Commands that write values. add, move, remove, reset, trigger and others use their parameters differently.
const WRITES = /^(?:set|change|schedule|activate|deactivate|enable|disable)(?![a-z])/u;

const SWITCHES: ReadonlyMap<string, readonly [property: string, value: boolean]> = new Map([
  ['activate', ['active', true]],
  ['deactivate', ['active', false]],
  ['enable', ['enabled', true]],
  ['disable', ['enabled', false]],
]);

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A rule that finds the property of a parameter; `does` is its text in docs/topics.md. */
type NameRule = {
  readonly rule: string;
  readonly does: string;
  readonly find: (of: { readonly command: Command; readonly name: string; readonly candidates: readonly string[] }) => string | undefined;
};

/** The first match decides. `candidates`: properties of the parameter's type. From recorded device names. */
export const PARAMETER_RULES = [
  {
    rule: 'same name',
    does: 'a parameter writes the property of its own name',
    find: ({ name, candidates }) => candidates.find((property) => property === name),
  },
  {
    rule: 'named by the setter',
    does: 'a command `set…` writes the property that its name ends with (if it has several parameters, the name of each must end with it too)',
    find: ({ command, name, candidates }) => {
      const spoken = command.name.startsWith('set') ? command.name.slice('set'.length) : '';
      // The longest match wins: setHysteresisSwitchOnValue → switchOnValue, not value.
      return candidates
        .filter((property) => property !== '' && spoken.endsWith(capital(property)))
        .filter((property) => command.params.size === 1 || capital(name).endsWith(capital(property)))
        .sort((a, b) => b.length - a.length)[0];
    },
  },
  {
    rule: 'border',
    does: 'a parameter `min…` or `max…` writes `min` or `max`',
    find: ({ name, candidates }) => {
      const border = /^(min|max)(?=[A-Z])/u.exec(name)?.[1];
      return candidates.find((property) => property === border);
    },
  },
  {
    rule: 'value',
    does: 'the only parameter of a command writes `value`',
    find: ({ command, candidates }) => (command.params.size === 1 ? candidates.find((property) => property === 'value') : undefined),
  },
  {
    rule: 'the only one',
    does: '`setValue(value)` writes the only property of its type',
    find: ({ command, name, candidates }) =>
      command.name === 'setValue' && name === 'value' && command.params.size === 1 && candidates.length === 1 ? candidates[0] : undefined,
  },
] as const satisfies readonly NameRule[];

export type Target = { readonly property: string; readonly rule: string };

/** The property that a parameter writes, and the rule that found it; undefined if there is none. */
export const targetOf = (feature: Feature, command: Command, name: string, parameter: Parameter): Target | undefined => {
  const candidates = [...feature.properties].filter(([, property]) => property.type === parameter.type).map(([property]) => property);
  if (parameter.type === 'Schedule') {
    const [first] = candidates.sort();
    return first === undefined ? undefined : { property: first, rule: 'week' };
  }
  for (const { rule, find } of PARAMETER_RULES) {
    const property = find({ command, name, candidates });
    if (property !== undefined) return { property, rule };
  }
  return undefined;
};

/** The property that a command writes by its name: `activate` writes `active` with true. */
export const impliedBy = (feature: Feature, command: Command): { readonly property: string; readonly value: boolean } | undefined => {
  const [property, value] = SWITCHES.get(command.name) ?? [];
  if (property === undefined || value === undefined || feature.properties.get(property)?.type !== 'boolean') return undefined;
  return { property, value };
};

/** True if the command's parameters are values to write, and nothing else. */
export const isWriting = (command: Command): boolean => WRITES.test(command.name);

/**
 * The properties that a command with these arguments writes, with their new values; undefined if the effect
 * cannot be predicted (an argument writes no property, or the command does something else).
 */
export const effectOf = (
  feature: Feature,
  command: Command,
  args: Readonly<Record<string, Json>>,
): ReadonlyMap<string, Json> | undefined => {
  if (!isWriting(command)) return undefined;
  const effect = new Map<string, Json>();
  const implied = impliedBy(feature, command);
  if (implied) effect.set(implied.property, implied.value);
  for (const [name, argument] of Object.entries(args)) {
    const parameter = command.params.get(name);
    const target = parameter && targetOf(feature, command, name, parameter)?.property;
    // With two arguments for one property, the resulting value is unknown.
    if (target === undefined || effect.has(target)) return undefined;
    effect.set(target, argument);
  }
  return effect.size > 0 ? effect : undefined;
};

/** Sorted names of all properties that a command of the feature writes, even if not executable now. */
export const writtenProperties = (feature: Feature): readonly string[] => {
  if (feature.commands.size === 0) return [];
  const written = new Set<string>();
  for (const command of feature.commands.values()) {
    // The required parameters alone, and together with each other parameter.
    for (const other of [undefined, ...command.params.keys()]) {
      const given = [...command.params].filter(([name, { required }]) => required || name === other);
      const effect = effectOf(feature, command, Object.fromEntries(given.map(([name]) => [name, null])));
      for (const property of effect?.keys() ?? []) written.add(property);
    }
  }
  return [...written].sort();
};
