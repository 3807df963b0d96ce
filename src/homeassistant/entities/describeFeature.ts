import type { Feature, Property } from '../../features/feature.ts';
import { fieldsOf } from '../../features/fields.ts';
import type { Writing } from '../../features/writings.ts';
import { schedulePropertyOf } from '../../topics/featureState.ts';
import { fieldTopicOf, propertyTopic, RESERVED } from '../../topics/topicNames.ts';
import { iconOf } from '../icons.ts';
import { componentKey } from '../ids.ts';
import { labelOf } from '../names.ts';
import { rankOf } from '../rank.ts';
import { type Shape, shapeOf } from '../shape.ts';
import { FIELD, NEWEST, OBJECT_ATTRIBUTES } from '../templates.ts';
import { describeButtons } from './buttons.ts';
import { controlOf } from './controls.ts';
import type { Config, Context, Entity, EntityPlatform, Rank } from './entity.ts';
import { describeTotal } from './runningTotal.ts';
import { describeSchedule } from './schedules.ts';
import { attributes, isPump, rankConfig, stateConfig } from './sensors.ts';
import { allowedWritings } from './writings.ts';

const rankIn = (shape: Shape, platform: EntityPlatform, feature: Feature, name: string): Rank => {
  const rank = rankOf(platform, feature.name, name);
  if (shape === 'object' || feature.deprecated) return { ...rank, shown: 'hidden' };
  return shape === 'schedule' ? { ...rank, shown: 'main' } : rank;
};

// Machines that run automatically: recorded devices list `setActive` and `setPhase` but never accept them.
const AUTOMATIC = /^heating\.(?:burners|compressors)\.\d+$/;

/** The state source of a control. A field shows its pending value, with the missing ones as attributes. */
const stateOf = (feature: Feature, name: string, platform: Entity['platform'], topic: string): Config =>
  platform === 'text' && fieldsOf(feature).includes(name)
    ? {
        state_topic: fieldTopicOf(topic),
        value_template: FIELD,
        json_attributes_topic: `${topic.slice(0, topic.lastIndexOf('/'))}/waiting`,
        json_attributes_template: OBJECT_ATTRIBUTES,
      }
    : { state_topic: topic };

/** The properties that hold only the newest value of a list. */
const NEWEST_OF: ReadonlyMap<string, string> = new Map([
  ['day', 'currentDay'],
  ['week', 'currentWeek'],
  ['month', 'currentMonth'],
  ['year', 'currentYear'],
]);

/** The entity of a property: a control if a command writes it, else a sensor. */
const describeProperty = (context: Context, feature: Feature, name: string, property: Property, writings: readonly Writing[]): Entity => {
  const { base, device } = context;
  const shape = shapeOf(property);
  const topic = propertyTopic(base, device, feature.name, name);
  const control = AUTOMATIC.test(feature.name) ? undefined : controlOf(shape, feature, name, property, writings, context.language);
  const isOnOff = shape === 'boolean' || isPump(shape, feature.name, name);
  const platform = control?.platform ?? (isOnOff ? 'binary_sensor' : 'sensor');
  const rank = rankIn(shape, platform, feature, name);
  const config: Config = control
    ? {
        ...rankConfig(rank.shown, 'config'),
        ...control.config,
        ...stateOf(feature, name, control.platform, topic),
        command_topic: `${topic}/set`,
      }
    : {
        ...rankConfig(rank.shown, 'diagnostic'),
        ...stateConfig(shape, feature, name, property, context.language),
        state_topic: topic,
        ...attributes(shape, topic),
      };
  const newest = config.value_template === NEWEST ? NEWEST_OF.get(name) : undefined;
  const icon = config.icon || config.device_class ? undefined : iconOf(platform, feature.name, name);
  return {
    key: componentKey(feature.name, name),
    platform,
    ...labelOf(context, feature.name, name),
    config: icon === undefined ? config : { ...config, icon },
    rank,
    ...(newest === undefined ? {} : { newest: labelOf(context, feature.name, newest) }),
  };
};

/**
 * The entities of a feature: one for each property with a topic (even without a value), as a control if a
 * command writes it; those of its schedule; a button for each command without required parameters. For equal
 * keys, the first wins.
 */
export const describeFeature = (context: Context, feature: Feature): Entity[] => {
  if (!feature.isEnabled) return [];
  const writings = allowedWritings(feature, context);
  const week = schedulePropertyOf(feature);
  const shown = [...feature.properties].filter(([name]) => !RESERVED.has(name) && name !== week);
  const properties = shown.map(([name, property]) => describeProperty(context, feature, name, property, writings.get(name) ?? []));
  const switches = new Set(properties.filter(({ platform }) => platform === 'switch').map(({ key }) => key));
  const switched = [...writings].filter(([name]) => switches.has(componentKey(feature.name, name)));
  const commands = new Set(switched.flatMap(([, ways]) => ways.map(({ command }) => command.name)));
  return [
    ...properties,
    ...(week === undefined ? [] : describeSchedule(context, feature)),
    ...describeTotal(context, feature),
    ...describeButtons(context, feature, commands),
  ];
};
