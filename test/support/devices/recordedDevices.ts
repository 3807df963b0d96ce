import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Feature } from '../../../src/features/feature.ts';
import { parseFeature, recordsOf } from '../../../src/features/parseFeature.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../../shared/recorded');

/** One recorded device: the records of one `deviceId` in one file. */
export type Recorded = { readonly name: string; readonly gateway: string; readonly device: string; readonly features: readonly Feature[] };

const readDevices = (file: string): Recorded[] => {
  const devices = new Map<string, Feature[]>();
  for (const record of recordsOf(JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8'))) ?? []) {
    const feature = parseFeature(record);
    if (!feature.ok) throw new Error(`${file}: ${JSON.stringify(feature.issues)}`);
    const device = feature.value.device ?? 'gateway';
    devices.set(device, [...(devices.get(device) ?? []), feature.value]);
  }
  const name = file.replace(/\.json$/, '');
  // Serials are masked, often all alike: the file's name keeps the gateways apart, and tries what an id may hold.
  return [...devices].map(([device, features]) => ({
    name: devices.size === 1 ? name : `${name} ${device}`,
    gateway: name,
    device,
    features,
  }));
};

/** True where the recorded devices are at hand. */
export const hasRecorded = existsSync(FOLDER);

/** What a test says where they are not. */
export const NOT_RECORDED = 'the recorded devices are not here';

/** All recorded devices, each with its features; none where they are not at hand. */
export const recordedDevices = (): Recorded[] =>
  hasRecorded
    ? readdirSync(FOLDER)
        .filter((file) => file.endsWith('.json'))
        .sort()
        .flatMap(readDevices)
    : [];
