import { hash } from 'node:crypto';
import { writtenProperties } from '../features/effect.ts';
import type { Feature } from '../features/feature.ts';
import { commandRecords } from '../features/parseFeature.ts';

const NOTHING_WRITABLE = hash('sha1', '[]').slice(0, 8);

/** Eight hexadecimal digits that change when a writable value of the feature changes. */
export const revision = (feature: Feature): string => {
  const values = writtenProperties(feature).map((name) => [name, feature.properties.get(name)?.value ?? null]);
  return values.length === 0 ? NOTHING_WRITABLE : hash('sha1', JSON.stringify(values)).slice(0, 8);
};

/**
 * The payload of a feature's `record` topic. It has the values of the properties without a topic of their own (`homeless`), and no
 * timestamp, because a new timestamp alone is no change.
 */
export const recordPayload = (feature: Feature, homeless: ReadonlySet<string>): string => {
  const properties = [...feature.properties].map(([name, { type, unit, value }]): [string, object] => [
    name,
    { type, ...(unit ? { unit } : {}), ...(homeless.has(name) && value !== undefined ? { value } : {}) },
  ]);
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
