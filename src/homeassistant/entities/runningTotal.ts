import { amountName, amountUnit } from '../../features/energy/periods.ts';
import type { Feature } from '../../features/feature.ts';
import { featureTopic, RUNNING_TOTAL } from '../../topics/topicNames.ts';
import { partKey } from '../ids.ts';
import { labelOf } from '../names.ts';
import { rankOf } from '../rank.ts';
import * as template from '../templates.ts';
import { measure } from '../units.ts';
import type { Context, Entity } from './entity.ts';
import { rankConfig } from './sensors.ts';

/** The energy dashboard sensor of an energy or gas counter. Lists and summaries of one amount share a key. */
export const describeTotal = (context: Context, feature: Feature): Entity[] => {
  const unit = amountUnit(feature);
  if (unit === undefined) return [];
  const amount = amountName(feature.name);
  const rank = { ...rankOf('sensor', amount, RUNNING_TOTAL), ...(feature.deprecated ? { shown: 'hidden' as const } : {}) };
  return [
    {
      key: partKey(amount, RUNNING_TOTAL),
      platform: 'sensor',
      ...labelOf(context, amount, 'total'),
      config: {
        ...rankConfig(rank.shown, 'diagnostic'),
        ...measure(unit, feature.name, RUNNING_TOTAL),
        state_class: 'total_increasing',
        value_template: template.VALUE,
        state_topic: featureTopic(context.base, context.device, feature.name, RUNNING_TOTAL),
      },
      rank,
    },
  ];
};
