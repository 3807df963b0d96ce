import type { Command, Feature } from '../../features/feature.ts';
import { isCancelling, planningCommand } from '../../features/fields.ts';
import { commandTopic, featureTopic } from '../../topics/topicNames.ts';
import { componentKey, partKey } from '../ids.ts';
import { labelOf, scheduleLabelOf } from '../names.ts';
import { rankOf } from '../rank.ts';
import type { Context, Entity } from './entity.ts';

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

/** Discards dates that wait for others, where no command of the feature cancels. */
const describeDiscard = (context: Context, feature: Feature): Entity[] => {
  const planning = planningCommand(feature);
  if (planning === undefined || !context.isAllowed(feature.name, planning)) return [];
  if ([...feature.commands.keys()].some((name) => isCancelling(feature, name) && context.isAllowed(feature.name, name))) return [];
  const rank = rankOf('button', feature.name, 'waiting');
  return [
    {
      key: partKey(feature.name, 'waiting_discard'),
      platform: 'button',
      ...labelOf(context, feature.name, 'discard'),
      config: {
        ...(rank.shown === 'main' && !feature.deprecated ? {} : { entity_category: 'config', enabled_by_default: false }),
        command_topic: `${featureTopic(context.base, context.device, feature.name, 'waiting')}/set`,
        payload_press: 'discard',
      },
      rank,
    },
  ];
};

const describeCommands = (context: Context, feature: Feature, switched: ReadonlySet<string>): Entity[] =>
  [...feature.commands.values()]
    .filter((command) => isPressed(command) && !switched.has(command.name) && context.isAllowed(feature.name, command.name))
    .map(({ name }) => {
      const address = { kind: 'call', device: context.device, path: feature.name.split('.'), command: name } as const;
      const rank = rankOf('button', feature.name, `call/${name}`);
      return {
        // The key `reset` is older than the rule. No property is called `call`.
        key: name === RESET_SCHEDULE ? partKey(feature.name, 'reset') : componentKey(`${feature.name}.call`, name),
        platform: 'button' as const,
        ...(name === RESET_SCHEDULE ? scheduleLabelOf(context, feature.name, 'reset') : labelOf(context, feature.name, name)),
        config: {
          ...(rank.shown === 'main' && !feature.deprecated ? {} : { entity_category: 'config', enabled_by_default: false }),
          command_topic: commandTopic(context.base, address),
          payload_press: '{}',
        },
        rank,
      };
    });
