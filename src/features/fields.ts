import type { Command, Feature, Json } from './feature.ts';
import { isKnown } from './propertyCommands.ts';
import { cancelsPlans, type Writing, writingsOf } from './writings.ts';

/** True for a command whose required parameters are several texts: `schedule(start, end)` of a holiday. */
const takesTextsTogether = ({ params }: Command, writings: readonly Writing[]): boolean => {
  const required = [...params].filter(([, { required: isRequired }]) => isRequired);
  return (
    required.length > 1 &&
    writings.every(({ parameter }) => parameter !== undefined) &&
    required.every(([name, { type }]) => type === 'string' && writings.some((one) => one.name === name))
  );
};

/** The writings of commands that take several texts at once, by command. */
const takenTogether = (feature: Feature) =>
  [...Map.groupBy(writingsOf(feature), ({ command }) => command)].filter(([command, writings]) => takesTextsTogether(command, writings));

/** The command whose values wait for each other; undefined if there is none. */
export const planningCommand = (feature: Feature): string | undefined => takenTogether(feature)[0]?.[0].name;

/**
 * The text properties that cannot be written individually while they are empty, because their command needs
 * all of them. Each is a field for user input: it shows the input until the others follow.
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

/** The content of a field: the pending input, else the property's value; undefined if empty. */
export const fieldValue = (feature: Feature, property: string, waiting: Readonly<Record<string, Json>> | undefined): Json | undefined => {
  if (waiting && Object.hasOwn(waiting, property)) return waiting[property];
  const shown = feature.properties.get(property);
  return isKnown(shown) ? shown.value : undefined;
};

/** True for a command that cancels plans: by name, or it sets a switch to false without parameters. */
export const isCancelling = (feature: Feature, name: string): boolean => {
  const command = feature.commands.get(name);
  if (!command || [...command.params.values()].some(({ required }) => required)) return false;
  return cancelsPlans(command) || writingsOf(feature).some((one) => one.command === command && one.value === false);
};

/** True if a cancelling command has something to end: a planned value or a switch that is on. */
export const hasPlans = (feature: Feature, planning: string): boolean =>
  [...feature.properties.values()].some(({ type, value }) => type === 'boolean' && value === true) ||
  writingsOf(feature).some(({ command, property }) => command.name === planning && isPlanned(feature, property));

const isPlanned = (feature: Feature, property: string): boolean => {
  const shown = feature.properties.get(property);
  return shown?.type !== 'boolean' && isKnown(shown);
};
