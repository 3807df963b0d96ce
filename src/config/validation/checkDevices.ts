import { nearestWords } from '../../shared/closestMatch.ts';
import type { DeviceEntry } from '../setting.ts';
import { checkFeature } from './addressChecks.ts';
import { type Check, checkEach, checkText, type Found, shown } from './checks.ts';

const PATH_STEP = /^\.{1,2}$/;

// A lone `.` or `..` in an address is a step in it, percent-encoded or not.
const checkId: Check = (value, limits) => {
  const found = checkText(value, limits);
  if (found.length > 0 || typeof value !== 'string' || !PATH_STEP.test(value)) return found;
  return [{ rule: 'reserved', what: `${shown(value)} is a step in a path and names nothing`, allowed: 'text other than . and ..' }];
};

const checkInstallation: Check = (value, limits) => {
  const found = checkText(value, limits);
  if (found.length > 0 || typeof value !== 'string' || /^\d+$/.test(value)) return found;
  return [{ rule: 'type', what: `${shown(value)} is not the number of an installation`, allowed: 'digits, as 123456' }];
};

/** What a device is written with: for the check, and for the documentation. */
export const DEVICE_KEYS = {
  name: {
    check: checkId,
    required: false,
    doc: 'What the device is called in topics; without a name the two ids, GATEWAY-DEVICE. No two devices share a name, and none is called bridge.',
  },
  installation: { check: checkInstallation, required: true, doc: 'Number of the installation.' },
  gateway: { check: checkId, required: true, doc: 'Serial number of the gateway.' },
  device: { check: checkId, required: true, doc: 'Id of the device within the gateway, often 0.' },
  model: { check: checkText, required: false, doc: 'Only with v2: model of the devices meant, a glob.' },
  role: { check: checkText, required: false, doc: 'Only with v2: a role that the devices meant have, a glob, as type:heatpump.' },
  features: {
    check: checkEach(checkFeature),
    required: false,
    doc: 'Names of the features to read; globs too where all of a device is read at once (see platform.read).',
  },
  exclude: { check: checkEach(checkFeature), required: false, doc: 'Names or globs of features to leave out.' },
} as const satisfies Readonly<Record<string, { check: Check; required: boolean; doc: string }>>;

const KEYS = Object.keys(DEVICE_KEYS);
const EXAMPLE =
  '- { name: home, installation: 123456, gateway: "7571381699991111", device: "0", features: [heating.circuits.0.heating.schedule] }';

/** A device as it is written in the settings, for sentences that ask for one. */
export const DEVICE_EXAMPLE = EXAMPLE;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** True for what was written. */
export const isSet = (value: unknown): boolean => value !== undefined && value !== null;

const checkDevice = (entry: unknown): readonly Found[] => {
  if (!isRecord(entry)) return [{ rule: 'type', what: `${shown(entry)} is not a device`, allowed: EXAMPLE }];
  const unknown = Object.keys(entry)
    .filter((key) => !KEYS.includes(key))
    .map((key) => ({
      path: [key],
      rule: 'unknown',
      what: 'there is no such setting',
      nearest: nearestWords(key, KEYS),
      allowed: KEYS.join(', '),
    }));
  const wrong = DEVICE_KEY_NAMES.flatMap((key) =>
    wrongIn(entry, key).map((found): Found => ({ ...found, path: [key, ...(found.path ?? [])] })),
  );
  return [...unknown, ...wrong];
};

type DeviceKey = keyof typeof DEVICE_KEYS;
const isDeviceKey = (key: string): key is DeviceKey => Object.hasOwn(DEVICE_KEYS, key);
const DEVICE_KEY_NAMES: readonly DeviceKey[] = KEYS.filter(isDeviceKey);

const writtenAt = (entry: Readonly<Record<string, unknown>>, key: DeviceKey): unknown => {
  const value = Object.hasOwn(entry, key) ? entry[key] : undefined;
  return (key === 'features' || key === 'exclude') && typeof value === 'string' ? [value] : value;
};

const wrongIn = (entry: Readonly<Record<string, unknown>>, key: DeviceKey): readonly Found[] => {
  const value = writtenAt(entry, key);
  if (!isSet(value)) return [];
  return DEVICE_KEYS[key].check(value, { example: key === 'features' ? '[heating.circuits.0.heating.schedule]' : '"0"' });
};

/** What is right of a device, for the rules between devices; `wrong`: keys that its own check has refused, misspelt ones among them. */
export type RightParts = { readonly entry: DeviceEntry; readonly wrong: ReadonlySet<DeviceKey> };

/** Reads what is right of an item of `devices`; undefined where it is no device at all. */
export const rightParts = (raw: unknown): RightParts | undefined => {
  if (!isRecord(raw)) return undefined;
  const meant = new Set(Object.keys(raw).flatMap((key) => (isDeviceKey(key) ? [] : nearestWords(key, KEYS))));
  const wrong = new Set(DEVICE_KEY_NAMES.filter((key) => meant.has(key) || wrongIn(raw, key).length > 0));
  const right = DEVICE_KEY_NAMES.filter((key) => !wrong.has(key));
  const texts = right.flatMap((key) => (typeof raw[key] === 'string' ? [[key, raw[key]] as const] : []));
  const lists = right.flatMap((key) => {
    const value = writtenAt(raw, key);
    return Array.isArray(value) ? [[key, value.filter((item) => typeof item === 'string')] as const] : [];
  });
  return { entry: { ...Object.fromEntries(texts), ...Object.fromEntries(lists) }, wrong };
};

/** A list of devices, each with its ids. Broken rules have index and key as path. */
export const checkDevices: Check = (value) =>
  Array.isArray(value)
    ? value.flatMap((entry, index) => checkDevice(entry).map((found) => ({ ...found, path: [index, ...(found.path ?? [])] })))
    : [{ rule: 'type', what: `${shown(value)} is not a list of devices`, allowed: EXAMPLE }];
