import { isGlob } from '../base/glob.ts';
import type { DeviceSettings, Settings } from './settings.ts';

/** How a device is read: with `auto`, all of it at once where a feature is written as a glob, else feature by feature. */
export const readMode = (read: Settings['platform']['read'], { features }: Pick<DeviceSettings, 'features'>): 'feature' | 'device' =>
  read === 'auto' ? (features.some(isGlob) ? 'device' : 'feature') : read;
