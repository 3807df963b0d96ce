import { compositesOf } from '../../../src/features/composites/compositesOf.ts';
import type { Feature } from '../../../src/features/feature.ts';
import { compositeMessages, featureState } from '../../../src/topics/featureState.ts';

/** What the bridge retains for a device with these features: values, records, climates and water heater. */
export const retainedOf = (device: string, features: readonly Feature[]): Map<string, string> => {
  const composites = compositesOf(new Map(features.map((feature) => [feature.name, feature])), () => ({}));
  const messages = [
    ...features.flatMap((feature) => featureState('heating2mqtt', device, feature).messages),
    ...composites.flatMap((composite) => compositeMessages('heating2mqtt', device, composite)),
  ];
  return new Map(messages.map(({ topic, payload }) => [topic, payload]));
};
