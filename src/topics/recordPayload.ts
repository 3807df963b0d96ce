import { writtenProperties } from '../features/effect.ts';
import type { Feature } from '../features/feature.ts';
import { commandRecords } from '../features/parseFeature.ts';
import { sha1 } from '../shared/message.ts';

/** The digest of an empty list, so that a start does not compute one. */
const NOTHING_WRITABLE = '97d170e1';

/** Eight hexadecimal digits that change when a writable value of the feature changes. */
export const revision = (feature: Feature): string => {
  const values = writtenProperties(feature).map((name) => [name, feature.properties.get(name)?.value ?? null]);
  return values.length === 0 ? NOTHING_WRITABLE : sha1(JSON.stringify(values), 'hex').slice(0, 8);
};

/**
 * The payload of a feature's `record` topic. It has the values of the properties without a topic of their own (`homeless`), and no
 * timestamp, because a new timestamp alone is no change.
 */
export const recordPayload = (feature: Feature, homeless: readonly string[]): string => {
  const properties: [string, object][] = [];
  feature.properties.forEach(({ type, unit, value }, name) => {
    const shape = unit ? { type, unit } : { type };
    properties.push([name, value !== undefined && homeless.includes(name) ? { ...shape, value } : shape]);
  });
  return JSON.stringify({
    feature: feature.name,
    isEnabled: feature.isEnabled,
    isReady: feature.isReady,
    ...(feature.deprecated ? { deprecated: feature.deprecated } : {}),
    properties: Object.fromEntries(properties),
    commands: commandRecords(feature),
    rev: revision(feature),
  });
};
