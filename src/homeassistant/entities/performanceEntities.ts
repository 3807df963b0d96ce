import { figuresOf } from '../../features/performance/counters.ts';
import type { Language } from '../../language/language.ts';
import type { OwnKey } from '../../language/names/bridge.ts';
import { performanceTopic } from '../../topics/performanceMessages.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import { ownLabel } from '../names.ts';
import { rankOf } from '../rank.ts';
import { OBJECT_ATTRIBUTES, VALUE } from '../templates.ts';
import type { Entity } from './entity.ts';

/** If there are too many entities: the one with the report like the amounts of today, another like the device's own starts. */
const RANK = rankOf('sensor', 'heating.solar.power.production', 'day');
const MINOR_RANK = rankOf('sensor', 'heating.compressors.0.statistics', 'starts');

/**
 * Performance data that the features allow: heat per electricity this month, with the month's report as
 * attributes, and starts per day. Each name contains its period. They depend only on the bridge: an offline
 * device keeps its data.
 */
export const performanceEntities = (base: string, device: string, features: Iterable<string>, language: Language): readonly Entity[] => {
  const figures = figuresOf(features);
  const report = { json_attributes_topic: performanceTopic(base, device, 'month'), json_attributes_template: OBJECT_ATTRIBUTES };
  const entity = (key: OwnKey, leaf: 'factor' | 'starts_per_day', icon: string, hasReport: boolean): Entity => ({
    ...{ key, platform: 'sensor', ...ownLabel(key, language), rank: hasReport ? RANK : MINOR_RANK },
    config: {
      ...{ entity_category: 'diagnostic', state_class: 'measurement', icon, value_template: VALUE },
      state_topic: performanceTopic(base, device, leaf),
      ...(hasReport ? report : {}),
      availability: [{ topic: bridgeTopic(base, 'state') }],
    },
  });
  return [
    ...(figures.factor ? [entity('month_factor', 'factor', 'mdi:heat-wave', true)] : []),
    ...(figures.starts ? [entity('starts_per_day', 'starts_per_day', 'mdi:restart', !figures.factor)] : []),
  ];
};
