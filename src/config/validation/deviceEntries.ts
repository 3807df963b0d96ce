import { nearestWords } from '../../shared/closestMatch.ts';
import { isRecord } from '../../shared/json.ts';
import { checkFeature } from './addressChecks.ts';
import { type Check, checkEach, checkText, checkThat, shown, under, unknownKey, wrong } from './checks.ts';
import type { Problem } from './mistake.ts';
import { asJsonList, eachOf, type JsonSchema, listShape, objectShape, rowsOf, SCALAR, textShape } from './rows.ts';

// A segment `.` or `..` in a URL path is a relative step, even percent-encoded.
const checkId = checkThat(
  (text) => text !== '.' && text !== '..',
  'reserved',
  'is a relative step in a path, not a name or id',
  'any text except . and ..',
);

const checkInstallation = checkThat((text) => /^\d+$/.test(text), 'type', 'is not an installation number', 'digits, such as 123456');

/** A key of an entry; `required` keys are needed if devices are not discovered. */
const text = (check: Check, required: boolean, doc: string) => ({ check, required, doc, shape: textShape, example: '"0"' });

const features = (doc: string) => ({
  ...text(checkEach(checkFeature), false, doc),
  shape: listShape({ type: SCALAR }),
  example: '[heating.circuits.0.heating.schedule]',
});

/** The keys of an entry of `devices`, for the check and the documentation. */
export const DEVICE_KEYS = {
  name: text(
    checkId,
    false,
    'Name of the device in topics; without it GATEWAY-DEVICE, from the two ids. Each name is used once, and bridge is reserved.',
  ),
  installation: text(checkInstallation, true, 'Number of the installation.'),
  gateway: text(checkId, true, 'Serial number of the gateway.'),
  device: text(checkId, true, 'Id of the device within the gateway, often 0.'),
  model: text(checkText, false, 'Only with v2: model of the devices, as a glob.'),
  role: text(checkText, false, 'Only with v2: role of the devices, as a glob, such as type:heatpump.'),
  features: features('Names of the features to read; also globs if whole devices are read at once (see platform.read).'),
  exclude: features('Names or globs of features to exclude.'),
};

type DeviceKey = keyof typeof DEVICE_KEYS;
type ListKey = 'features' | 'exclude';

/** A valid entry of `devices`. */
export type DeviceEntry = { readonly [Key in DeviceKey]?: Key extends ListKey ? readonly string[] : string };

type Features = { readonly features: readonly string[]; readonly exclude: readonly string[] };

/** One device to read: ids as written, features and exclude as names or globs. */
export type DeviceSettings = Pick<DeviceEntry, 'name'> & Required<Pick<DeviceEntry, 'installation' | 'gateway' | 'device'>> & Features;

/** Selects discovered devices: all keys must match (globs, except `installation`); names their features. */
export type DeviceChoice = Omit<DeviceEntry, ListKey> & Features;

const withFeatures = <Keys>({ features = [], exclude = [], ...keys }: Keys & Partial<Features>, readsAll: boolean) => ({
  ...keys,
  features: features.length === 0 && readsAll ? ['*'] : features,
  exclude,
});

/** The device with defaults. If whole devices are read, a device without features gets all. */
export const toDevice = (entry: DeviceEntry, read: string): DeviceSettings =>
  withFeatures({ installation: '', gateway: '', device: '', ...entry }, read === 'device' || read === 'gateway');

/** The choice with defaults; without features it gets all. */
export const toChoice = (entry: DeviceEntry): DeviceChoice => withFeatures(entry, true);

/** A written entry of `devices`, for messages that ask for one. */
export const DEVICE_EXAMPLE =
  '- { name: home, installation: 123456, gateway: "7571381699991111", device: "0", features: [heating.circuits.0.heating.schedule] }';

const KEYS = Object.keys(DEVICE_KEYS);
const LIST_KEYS: readonly string[] = ['features', 'exclude'] satisfies readonly ListKey[];

/** An entry without empty keys; a single feature becomes a list. The check sees unknown keys. */
const toEntry = (written: unknown): unknown =>
  isRecord(written)
    ? Object.fromEntries(
        Object.entries(written)
          .filter(([key, value]) => (value !== null && value !== undefined) || !KEYS.includes(key))
          .map(([key, value]) => [key, LIST_KEYS.includes(key) && typeof value === 'string' ? [value] : value]),
      )
    : written;

const checkDevice = (entry: unknown): readonly Problem[] => {
  if (!isRecord(entry)) return wrong('type', `${shown(entry)} is not a device`, DEVICE_EXAMPLE);
  const unknown = Object.keys(entry).filter((key) => !KEYS.includes(key));
  const broken = Object.entries(DEVICE_KEYS).flatMap(([key, { check, example }]) =>
    Object.hasOwn(entry, key) ? under([key], check(entry[key], { example })) : [],
  );
  return [...unknown.flatMap((key) => under([key], unknownKey(KEYS, nearestWords(key, KEYS)))), ...broken];
};

/** A list of devices. Problems have index and key as path. */
export const checkDevices: Check = (value) =>
  Array.isArray(value)
    ? value.flatMap((entry, index) => under([index], checkDevice(entry)))
    : wrong('type', `${shown(value)} is not a list of devices`, DEVICE_EXAMPLE);

const entryShape = (): JsonSchema => {
  const properties = Object.entries(DEVICE_KEYS).map(([key, { doc, shape }]) => [key, { description: doc, ...shape }]);
  return { ...objectShape(Object.fromEntries(properties)), type: 'object' };
};

/** Makes the row of the setting `devices`. */
export const devices = rowsOf<readonly DeviceEntry[]>(
  checkDevices,
  () => ({ type: ['array', 'string', 'null'], items: entryShape(), pattern: '^\\s*\\[' }),
  { coerce: eachOf(asJsonList, toEntry) },
);
