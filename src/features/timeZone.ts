import { isZone } from '../shared/timeZone.ts';
import type { Feature } from './feature.ts';

/** The feature in which a device, often a gateway, tells the zone that it lives in (seen in one record). */
export const TIME_ZONE_FEATURE = 'device.timezone';

/** The zone that the feature tells; undefined where it tells none that this machine knows. */
export const timeZoneOf = ({ name, properties }: Feature): string | undefined =>
  name === TIME_ZONE_FEATURE ? knownZone(properties.get('value')?.value) : undefined;

/** The text where it is the name of a zone. */
export const knownZone = (value: unknown): string | undefined => (typeof value === 'string' && isZone(value) ? value : undefined);
