import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Feature } from '../../../src/features/feature.ts';
import { parseFeature, recordsOf } from '../../../src/features/parseFeature.ts';

/** The features of one of our own devices in test/fixtures/devices. */
export const fixtureDevice = (name: 'boiler' | 'rooms'): readonly Feature[] => {
  const file = path.resolve(import.meta.dirname, '../../fixtures/devices', `${name}.json`);
  return (recordsOf(JSON.parse(readFileSync(file, 'utf8'))) ?? []).map((record) => {
    const feature = parseFeature(record);
    if (!feature.ok || feature.value.issues) throw new Error(`${name}: ${JSON.stringify(feature)}`);
    return feature.value;
  });
};
