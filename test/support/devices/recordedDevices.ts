import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Feature } from '../../../src/features/feature.ts';
import { parseFeature, recordsOf } from '../../../src/features/parseFeature.ts';

const BESIDE = path.resolve(import.meta.dirname, '../../../../shared/recorded');

/** True where the recordings of real devices lie beside the repository. */
export const hasRecorded = existsSync(BESIDE);

/** The recordings of real devices; in a clone without them our own two devices, so that the same tests run there. */
export const RECORDED = hasRecorded ? BESIDE : path.resolve(import.meta.dirname, '../../fixtures/devices');

/** How many of something a test must have found: among the recordings of real devices, and among our own two. */
export const leastOf = (recorded: number, own: number): number => (hasRecorded ? recorded : own);

/** One recorded device: the records of one `deviceId` in one file. */
export type Recorded = { readonly name: string; readonly gateway: string; readonly device: string; readonly features: readonly Feature[] };

const readDevices = (file: string): Recorded[] => {
  const devices = new Map<string, Feature[]>();
  for (const record of recordsOf(JSON.parse(readFileSync(path.join(RECORDED, file), 'utf8'))) ?? []) {
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

/** What a hub test says where they are not. */
export const NOT_RECORDED = 'the recorded devices are not here';

/** All recorded devices, each with its features. */
export const recordedDevices = (): Recorded[] =>
  readdirSync(RECORDED)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .flatMap(readDevices);
