import { nearestWords } from '../base/nearest.ts';
import { checkFeature } from './addressChecks.ts';
import { type Check, checkEach, checkText, type Found, shown } from './checks.ts';

/** What a device is written with: for the check, and for the documentation. */
export const DEVICE_KEYS = {
  name: {
    check: checkText,
    required: false,
    doc: 'What the device is called in topics; without a name the two ids, GATEWAY-DEVICE. No two devices share a name, and none is called bridge.',
  },
  installation: { check: checkText, required: true, doc: 'Number of the installation.' },
  gateway: { check: checkText, required: true, doc: 'Serial number of the gateway.' },
  device: { check: checkText, required: true, doc: 'Id of the device within the gateway, often 0.' },
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

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

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
  const wrong = Object.entries(DEVICE_KEYS).flatMap(([key, { check }]): readonly Found[] => {
    const value = Object.hasOwn(entry, key) ? entry[key] : undefined;
    if (!isSet(value)) return [];
    const list = (key === 'features' || key === 'exclude') && typeof value === 'string' ? [value] : value;
    return check(list, { example: key === 'features' ? '[heating.circuits.0.heating.schedule]' : '"0"' }).map((found) => ({
      ...found,
      path: [key, ...(found.path ?? [])],
    }));
  });
  return [...unknown, ...wrong];
};

/** A list of devices, each with its ids. Broken rules have index and key as path. */
export const checkDevices: Check = (value) =>
  Array.isArray(value)
    ? value.flatMap((entry, index) => checkDevice(entry).map((found) => ({ ...found, path: [index, ...(found.path ?? [])] })))
    : [{ rule: 'type', what: `${shown(value)} is not a list of devices`, allowed: EXAMPLE }];
