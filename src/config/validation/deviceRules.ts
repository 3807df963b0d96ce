import { isGlob } from '../../shared/glob.ts';
import { isRecord } from '../../shared/json.ts';
import { findsDevices } from '../profiles.ts';
import type { DeviceEntry, Loaded } from '../setting.ts';
import type { DeviceChoice, DeviceSettings, Settings } from '../settings.ts';
import { DEVICE_KEYS, isSet, type RightParts, rightParts } from './checkDevices.ts';
import type { Path, Problem } from './mistake.ts';

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

/** The earlier ones that a later one repeats; undefined repeats nothing. */
const repeated = (all: readonly (string | undefined)[]): ReadonlyMap<number, number> => {
  const first = new Map<string, number>();
  const again = new Map<number, number>();
  for (const [index, one] of all.entries()) {
    if (one === undefined) continue;
    const earlier = first.get(one);
    if (earlier === undefined) first.set(one, index);
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

/**
 * What devices break together: names and ids given twice, `bridge` as a name, nothing to read, globs that cannot be read. Of what is wrong
 * in itself, which the check of each device tells, nothing is said.
 */
export const deviceProblems = ({ devices, platform }: Pick<Loaded, 'devices' | 'platform'>): readonly Problem[] => {
  if (!Array.isArray(devices)) return [];
  const parts = devices.map(rightParts);
  return findsDevices(platform) ? choiceProblems(parts, platform.read) : namedProblems(parts, platform.read);
};

/** Ids that each device needs where none is found by asking. What is no device at all is told by the device's own check. */
export const missingIds = ({ devices, platform }: Pick<Loaded, 'devices' | 'platform'>): readonly Problem[] => {
  if (findsDevices(platform) || !Array.isArray(devices)) return [];
  return devices.flatMap((entry: unknown, index) =>
    isRecord(entry) ? missingIn(entry).map(({ path, ...problem }) => ({ path: ['devices', index, ...path], ...problem })) : [],
  );
};

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

type Parts = readonly (RightParts | undefined)[];

const choiceProblems = (parts: Parts, read: Read): readonly Problem[] => {
  if (read === 'feature' && parts.length === 0)
    return [{ path: ['platform', 'read'], rule: 'contradiction', what: 'is feature, and no feature is named in devices', allowed: 'auto' }];
  const sameName = repeated(parts.map((part) => part?.entry.name ?? undefined));
  return parts.flatMap((part, index): readonly Problem[] => {
    if (!part) return [];
    const path = ['devices', index];
    const { name, ...choice } = toChoice(part.entry);
    const first = sameName.get(index);
    return [
      ...reserved(name, path),
      ...(name === undefined || first === undefined ? [] : [twiceNamed(name, first, path)]),
      ...(part.wrong.has('features') ? [] : featureProblems(choice, read, path)),
    ];
  });
};

const namedProblems = (parts: Parts, read: Read): readonly Problem[] => {
  const devices = parts.map((part) => part && toDevice(part.entry, read));
  const names = devices.map((device, index) => (device && !parts[index]?.wrong.has('name') ? nameOf(device) : undefined));
  const sameId = repeated(devices.map((device) => device && idOf(device)));
  const sameName = repeated(names);
  return devices.flatMap((device, index): readonly Problem[] => {
    if (!device) return [];
    const path = ['devices', index];
    const [id, first, name] = [sameId.get(index), sameName.get(index), names[index]];
    return [
      ...reserved(name, path),
      ...(id === undefined
        ? []
        : [{ path, rule: 'twice', what: `has the gateway and device of devices[${id}]`, allowed: 'one entry for each device' }]),
      ...(name === undefined || first === undefined || (id !== undefined && device.name === undefined)
        ? []
        : [twiceNamed(name, first, path)]),
      ...(parts[index]?.wrong.has('features') ? [] : featureProblems(device, read, path)),
    ];
  });
};

const idOf = ({ gateway, device }: DeviceSettings): string | undefined =>
  gateway === '' || device === '' ? undefined : JSON.stringify([gateway, device]);

/** The name that the device will have, where enough of it is right to know. */
const nameOf = (device: DeviceSettings): string | undefined =>
  device.name === undefined && idOf(device) === undefined ? undefined : deviceName(device);
