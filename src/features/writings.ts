import { impliedBy, isWriting, type Target, targetOf } from './effect.ts';
import type { Command, Feature, Json, Parameter } from './feature.ts';

/** A property that a command writes, executable now or not, and the rule that found it: with a parameter, or by its name with `value`. */
export type Writing = Target & { readonly command: Command } & (
    | { readonly name: string; readonly parameter: Parameter; readonly value?: never }
    | { readonly name?: never; readonly parameter?: never; readonly value: boolean }
  );

// It cancels what `schedule` has planned. The dates that are shown afterwards differ from device to device.
const UNSCHEDULE = 'unschedule';

/** True for the command that cancels what `schedule` has planned. */
export const cancelsPlans = ({ name }: Command): boolean => name === UNSCHEDULE;

/** What each command of the feature writes, in the order of the commands; a week has a way of its own. */
export const writingsOf = (feature: Feature): readonly Writing[] => {
  const all = known.get(feature.commands) ?? [...feature.commands.values()].flatMap((command) => writingsBy(command, feature));
  known.set(feature.commands, all);
  return all;
};

/** By the commands of a record: a pending write lies over its values, and leaves the names and types of its properties. */
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
  // With two parameters for one property it is not known which of them it will show.
  return new Set(all.map(({ property }) => property)).size === all.length ? all : [];
};

/** Sorted names of the properties that `<property>/set` takes. */
export const writableProperties = (feature: Feature): readonly string[] =>
  [...new Set(writingsOf(feature).map(({ property }) => property))].sort();

const parametersFor = (feature: Feature, property: string | undefined): readonly Parameter[] =>
  [...feature.commands.values()].flatMap((command) =>
    [...command.params].flatMap(([name, parameter]) =>
      targetOf(feature, command, name, parameter)?.property === property ? [parameter] : [],
    ),
  );

/** The texts that can be written to a property, where its command lists them. */
export const choicesOf = (feature: Feature, property: string): readonly string[] => {
  const lists = parametersFor(feature, property).map(({ constraints }) => constraints.enum);
  return lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter((choice) => typeof choice === 'string');
};

export type Limits = Readonly<Partial<Record<'min' | 'max' | 'stepping', number | undefined>>>;

const numberIn = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

/** The limits of the first number that writes a property; without `property` of the first that writes none (an override's temperature). */
export const limitsOf = (feature: Feature, property: string | undefined): Limits | undefined => {
  const parameter = parametersFor(feature, property).find(({ type, constraints }) => type === 'number' && constraints.min !== undefined);
  if (!parameter) return undefined;
  const { min, max, stepping } = parameter.constraints;
  return { min: numberIn(min), max: numberIn(max), stepping: numberIn(stepping) };
};
