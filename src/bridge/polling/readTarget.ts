import { matchesAny } from '../../shared/glob.ts';
import type { Device } from '../devices/deviceState.ts';
import type { CallFailure, Target } from '../ports.ts';

/** One read that belongs to the polling: a single feature, all of a device, or of a gateway that `device` and `others` hang on. */
export type ReadTarget = { readonly device: Device; readonly others?: readonly Device[]; readonly target: Target };

/** How a read ended. */
export type ReadResult = { readonly ok: true } | { readonly ok: false; readonly failure: CallFailure };

/** The devices that a read shows. */
export const devicesOf = ({ device, others = [] }: ReadTarget): readonly Device[] => [device, ...others];

/** True where the settings choose this feature of the device. */
export const isChosen = (device: Device, feature: string): boolean =>
  matchesAny(feature, device.features) && !matchesAny(feature, device.exclude);

/** The same read has the same key. */
export const readKey = ({ gateway, device, feature }: Target): string => `${gateway}/${device ?? ''}/${feature ?? ''}`;
