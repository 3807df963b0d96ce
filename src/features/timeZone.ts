import { isZone } from '../shared/timeZone.ts';
import type { Feature } from './feature.ts';

/** The feature in which a device, often a gateway, names its time zone (seen in one record). */
export const TIME_ZONE_FEATURE = 'device.timezone';

/** The zone that the feature names; undefined where this machine does not know it. */
export const timeZoneOf = ({ name, properties }: Feature): string | undefined => {
  const value = name === TIME_ZONE_FEATURE ? properties.get('value')?.value : undefined;
  return typeof value === 'string' && isZone(value) ? value : undefined;
};
