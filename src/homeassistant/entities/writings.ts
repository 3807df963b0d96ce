import { impliedBy, targetOf } from '../../features/effect.ts';
import type { Command, Feature, Json, Parameter } from '../../features/feature.ts';
import { writersTable } from '../../features/propertyCommands.ts';
import type { Context } from './entity.ts';

/** One way to write a property: by a parameter, or by the command alone, which then writes `value`. */
export type Writing =
  | { readonly by: 'parameter'; readonly command: Command; readonly parameter: Parameter }
  | { readonly by: 'name'; readonly command: Command; readonly value: boolean };

/** True where the other required parameters can be filled from what the feature shows; else the write would be refused every time. */
const canBeFilled = (feature: Feature, command: Command): boolean =>
  [...command.params].every(([name, parameter]) => {
    const fallback = `default${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    return !parameter.required || targetOf(feature, command, name, parameter) !== undefined || feature.properties.has(fallback);
  });

const writingOf = (feature: Feature, property: string, command: Command): Writing | undefined => {
  for (const [name, parameter] of command.params) {
    if (targetOf(feature, command, name, parameter)?.property === property) return { by: 'parameter', command, parameter };
  }
  // Whatever writes by its name and is no switch on takes back: `unschedule`.
  return { by: 'name', command, value: impliedBy(feature, command)?.value ?? false };
};

/** By property, the ways to write it that the settings allow, executable now or not. */
export const writingsOf = (feature: Feature, { isAllowed }: Pick<Context, 'isAllowed'>): ReadonlyMap<string, readonly Writing[]> => {
  const all = new Map<string, Writing[]>();
  if (feature.commands.size === 0) return all;
  for (const { property, command } of writersTable(feature)) {
    if (!isAllowed(feature.name, command.name) || !canBeFilled(feature, command)) continue;
    const writing = writingOf(feature, property, command);
    if (writing) all.set(property, [...(all.get(property) ?? []), writing]);
  }
  return all;
};

// Home Assistant keeps states of up to 255 characters, and an empty one says nothing.
const isChoice = (choice: string): boolean => choice !== '' && choice.length <= 255;

const listOf = ({ constraints }: Parameter): readonly Json[] => (Array.isArray(constraints.enum) ? constraints.enum : []);

/** The values that a parameter lists, as texts and in its order; empty where it lists none. */
const choicesOfAll = (parameters: readonly Parameter[]): readonly string[] => {
  if (parameters.some((parameter) => listOf(parameter).length === 0)) return [];
  const all = parameters.flatMap(listOf).filter((one) => typeof one === 'string' || typeof one === 'number');
  return [...new Set(all.map(String))].filter(isChoice);
};

/** All values that can be written to a property, as texts; empty where no list of them is known. */
export const writtenChoices = (writings: readonly Writing[]): readonly string[] =>
  choicesOfAll(writings.flatMap((one) => (one.by === 'parameter' ? [one.parameter] : [])));

/** All texts that a property can have, by the lists of whatever command writes it, allowed or not. */
export const knownChoices = (feature: Feature, property: string): readonly string[] =>
  feature.commands.size === 0 ? [] : writtenChoices(writingsOf(feature, { isAllowed: () => true }).get(property) ?? []);
