import { impliedBy, targetOf } from '../../features/effect.ts';
import type { Command, Feature, Json, Parameter } from '../../features/feature.ts';
import { writersTable } from '../../features/propertyCommands.ts';
import type { Context } from './entity.ts';

/** One way to write a property: a parameter, or the name of the command, which writes `value` (`activate`). */
export type Writing =
  | { readonly kind: 'parameter'; readonly command: Command; readonly parameter: Parameter }
  | { readonly kind: 'name'; readonly command: Command; readonly value: boolean };

/** True if every other required parameter can be filled from the feature's properties. Otherwise every write would be rejected. */
const canBeFilled = (feature: Feature, command: Command): boolean =>
  [...command.params].every(([name, parameter]) => {
    const fallback = `default${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    return !parameter.required || targetOf(feature, command, name, parameter) !== undefined || feature.properties.has(fallback);
  });

const writingOf = (feature: Feature, property: string, command: Command): Writing | undefined => {
  for (const [name, parameter] of command.params) {
    if (targetOf(feature, command, name, parameter)?.property === property) return { kind: 'parameter', command, parameter };
  }
  // A command that writes by its name and does not switch on switches off: `unschedule`.
  return { kind: 'name', command, value: impliedBy(feature, command)?.value ?? false };
};

/** The allowed ways to write each property, by property, whether executable now or not. */
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

// Home Assistant accepts states of up to 255 characters; an empty one is no option.
const isChoice = (choice: string): boolean => choice !== '' && choice.length <= 255;

const listOf = ({ constraints }: Parameter): readonly Json[] => (Array.isArray(constraints.enum) ? constraints.enum : []);

/** The values that the parameters list, as texts in their order; empty if one of them lists none. */
const choicesOfAll = (parameters: readonly Parameter[]): readonly string[] => {
  if (parameters.some((parameter) => listOf(parameter).length === 0)) return [];
  const all = parameters.flatMap(listOf).filter((one) => typeof one === 'string' || typeof one === 'number');
  return [...new Set(all.map(String))].filter(isChoice);
};

/** All values that can be written to a property, as texts; empty if they are not listed. */
export const writtenChoices = (writings: readonly Writing[]): readonly string[] =>
  choicesOfAll(writings.flatMap((one) => (one.kind === 'parameter' ? [one.parameter] : [])));

/** All texts that a property can have, from the commands that write it, allowed or not. */
export const knownChoices = (feature: Feature, property: string): readonly string[] =>
  feature.commands.size === 0 ? [] : writtenChoices(writingsOf(feature, { isAllowed: () => true }).get(property) ?? []);
