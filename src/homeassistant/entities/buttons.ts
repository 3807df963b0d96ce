import type { Command, Feature } from '../../features/feature.ts';
import { isCancelling, planningCommand } from '../../features/fields.ts';
import { commandTopic, featureTopic } from '../../topics/topicNames.ts';
import { componentKey, partKey } from '../ids.ts';
import { labelOf, scheduleLabelOf } from '../names.ts';
import { rankOf } from '../rank.ts';
import type { Config, Context, Entity, Label } from './entity.ts';

// Commands that add or remove parts of the installation get no button, whatever the settings allow.
const DESTRUCTIVE = /^(?:add|clear|delete|erase|factory|move|remove)(?![a-z])/u;
const RESET_SCHEDULE = 'resetSchedule';

const isPressed = ({ name, params }: Command): boolean =>
  !DESTRUCTIVE.test(name) &&
  // A setter without a value has no effect.
  (params.size === 0 || !/^(?:change|set)(?![a-z])/u.test(name)) &&
  [...params.values()].every(({ required }) => !required);

/** Buttons for the commands without required parameters, except those that a switch uses (`switched`). */
export const describeButtons = (context: Context, feature: Feature, switched: ReadonlySet<string>): Entity[] => [
  ...describeCommands(context, feature, switched),
  ...describeDiscard(context, feature),
];

/** A button, named by its word in topics. */
const buttonOf = ({ name, deprecated }: Feature, word: string, key: string, label: Label, config: Config): Entity => {
  const rank = rankOf('button', name, word);
  const shown = rank.shown === 'main' && !deprecated ? {} : { entity_category: 'config', enabled_by_default: false };
  return { key, platform: 'button', ...label, config: { ...shown, ...config }, rank };
};

/** A button to discard dates that wait for others, if no command of the feature cancels. */
const describeDiscard = (context: Context, feature: Feature): Entity[] => {
  const { base, device, isAllowed } = context;
  const { name } = feature;
  const planning = planningCommand(feature);
  if (planning === undefined || !isAllowed(name, planning)) return [];
  if ([...feature.commands.keys()].some((command) => isCancelling(feature, command) && isAllowed(name, command))) return [];
  const config = { command_topic: `${featureTopic(base, device, name, 'waiting')}/set`, payload_press: 'discard' };
  return [buttonOf(feature, 'waiting', partKey(name, 'waiting_discard'), labelOf(context, name, 'discard'), config)];
};

const describeCommands = (context: Context, feature: Feature, switched: ReadonlySet<string>): Entity[] =>
  [...feature.commands.values()]
    .filter((command) => isPressed(command) && !switched.has(command.name) && context.isAllowed(feature.name, command.name))
    .map(({ name }) => {
      const address = { kind: 'call', device: context.device, path: feature.name.split('.'), command: name } as const;
      const config = { command_topic: commandTopic(context.base, address), payload_press: '{}' };
      // The key `reset` predates the rule. No property is called `call`.
      return name === RESET_SCHEDULE
        ? buttonOf(feature, `call/${name}`, partKey(feature.name, 'reset'), scheduleLabelOf(context, feature.name, 'reset'), config)
        : buttonOf(feature, `call/${name}`, componentKey(`${feature.name}.call`, name), labelOf(context, feature.name, name), config);
    });
