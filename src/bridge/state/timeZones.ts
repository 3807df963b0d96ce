import { isZone } from '../../shared/timeZone.ts';
import type { Device, DeviceState } from './deviceState.ts';

/** The feature in which a device, often a gateway, names its time zone (seen in one record). */
export const TIME_ZONE_FEATURE = 'device.timezone';

/** The time zone of a device's schedules, and its source. */
export type Zone = { readonly name: string; readonly from: 'setting' | 'platform' | 'machine' };

export type ZoneSources = {
  /** The setting: `auto`, or a zone. */
  readonly setting: string;
  readonly machine: string;
  /** The time zone that the list of installations gives. */
  readonly installation: (id: string) => string | undefined;
};

/**
 * The setting; else the platform's: the device's own `device.timezone`, that of another device on the same
 * gateway, then in the same installation, then the installation's address; else the machine's.
 */
export const zoneFor = (device: Device, states: Iterable<DeviceState>, { setting, machine, installation }: ZoneSources): Zone => {
  if (setting !== 'auto') return { name: setting, from: 'setting' };
  const near = [...states]
    .filter((state) => state.device.installation === device.installation)
    .toSorted((a, b) => distance(a.device, device) - distance(b.device, device));
  const reported = near.map(zoneFrom).find((zone) => zone !== undefined) ?? installation(device.installation);
  return reported === undefined ? { name: machine, from: 'machine' } : { name: reported, from: 'platform' };
};

const distance = (a: Device, b: Device): number => {
  if (a.gateway !== b.gateway) return 2;
  return a.device === b.device ? 0 : 1;
};

/** The zone that the device names; undefined where this machine does not know it. */
const zoneFrom = (state: DeviceState): string | undefined => {
  const zone = state.textOf(TIME_ZONE_FEATURE);
  return zone !== undefined && isZone(zone) ? zone : undefined;
};
