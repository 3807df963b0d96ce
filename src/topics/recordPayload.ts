import { writtenProperties } from '../features/effect.ts';
import type { Feature, Json, Property } from '../features/feature.ts';
import { commandRecords } from '../features/parseFeature.ts';
import { readWeek } from '../schedule/readWeek.ts';
import { sha1 } from '../shared/message.ts';

/** The digest of an empty list, precomputed for a fast start. */
const NOTHING_WRITABLE = '97d170e1';

/** The value. A week gets a fixed order of days and keys, so that a different order is not a change. */
export const orderedValue = (property: Property | undefined): Json | undefined => {
  const week = property?.type === 'Schedule' ? readWeek(property.value) : undefined;
  return week?.ok ? week.value : property?.value;
};

/** Eight hexadecimal digits that change when a writable value of the feature changes. */
export const revision = (feature: Feature): string => {
  const values = writtenProperties(feature).map((name) => [name, orderedValue(feature.properties.get(name)) ?? null]);
  return values.length === 0 ? NOTHING_WRITABLE : sha1(JSON.stringify(values), 'hex').slice(0, 8);
};

/**
 * The payload of a feature's `record` topic. It contains the values of properties without a topic
 * (`withoutTopic`), and no timestamp, because a new timestamp alone is not a change.
 */
export const recordPayload = (feature: Feature, withoutTopic: readonly string[]): string => {
  const properties: [string, object][] = [];
  feature.properties.forEach(({ type, unit, value }, name) => {
    const hasTopic = !withoutTopic.includes(name);
    properties.push([name, { type, unit: unit || undefined, value: hasTopic ? undefined : value }]);
  });
  return JSON.stringify({
    feature: feature.name,
    isEnabled: feature.isEnabled,
    isReady: feature.isReady,
    deprecated: feature.deprecated,
    properties: Object.fromEntries(properties),
    commands: commandRecords(feature),
    rev: revision(feature),
  });
};
