import { isGlob } from '../base/glob.ts';
import { isRecord } from '../base/json.ts';
import { DEVICE_KEYS } from './checkDevices.ts';
import type { Path, Problem } from './mistake.ts';
import { findsDevices } from './profiles.ts';
import type { DeviceEntry, Loaded } from './setting.ts';
import type { DeviceChoice, DeviceSettings, Settings } from './settings.ts';

type Read = Settings['platform']['read'];

const items = (written: string | readonly string[] | null | undefined): readonly string[] =>
  typeof written === 'string' ? [written] : (written ?? []);

/** A device as written becomes the device in force: without features named, all of them where a device is read at once. */
export const toDevice = ({ name, installation, gateway, device, features, exclude }: DeviceEntry, read: Read): DeviceSettings => ({
  ...(name === undefined || name === null ? {} : { name }),
  installation: installation ?? '',
  gateway: gateway ?? '',
  device: device ?? '',
  features: wholeByDefault(items(features), read === 'device' || read === 'gateway'),
  exclude: items(exclude),
});

const wholeByDefault = (features: readonly string[], isDefault: boolean): readonly string[] =>
  isDefault && features.length === 0 ? ['*'] : features;

const FILTERS = ['name', 'installation', 'gateway', 'device', 'model', 'role'] as const;

/** An entry as written becomes a choice among the devices found. */
export const toChoice = (entry: DeviceEntry): DeviceChoice => ({
  ...Object.fromEntries(FILTERS.flatMap((key) => (typeof entry[key] === 'string' ? [[key, entry[key]]] : []))),
  features: wholeByDefault(items(entry.features), true),
  exclude: items(entry.exclude),
});

/** The name under which a device has its topics. */
export const deviceName = ({ name, gateway, device }: Pick<DeviceSettings, 'name' | 'gateway' | 'device'>): string =>
  name ?? `${gateway}-${device}`;

/** The earlier devices of which a later one repeats what `of` gives. */
const repeated = (devices: readonly DeviceSettings[], of: (device: DeviceSettings) => string): ReadonlyMap<number, number> => {
  const first = new Map<string, number>();
  const again = new Map<number, number>();
  for (const [index, device] of devices.entries()) {
    const earlier = first.get(of(device));
    if (earlier === undefined) first.set(of(device), index);
    else again.set(index, earlier);
  }
  return again;
};

const featureProblems = ({ features }: Pick<DeviceSettings, 'features'>, read: Read, path: Path): readonly Problem[] => {
  const allowed = 'names, as [heating.circuits.0.heating.schedule]; globs, as ["*"], with platform.read: auto or device';
  if (features.length === 0) return [{ path: [...path, 'features'], rule: 'required', what: 'is missing: say what to read', allowed }];
  if (read !== 'feature') return [];
  return features.flatMap((feature, index) =>
    isGlob(feature)
      ? [
          {
            path: [...path, 'features', index],
            rule: 'contradiction',
            what: `"${feature}" is a glob, and platform.read: feature reads by name`,
            allowed,
          },
        ]
      : [],
  );
};

/** What devices break that are right each in its parts: ids missing, names and ids given twice, `bridge` as a name, nothing to read, globs that cannot be read. */
export const deviceProblems = ({ devices, platform }: Pick<Loaded, 'devices' | 'platform'>): readonly Problem[] =>
  findsDevices(platform) ? choiceProblems(devices, platform.read) : namedProblems(devices, platform.read);

/** Ids that each device needs where none is found by asking. What is no device at all is told by the device's own check. */
export const missingIds = ({ devices, platform }: Pick<Loaded, 'devices' | 'platform'>): readonly Problem[] => {
  if (findsDevices(platform) || !Array.isArray(devices)) return [];
  return devices.flatMap((entry: unknown, index) =>
    isRecord(entry) ? missingIn(entry).map(({ path, ...problem }) => ({ path: ['devices', index, ...path], ...problem })) : [],
  );
};

const isSet = (value: unknown): boolean => value !== undefined && value !== null;

const missingIn = (entry: Readonly<Record<string, unknown>>): readonly Problem[] => [
  ...IDS.filter((key) => !isSet(entry[key])).map((key) => ({
    path: [key],
    rule: 'required',
    what: `is missing: ${DEVICE_KEYS[key].doc.slice(0, -1)}`,
  })),
  ...FOUND_ONLY.filter((key) => isSet(entry[key])).map((key) => ({
    path: [key],
    rule: 'contradiction',
    what: 'chooses among devices that are found, and with profile v1 none is',
    allowed: 'the ids of one device',
  })),
];

const IDS = ['installation', 'gateway', 'device'] as const;
const FOUND_ONLY = ['model', 'role'] as const;

const reserved = (name: string | null | undefined, path: Path): readonly Problem[] =>
  name === 'bridge'
    ? [{ path: [...path, 'name'], rule: 'reserved', what: '"bridge" is the name of the bridge itself', allowed: 'any other' }]
    : [];

const twiceNamed = (name: string, first: number, path: Path): Problem => ({
  path: [...path, 'name'],
  rule: 'twice',
  what: `"${name}" is the name of devices[${first}]`,
  allowed: 'another name',
});

const choiceProblems = (entries: readonly DeviceEntry[], read: Read): readonly Problem[] => {
  const choices = entries.map(toChoice);
  if (read === 'feature' && choices.length === 0)
    return [{ path: ['platform', 'read'], rule: 'contradiction', what: 'is feature, and no feature is named in devices', allowed: 'auto' }];
  return choices.flatMap((choice, index) => {
    const path = ['devices', index];
    const first = choices.findIndex(({ name }) => name !== undefined && name === choice.name);
    return [
      ...reserved(choice.name, path),
      ...(choice.name !== undefined && first < index ? [twiceNamed(choice.name, first, path)] : []),
      ...featureProblems(choice, read, path),
    ];
  });
};

const namedProblems = (entries: readonly DeviceEntry[], read: Read): readonly Problem[] => {
  const devices = entries.map((entry) => toDevice(entry, read));
  const sameId = repeated(devices, ({ gateway, device }) => JSON.stringify([gateway, device]));
  const sameName = repeated(devices, deviceName);
  return devices.flatMap((device, index): readonly Problem[] => {
    const path = ['devices', index];
    if (IDS.some((key) => device[key] === '')) return [];
    const id = sameId.get(index);
    const name = sameName.get(index);
    return [
      ...reserved(deviceName(device), path),
      ...(id === undefined
        ? []
        : [{ path, rule: 'twice', what: `has the gateway and device of devices[${id}]`, allowed: 'one entry for each device' }]),
      ...(name === undefined || (id !== undefined && device.name === undefined) ? [] : [twiceNamed(deviceName(device), name, path)]),
      ...featureProblems(device, read, path),
    ];
  });
};
