import type { Command, Feature } from '../../features/feature.ts';
import { commandTopic } from '../../topics/topicNames.ts';
import { componentKey, partKey } from '../ids.ts';
import { labelOf } from '../names.ts';
import type { Context, Entity } from './entity.ts';

// What adds or takes away parts of the installation is no button, whatever the settings allow.
const DESTRUCTIVE = /^(?:add|clear|delete|erase|factory|move|remove)(?![a-z])/u;
const RESET_SCHEDULE = 'resetSchedule';

const isPressed = ({ name, params }: Command): boolean =>
  !DESTRUCTIVE.test(name) &&
  // A setter without its value would set nothing.
  (params.size === 0 || !/^(?:change|set)(?![a-z])/u.test(name)) &&
  [...params.values()].every(({ required }) => !required);

/** Buttons for the commands that need nothing said with them and that no switch stands for (`switched`). */
export const describeButtons = (context: Context, feature: Feature, switched: ReadonlySet<string>): Entity[] =>
  [...feature.commands.values()]
    .filter((command) => isPressed(command) && !switched.has(command.name) && context.isAllowed(feature.name, command.name))
    .map(({ name }) => {
      const address = { kind: 'call', device: context.device, path: feature.name.split('.'), command: name } as const;
      return {
        // `reset` is older than the rule; a property is never called `call`.
        key: name === RESET_SCHEDULE ? partKey(feature.name, 'reset') : componentKey(`${feature.name}.call`, name),
        platform: 'button' as const,
        ...labelOf(feature.name, name === RESET_SCHEDULE ? 'reset' : name, context.named),
        config: {
          entity_category: 'config',
          ...(name === RESET_SCHEDULE || feature.deprecated ? { enabled_by_default: false } : {}),
          command_topic: commandTopic(context.base, address),
          payload_press: '{}',
        },
      };
    });
