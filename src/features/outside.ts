import type { Feature } from './feature.ts';

/** The feature with the outside temperature. */
export const OUTSIDE = 'heating.sensors.temperature.outside';

/** A number that this feature shows, in °C; undefined in another unit than °C and °F. */
export const celsius = (feature: Feature | undefined, value: number): number | undefined => {
  switch (feature?.properties.get('value')?.unit?.toLowerCase() ?? '') {
    case '':
    case 'celsius':
      return value;
    case 'fahrenheit':
      return (value - 32) / 1.8;
    default:
      return undefined;
  }
};
