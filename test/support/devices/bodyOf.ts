import type { Body } from '../../../src/bridge/ports.ts';

/** The answer of a platform that shows this value. */
export const bodyOf = (value: unknown): Body => ({
  digest: JSON.stringify(value) ?? '',
  text: () => JSON.stringify(value) ?? '',
  json: () => value,
});
