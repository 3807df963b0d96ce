import { isDeepStrictEqual } from 'node:util';
import { checkArguments } from './command.ts';
import { WATER_TARGET } from './composites/waterHeater.ts';
import { isDateParameter } from './dateRules.ts';
import type { Target } from './effect.ts';
import type { Command, Feature, Json, Property } from './feature.ts';
import { nearestStep } from './valueRules.ts';
import { type Writing, writingsOf } from './writings.ts';

/** A command with the arguments for a write. */
export type Written = {
  readonly command: Command;
  readonly args: Readonly<Record<string, Json>>;
  /** The resulting property values. */
  readonly effect: ReadonlyMap<string, Json>;
  /** The property of each parameter. */
  readonly sources: ReadonlyMap<string, string>;
  /** Required parameters without a known current value. */
  readonly missing: readonly string[];
  /** The properties of `missing`; undefined if one of them writes no property. */
  readonly missingProperties: readonly string[] | undefined;
  /** Required parameters that were not given, filled with current values or defaults. */
  readonly filled: readonly string[];
  /** The requested temperatures that were rounded to a step. */
  readonly rounded: ReadonlyMap<string, number>;
};

/** True if the written value is a calendar day (YYYY-MM-DD). */
export const isDateProperty = (feature: Feature, property: string): boolean =>
  writingsOf(feature).some((one) => one.property === property && isDateParameter(one.parameter));

const TOLERANCE = 1e-6;

/** True for equal values; numbers with the tolerance of steps. */
export const isSame = (a: Json | undefined, b: Json): boolean =>
  typeof a === 'number' && typeof b === 'number' ? Math.abs(a - b) <= TOLERANCE : isDeepStrictEqual(a, b);

// Some devices show this date instead of none.
const NO_DATE = '2000-01-01';

/** True if there is a value; some devices show an old date instead of none. */
export const isKnown = (property: Property | undefined): property is Property & { readonly value: Json } =>
  property?.value !== undefined && property.value !== null && property.value !== '' && property.value !== NO_DATE;

/** The default property for a required parameter that is not given and writes no property. */
export const fallbackFor = (parameter: string): string => `default${parameter.charAt(0).toUpperCase()}${parameter.slice(1)}`;

/** The value for a missing required parameter: from its property, else from the shown default. */
export const filling = (feature: Feature, name: string, target: Pick<Target, 'property'> | undefined): Json | undefined => {
  const names = [...(target ? [target.property] : []), fallbackFor(name)];
  return names.map((property) => feature.properties.get(property)).find(isKnown)?.value;
};

/** True for a temperature in °C: by the parameter's name or the unit (in old records beside the value). */
const isTemperature = (feature: Feature, property: string, parameter: string): boolean => {
  if (/temperature$/iu.test(parameter)) return true;
  const shown = feature.properties.get(property);
  const beside = feature.properties.get('unit')?.value;
  return (shown?.unit ?? (typeof beside === 'string' ? beside : '')).toLowerCase() === 'celsius';
};

/** The command with arguments, if it writes all differences and changes nothing else. */
const planned = (
  feature: Feature,
  command: Command,
  writings: readonly Writing[],
  wanted: ReadonlyMap<string, Json>,
): Written | undefined => {
  const present = (property: string): Json | undefined => feature.properties.get(property)?.value;
  const [effect, sources, rounded] = [new Map<string, Json>(), new Map<string, string>(), new Map<string, number>()];
  const args: Record<string, Json> = {};
  const missing: string[] = [];
  const filled: string[] = [];
  for (const { property, value } of writings) {
    if (value === undefined) continue;
    const asked = wanted.has(property) ? wanted.get(property) : present(property);
    if (asked !== value) return undefined;
    effect.set(property, value);
  }
  for (const [name, parameter] of command.params) {
    const target = writings.find((one) => one.name === name);
    const asked = target && wanted.get(target.property);
    const value = asked === undefined ? (parameter.required ? filling(feature, name, target) : undefined) : asked;
    if (value === undefined) {
      if (parameter.required) missing.push(name);
      continue;
    }
    if (asked === undefined) filled.push(name);
    const now = target && present(target.property);
    const kept = now !== undefined && isSame(now, value) ? now : value;
    const rounds = asked !== undefined && kept !== now && typeof kept === 'number' && isTemperature(feature, target?.property ?? '', name);
    // Hubs know the step of other features. An automation that sends half a step always gets the same step.
    const from = feature.name === WATER_TARGET ? now : undefined;
    args[name] = rounds ? nearestStep(parameter.constraints, kept, from) : kept;
    if (!target) continue;
    if (rounds && args[name] !== kept) rounded.set(target.property, kept);
    sources.set(name, target.property);
    effect.set(target.property, args[name]);
  }
  const covers = [...wanted].every(([property, value]) => effect.has(property) || isSame(present(property), value));
  return covers && [...effect.keys()].some((property) => wanted.has(property))
    ? { command, args, effect, sources, missing, missingProperties: propertiesOf(writings, missing), filled, rounded }
    : undefined;
};

const propertiesOf = (writings: readonly Writing[], parameters: readonly string[]): readonly string[] | undefined => {
  const properties = parameters.map((name) => writings.find((one) => one.name === name)?.property);
  return properties.every((property) => property !== undefined) ? properties : undefined;
};

/** Of several commands, the lowest rank in the first differing row wins. */
export const PREFERENCES: readonly { readonly means: string; readonly rank: (written: Written) => number }[] = [
  { means: 'one that can be executed now', rank: ({ command }) => Number(!command.isExecutable) },
  { means: 'one whose required parameters are all known', rank: ({ missing }) => missing.length },
  {
    means: 'one that allows the value',
    rank: ({ command, args, missing }) => (missing.length > 0 ? 0 : checkArguments(command, args).length),
  },
  { means: 'the one with the fewest parameters', rank: ({ args }) => Object.keys(args).length },
];

const byPreference = (a: Written, b: Written): number => {
  for (const { rank } of PREFERENCES) {
    const difference = rank(a) - rank(b);
    if (difference !== 0) return difference;
  }
  return a.command.name < b.command.name ? -1 : 1;
};

/** The command that writes these values at once, or one sentence why there is none. */
export const chooseCommand = (feature: Feature, wanted: ReadonlyMap<string, Json>): Written | string => {
  const writings = writingsOf(feature);
  const byCommand = Map.groupBy(writings, ({ command }) => command);
  const [best] = [...byCommand].flatMap(([command, those]) => planned(feature, command, those, wanted) ?? []).sort(byPreference);
  return best ?? whyNone(feature, writings, wanted);
};

const whyNone = (feature: Feature, writings: readonly Writing[], wanted: ReadonlyMap<string, Json>): string => {
  const differing = [...wanted].filter(([property, value]) => !isSame(feature.properties.get(property)?.value, value));
  const names = (differing.length > 0 ? differing : [...wanted]).map(([property]) => property);
  const [property, value] = differing[0] ?? [...wanted][0] ?? [];
  const unable = names.filter((name) => !writings.some((one) => one.property === name));
  if (unable.length > 0) return `no command of ${feature.name} writes ${unable.join(', ')}`;
  if (names.length > 1) return `no command of ${feature.name} writes ${names.join(' and ')} together; write them one after the other`;
  const only = writings.find((one) => one.property === property)?.command;
  const implied = writings.find(({ command, value: fixed }) => command === only && fixed !== undefined);
  if (implied?.property === property) return `${property} can only be set to ${implied?.value} here, not to ${value}`;
  return `only ${only?.name} writes ${property}, and it would also set ${implied?.property} to ${implied?.value}; use call/${only?.name}`;
};
