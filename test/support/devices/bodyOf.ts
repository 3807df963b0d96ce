import type { Body } from '../../../src/bridge/ports.ts';

/** The answer of a platform that shows this value. */
export const bodyOf = (value: unknown): Body => {
  const text = JSON.stringify(value) ?? '';
  return { digest: text, text: () => text, json: () => value };
};
