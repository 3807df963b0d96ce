import { isGlob, matchesAny } from '../base/glob.ts';
import type { Device } from './home.ts';
import type { Target } from './ports.ts';

/** One read that belongs to the polling: a single feature, or all of a device. */
export type Read = { readonly device: Device; readonly target: Target };

const targetOf = ({ installation, gateway, device }: Device): Target => ({ installation, gateway, device });

/** The reads that show every feature chosen: one per feature, or one per device where that is asked for or a glob needs the list. */
export const readsOf = (devices: readonly Device[], read: 'feature' | 'device' | 'auto'): Read[] =>
  devices.flatMap((device): Read[] => {
    const whole = read === 'device' || (read === 'auto' && device.features.some(isGlob));
    if (whole) return [{ device, target: targetOf(device) }];
    return device.features.map((feature) => ({ device, target: { ...targetOf(device), feature } }));
  });

/** True where the settings choose this feature of the device. */
export const isChosen = (device: Device, feature: string): boolean =>
  matchesAny(feature, device.features) && !matchesAny(feature, device.exclude);

/** The same read has the same key. */
export const readKey = ({ gateway, device, feature }: Target): string => `${gateway}/${device}/${feature ?? ''}`;
