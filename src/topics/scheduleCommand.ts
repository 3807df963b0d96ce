import type { Command, Feature } from '../features/feature.ts';
import { type Constraints, readConstraints } from '../schedule/constraints.ts';

/** The parameter of a command that has the type Schedule. */
export const weekParameter = (command: Command): string | undefined => [...command.params].find(([, { type }]) => type === 'Schedule')?.[0];

/** The command that writes the week of a feature, and its parameter. */
export type Scheduler = { readonly command: string; readonly param: string };

/** Undefined if no command writes the feature's week. */
export const schedulerOf = (feature: Feature): Scheduler | undefined => {
  for (const command of feature.commands.values()) {
    const param = weekParameter(command);
    if (param !== undefined) return { command: command.name, param };
  }
  return undefined;
};

/** The constraints of the feature's schedule; empty if no command writes it. */
export const constraintsOf = (feature: Feature): Constraints => {
  const scheduler = schedulerOf(feature);
  const parameter = scheduler && feature.commands.get(scheduler.command)?.params.get(scheduler.param);
  return readConstraints(parameter?.constraints ?? {});
};
