import type { Command, Feature, Json } from './feature.ts';
import { isKnown } from './propertyCommands.ts';
import { cancelsPlans, type Writing, writingsOf } from './writings.ts';

/** True for a command that takes several texts at once and makes nothing else true: `schedule(start, end)` of a holiday. */
const takesTextsTogether = ({ params }: Command, writings: readonly Writing[]): boolean => {
  const required = [...params].filter(([, { required: isRequired }]) => isRequired);
  return (
    required.length > 1 &&
    writings.every(({ parameter }) => parameter !== undefined) &&
    required.every(([name, { type }]) => type === 'string' && writings.some((one) => one.name === name))
  );
};

/** What the commands write that take several texts at once, by command. */
const takenTogether = (feature: Feature) =>
  [...Map.groupBy(writingsOf(feature), ({ command }) => command)].filter(([command, writings]) => takesTextsTogether(command, writings));

/** The command of which values wait for each other; undefined where there is none. */
export const planningCommand = (feature: Feature): string | undefined => takenTogether(feature)[0]?.[0].name;

/**
 * The text properties of which no single one can be written before there is a value, since their command needs all of them. Each is a field
 * that people fill in: it shows what they wrote until the others follow.
 */
export const fieldsOf = (feature: Feature): readonly string[] => {
  const known = fields.get(feature.commands);
  if (known) return known;
  const found = [...new Set(takenTogether(feature).flatMap(([, writings]) => writings.map(({ property }) => property)))];
  fields.set(feature.commands, found);
  return found;
};

/** By the commands of a record, as in `writingsOf`. */
const fields = new WeakMap<Feature['commands'], readonly string[]>();

/** What a field shows: what waits for the others, else the property's value; undefined where it has none. */
export const fieldValue = (feature: Feature, property: string, waiting: Readonly<Record<string, Json>> | undefined): Json | undefined => {
  if (waiting && Object.hasOwn(waiting, property)) return waiting[property];
  const shown = feature.properties.get(property);
  return isKnown(shown) ? shown.value : undefined;
};

/** True for a command that cancels what the feature has planned: its name says so, or it makes a switch false and needs nothing for it. */
export const isCancelling = (feature: Feature, name: string): boolean => {
  const command = feature.commands.get(name);
  if (!command || [...command.params.values()].some(({ required }) => required)) return false;
  return cancelsPlans(command) || writingsOf(feature).some((one) => one.command === command && one.value === false);
};

/** True where the feature shows something that a cancelling command can end: a value among those that `planning` writes, or a switch that is on. */
export const hasPlans = (feature: Feature, planning: string): boolean =>
  [...feature.properties.values()].some(({ type, value }) => type === 'boolean' && value === true) ||
  writingsOf(feature).some(({ command, property }) => command.name === planning && isPlanned(feature, property));

const isPlanned = (feature: Feature, property: string): boolean => {
  const shown = feature.properties.get(property);
  return shown?.type !== 'boolean' && isKnown(shown);
};
