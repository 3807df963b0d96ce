import type { Command, Feature, Json, Parameter } from '../../features/feature.ts';
import { fallbackFor } from '../../features/propertyCommands.ts';
import { type Writing, writingsOf } from '../../features/writings.ts';
import { type Context, LONGEST_STATE } from './entity.ts';

/** The allowed commands by property. Commands with an unknown required parameter always fail: left out. */
export const allowedWritings = (feature: Feature, { isAllowed }: Pick<Context, 'isAllowed'>): ReadonlyMap<string, readonly Writing[]> => {
  const all = writingsOf(feature);
  const canBeFilled = ({ params }: Command): boolean =>
    [...params].every(
      ([name, parameter]) =>
        !parameter.required || all.some((one) => one.parameter === parameter) || feature.properties.has(fallbackFor(name)),
    );
  const allowed = all.filter(({ command }) => isAllowed(feature.name, command.name) && canBeFilled(command));
  return Map.groupBy(allowed, ({ property }) => property);
};

// An empty text cannot be an option.
const isChoice = (choice: string): boolean => choice !== '' && choice.length <= LONGEST_STATE;

const listOf = ({ constraints }: Parameter): readonly Json[] => (Array.isArray(constraints.enum) ? constraints.enum : []);

/** The values listed by the parameters, as texts in order; empty if a parameter lists none. */
const choicesOfAll = (parameters: readonly Parameter[]): readonly string[] => {
  if (parameters.some((parameter) => listOf(parameter).length === 0)) return [];
  const all = parameters.flatMap(listOf).filter((one) => typeof one === 'string' || typeof one === 'number');
  return [...new Set(all.map(String))].filter(isChoice);
};

/** All values that can be written to a property, as texts; empty if they are not listed. */
export const writtenChoices = (writings: readonly Writing[]): readonly string[] =>
  choicesOfAll(writings.flatMap(({ parameter }) => parameter ?? []));

/** All known texts of a property, from the commands that write it, allowed or not. */
export const knownChoices = (feature: Feature, property: string): readonly string[] =>
  writtenChoices(allowedWritings(feature, { isAllowed: () => true }).get(property) ?? []);
