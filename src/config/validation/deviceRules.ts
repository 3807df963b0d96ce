import { isRecord } from '../../shared/json.ts';
import { isGlob } from '../../shared/pattern.ts';
import { findsDevices } from '../profiles.ts';
import type { Loaded } from '../schema.ts';
import { under, wrong } from './checks.ts';
import { DEVICE_KEYS, type DeviceEntry, toChoice, toDevice } from './deviceEntries.ts';
import type { Problem } from './mistake.ts';

type Read = Loaded['platform']['read'];

const FOUND_ONLY = ['model', 'role'] as const;

/** Missing keys if devices are not discovered, and keys without a use there. */
const missingIn = (entry: Readonly<Record<string, unknown>>): readonly Problem[] => [
  ...Object.entries(DEVICE_KEYS).flatMap(([key, { required, doc }]) =>
    required && !Object.hasOwn(entry, key) ? under([key], wrong('required', `is missing: ${doc.slice(0, -1)}`)) : [],
  ),
  ...FOUND_ONLY.filter((key) => Object.hasOwn(entry, key)).flatMap((key) =>
    under([key], wrong('contradiction', 'selects discovered devices, but profile v1 discovers none', 'the ids of one device')),
  ),
];

/** Missing ids, if devices are not discovered. The format check reports invalid entries. */
export const missingIds = ({ devices, platform }: Loaded): readonly Problem[] =>
  findsDevices(platform) || !Array.isArray(devices)
    ? []
    : devices.flatMap((entry: unknown, index) => (isRecord(entry) ? under(['devices', index], missingIn(entry)) : []));

const featureProblems = (features: readonly string[], read: Read): readonly Problem[] => {
  const allowed = 'names, such as [heating.circuits.0.heating.schedule]; with platform.read: auto or device also globs, such as ["*"]';
  if (features.length === 0) return wrong('required', 'is missing: list the features to read', allowed);
  if (read !== 'feature') return [];
  return features.flatMap((feature, index) => {
    const what = `"${feature}" is a glob, but platform.read: feature needs names`;
    return isGlob(feature) ? under([index], wrong('contradiction', what, allowed)) : [];
  });
};

/** The keys of a device with a format problem, and the keys that a misspelt key resembles. */
const wrongKeysOf = (problems: readonly Problem[], index: number): ReadonlySet<unknown> =>
  new Set(
    problems
      .filter(({ path }) => path[0] === 'devices' && path[1] === index)
      .flatMap(({ path, rule, nearest = [] }): readonly unknown[] => (rule === 'unknown' ? nearest : [path[2]])),
  );

const validParts = (entry: DeviceEntry, wrongKeys: ReadonlySet<unknown>): DeviceEntry =>
  Object.fromEntries(Object.entries(entry).filter(([key]) => Object.hasOwn(DEVICE_KEYS, key) && !wrongKeys.has(key)));

/**
 * Rules over all devices: duplicate names and ids, `bridge` as a name, nothing to read, globs that cannot be
 * read. `found`: problems of the format check; the rules skip invalid parts.
 */
export const deviceProblems = ({ devices, platform }: Loaded, { found }: { found: readonly Problem[] }): readonly Problem[] => {
  const { read } = platform;
  const finds = findsDevices(platform);
  if (!Array.isArray(devices)) return [];
  if (finds && read === 'feature' && devices.length === 0)
    return under(['platform', 'read'], wrong('contradiction', 'is feature, but devices lists no features', 'auto'));

  const known = devices.map((entry: DeviceEntry, index) => {
    if (!isRecord(entry)) return undefined;
    const wrongKeys = wrongKeysOf(found, index);
    const right = validParts(entry, wrongKeys);
    const { name, gateway, device, features } = finds ? toChoice(right) : toDevice(right, read);
    const hasIds = !finds && gateway !== '' && device !== '';
    return {
      name,
      id: hasIds ? JSON.stringify([gateway, device]) : undefined,
      topicName: wrongKeys.has('name') ? undefined : (name ?? (hasIds ? `${gateway}-${device}` : undefined)),
      features: wrongKeys.has('features') ? undefined : features,
    };
  });
  const ids = known.map((device) => device?.id);
  const names = known.map((device) => device?.topicName);
  return known.flatMap((device, index) => {
    if (!device) return [];
    const { name, id, topicName, features } = device;
    const sameId = id === undefined ? index : ids.indexOf(id);
    const sameName = topicName === undefined ? index : names.indexOf(topicName);
    // Without names, the duplicate ids are already reported.
    const isNamedTwice = sameName < index && (sameId === index || name !== undefined);
    return under(
      ['devices', index],
      [
        ...(topicName === 'bridge' ? under(['name'], wrong('reserved', '"bridge" is reserved for the bridge', 'another name')) : []),
        ...(sameId < index ? wrong('twice', `has the same gateway and device as devices[${sameId}]`, 'one entry for each device') : []),
        ...(isNamedTwice
          ? under(['name'], wrong('twice', `"${topicName}" is already the name of devices[${sameName}]`, 'another name'))
          : []),
        ...(features ? under(['features'], featureProblems(features, read)) : []),
      ],
    );
  });
};
