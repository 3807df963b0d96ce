import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, TestRunner } from 'vitest';
import type { Feature } from '../../../src/features/feature.ts';
import { parseFeature, recordsOf } from '../../../src/features/parseFeature.ts';

const OWN = path.resolve(import.meta.dirname, '../../fixtures/devices');

/** Set by `npm run test:recorded` alone. */
const recorded = process.env['TEST_DEVICES'] ?? '';

/** The folder of device files that tests look at: our own, in `npm run test:recorded` those of real devices. */
export const DEVICES = recorded === '' ? OWN : recorded;

/** The body of a failed call. */
export const errorBody = (name: string): string => readFileSync(path.join(OWN, 'errors', `${name}.json`), 'utf8');

/** Fails unless a test found as many of its subject as our own devices have. Among recorded ones any number does, and none skips the test. */
export const expectFound = (found: number, own: number): void => {
  if (recorded === '') expect(found).toBe(own);
  else if (found === 0) TestRunner.getCurrentTest()?.context.skip(`nothing of its kind in ${recorded}`);
};

export const deviceFiles = (folder = DEVICES): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort();

type FileRecord = { readonly file: string; readonly record: unknown };

const recordsIn = (folder: string): readonly FileRecord[] =>
  deviceFiles(folder).flatMap((file) =>
    (recordsOf(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))) ?? []).map((record) => ({ file, record })),
  );

const parsed = ({ file, record }: FileRecord): Feature => {
  const feature = parseFeature(record);
  if (!feature.ok || feature.value.issues) throw new Error(`${file}: ${JSON.stringify(feature)}`);
  return feature.value;
};

/** One device: the features of one `deviceId` in one file. */
export type Device = { readonly name: string; readonly gateway: string; readonly device: string; readonly features: readonly Feature[] };

const devicesIn = (all: readonly FileRecord[]): readonly Device[] =>
  [...Map.groupBy(all, ({ file }) => file.replace(/\.json$/, ''))].flatMap(([file, own]) => {
    const byId = Map.groupBy(own.map(parsed), ({ device = 'gateway' }) => device);
    // Serials are masked, often all alike: the file's name keeps the gateways apart, and tries what an id may hold.
    return [...byId].map(([device, features]) => ({ name: byId.size === 1 ? file : `${file} ${device}`, gateway: file, device, features }));
  });

/** Test files share a worker, so that each folder is read once. */
const once = <T>(read: (folder: string) => T): ((folder: string) => T) => {
  const kept = new Map<string, T>();
  return (folder) => {
    const value = kept.get(folder) ?? read(folder);
    kept.set(folder, value);
    return value;
  };
};
const records = once(recordsIn);
const devices = once((folder) => devicesIn(records(folder)));

/** Every record, with the file it stands in. */
export const allRecords = (): readonly FileRecord[] => records(DEVICES);

/** Every device with its features. */
export const allDevices = (): readonly Device[] => devices(DEVICES);

export const allFeatures = (): readonly Feature[] => allDevices().flatMap(({ features }) => features);

/** Our own devices, also in `npm run test:recorded`. */
export const ownDevices = (): readonly Device[] => devices(OWN);

/** The features of one of them. */
export const fixtureDevice = (name: string): readonly Feature[] => {
  const found = ownDevices().find((device) => device.name === name);
  if (!found) throw new Error(`no device ${name} in ${OWN}`);
  return found.features;
};
