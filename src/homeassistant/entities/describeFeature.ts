import type { Feature, Property } from '../../features/feature.ts';
import type { Writing } from '../../features/propertyCommands.ts';
import { schedulePropertyOf } from '../../topics/featureState.ts';
import { propertyTopic, RESERVED } from '../../topics/topicNames.ts';
import { iconOf } from '../icons.ts';
import { componentKey } from '../ids.ts';
import { labelOf } from '../names.ts';
import { type Rank, rankOf } from '../rank.ts';
import { type Shape, shapeOf } from '../shape.ts';
import { describeButtons } from './buttons.ts';
import { controlOf } from './controls.ts';
import type { Context, Entity } from './entity.ts';
import { describeSchedule } from './schedules.ts';
import { attributes, RANK_CONFIG, stateConfig } from './sensors.ts';
import { allowedWritings, knownChoices } from './writings.ts';

const rankIn = (shape: Shape, feature: Feature, name: string): Rank => {
  if (shape === 'object' || feature.deprecated) return 'hidden';
  return shape === 'schedule' ? 'main' : rankOf(feature.name, name);
};

// Machines that run automatically: recorded ones list `setActive` and `setPhase`, but never accept them.
const AUTOMATIC = /^heating\.(?:burners|compressors)\.\d+$/;

/** The entity of a property that can only be shown. */
const shownOnly = ({ base, device }: Context, feature: Feature, name: string, property: Property): Pick<Entity, 'platform' | 'config'> => {
  const shape = shapeOf(property);
  const topic = propertyTopic(base, device, feature.name, name);
  return {
    platform: shape === 'boolean' ? 'binary_sensor' : 'sensor',
    config: {
      ...RANK_CONFIG[rankIn(shape, feature, name)],
      ...stateConfig(shape, feature, name, property, shape === 'text' ? knownChoices(feature, name) : []),
      state_topic: topic,
      ...attributes(shape, topic),
    },
  };
};

const describeProperty = (
  context: Context,
  feature: Feature,
  name: string,
  property: Property,
  writings: readonly Writing[] | undefined,
): Entity => {
  const ways = AUTOMATIC.test(feature.name) ? [] : (writings ?? []);
  const made = controlOf(context, feature, name, property, ways) ?? shownOnly(context, feature, name, property);
  const hasIcon = made.config.icon !== undefined || made.config.device_class !== undefined;
  const icon = hasIcon ? undefined : iconOf(made.platform, feature.name, name);
  return {
    key: componentKey(feature.name, name),
    platform: made.platform,
    ...labelOf(feature.name, name, context.named),
    config: icon === undefined ? made.config : { ...made.config, icon },
  };
};

/**
 * The entities of a feature: one for each property with a topic, also without a current value, as a control if a command writes it; those
 * of its schedule; and a button for each command without required parameters. If two have the same key, the first wins.
 */
export const describeFeature = (context: Context, feature: Feature): Entity[] => {
  if (!feature.isEnabled) return [];
  const writings = allowedWritings(feature, context);
  const hasWeek = [...feature.properties.values()].some(({ type }) => type === 'Schedule');
  const week = hasWeek ? schedulePropertyOf(feature) : undefined;
  const shown = [...feature.properties].filter(([name]) => !RESERVED.has(name) && name !== week);
  const properties = shown.map(([name, property]) => describeProperty(context, feature, name, property, writings.get(name)));
  const switches = new Set(properties.filter(({ platform }) => platform === 'switch').map(({ key }) => key));
  const switched = [...writings].filter(([name]) => switches.has(componentKey(feature.name, name)));
  const commands = new Set(switched.flatMap(([, ways]) => ways.map(({ command }) => command.name)));
  return [...properties, ...(week === undefined ? [] : describeSchedule(context, feature)), ...describeButtons(context, feature, commands)];
};
