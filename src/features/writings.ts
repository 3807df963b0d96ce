import { impliedBy, isWriting, type Target, targetOf } from './effect.ts';
import type { Command, Feature, Json, Parameter } from './feature.ts';

/** A property that a command can write, and the rule that found it: a parameter, or a `value` by name. */
export type Writing = Target & { readonly command: Command } & (
    | { readonly name: string; readonly parameter: Parameter; readonly value?: never }
    | { readonly name?: never; readonly parameter?: never; readonly value: boolean }
  );

// Cancels the plans of `schedule`. The dates that are shown afterwards differ between devices.
const UNSCHEDULE = 'unschedule';

/** True for the command that cancels the plans of `schedule`. */
export const cancelsPlans = ({ name }: Command): boolean => name === UNSCHEDULE;

/** What each command of the feature writes, in command order. Weeks are handled elsewhere. */
export const writingsOf = (feature: Feature): readonly Writing[] => {
  const all = known.get(feature.commands) ?? [...feature.commands.values()].flatMap((command) => writingsBy(command, feature));
  known.set(feature.commands, all);
  return all;
};

/** By the commands of a record: a pending write changes the values, but not names and types. */
const known = new WeakMap<Feature['commands'], readonly Writing[]>();

const writingsBy = (command: Command, feature: Feature): readonly Writing[] => {
  const params = [...command.params];
  if (params.some(([, { type }]) => type === 'Schedule')) return [];
  const stops = cancelsPlans(command) && feature.properties.get('active')?.type === 'boolean';
  if (!isWriting(command) && !stops) return [];
  const implied = stops ? { property: 'active', value: false } : impliedBy(feature, command);
  const all: Writing[] = implied ? [{ ...implied, command, rule: 'switch' }] : [];
  for (const [name, parameter] of params) {
    const target = targetOf(feature, command, name, parameter);
    if (target) all.push({ ...target, command, name, parameter });
  }
  // With two parameters for one property, the resulting value is unknown.
  return new Set(all.map(({ property }) => property)).size === all.length ? all : [];
};

/** Sorted names of the properties that `<property>/set` accepts. */
export const writableProperties = (feature: Feature): readonly string[] =>
  [...new Set(writingsOf(feature).map(({ property }) => property))].sort();

const parametersFor = (feature: Feature, property: string | undefined): readonly Parameter[] =>
  [...feature.commands.values()].flatMap((command) =>
    [...command.params].flatMap(([name, parameter]) =>
      targetOf(feature, command, name, parameter)?.property === property ? [parameter] : [],
    ),
  );

/** The texts that can be written to a property, if its command lists them. */
export const choicesOf = (feature: Feature, property: string): readonly string[] => {
  const lists = parametersFor(feature, property).map(({ constraints }) => constraints.enum);
  return lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter((choice) => typeof choice === 'string');
};

export type Limits = Readonly<Partial<Record<'min' | 'max' | 'stepping', number | undefined>>>;

const numberIn = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

/** The limits of the first number that writes `property`; undefined: one that writes none (override). */
export const limitsOf = (feature: Feature, property: string | undefined): Limits | undefined => {
  const parameter = parametersFor(feature, property).find(({ type, constraints }) => type === 'number' && constraints.min !== undefined);
  if (!parameter) return undefined;
  const { min, max, stepping } = parameter.constraints;
  return { min: numberIn(min), max: numberIn(max), stepping: numberIn(stepping) };
};
