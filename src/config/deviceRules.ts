import { isGlob } from '../base/glob.ts';
import type { Path, Problem } from './mistake.ts';
import type { DeviceEntry } from './setting.ts';
import type { DeviceSettings, Settings } from './settings.ts';

type Read = Settings['platform']['read'];

const items = (written: string | readonly string[] | null | undefined): readonly string[] =>
  typeof written === 'string' ? [written] : (written ?? []);

/** A device as written becomes the device in force: without features named, all of them where a device is read at once. */
export const toDevice = ({ name, installation, gateway, device, features, exclude }: DeviceEntry, read: Read): DeviceSettings => ({
  ...(name === undefined || name === null ? {} : { name }),
  installation,
  gateway,
  device,
  features: read === 'device' && items(features).length === 0 ? ['*'] : items(features),
  exclude: items(exclude),
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

const featureProblems = ({ features }: DeviceSettings, read: Read, path: Path): readonly Problem[] => {
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

/** What devices break that are right each in its parts: names and ids given twice, `bridge` as a name, nothing to read, globs that cannot be read. */
export const deviceProblems = (entries: readonly DeviceEntry[], read: Read): readonly Problem[] => {
  const devices = entries.map((entry) => toDevice(entry, read));
  const sameId = repeated(devices, ({ gateway, device }) => JSON.stringify([gateway, device]));
  const sameName = repeated(devices, deviceName);
  return devices.flatMap((device, index): readonly Problem[] => {
    const path = ['devices', index];
    const id = sameId.get(index);
    const name = sameName.get(index);
    return [
      ...(deviceName(device) === 'bridge'
        ? [{ path: [...path, 'name'], rule: 'reserved', what: '"bridge" is the name of the bridge itself', allowed: 'any other' }]
        : []),
      ...(id === undefined
        ? []
        : [{ path, rule: 'twice', what: `has the gateway and device of devices[${id}]`, allowed: 'one entry for each device' }]),
      ...(name === undefined || (id !== undefined && device.name === undefined)
        ? []
        : [
            {
              path: [...path, 'name'],
              rule: 'twice',
              what: `"${deviceName(device)}" is the name of devices[${name}]`,
              allowed: 'another name',
            },
          ]),
      ...featureProblems(device, read, path),
    ];
  });
};
