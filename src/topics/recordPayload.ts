import { createHash } from 'node:crypto';
import { writtenProperties } from '../features/effect.ts';
import type { Feature, Parameter } from '../features/feature.ts';

/** Eight hexadecimal digits that change when a writable value of the feature changes. */
export const revision = (feature: Feature): string => {
  const values = writtenProperties(feature).map((name) => [name, feature.properties.get(name)?.value ?? null]);
  return createHash('sha1').update(JSON.stringify(values)).digest('hex').slice(0, 8);
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
  const commands = [...feature.commands.values()].map(
    ({ name, isExecutable, params }) => [name, { isExecutable, params: plain(params) }] as const,
  );
  return JSON.stringify({
    feature: feature.name,
    isEnabled: feature.isEnabled,
    isReady: feature.isReady,
    ...(feature.deprecated ? { deprecated: feature.deprecated } : {}),
    properties: withKeys(properties),
    commands: withKeys(commands),
    rev: revision(feature),
  });
};

const plain = (params: ReadonlyMap<string, Parameter>): object =>
  withKeys([...params].map(([name, { type, required, constraints }]) => [name, { type, required, constraints }]));

// Object.fromEntries defines own keys, so a name such as `__proto__` is an ordinary key.
const withKeys = (pairs: readonly (readonly [string, unknown])[]): Record<string, unknown> => Object.fromEntries(pairs);
