import type { Feature, Parameter } from './feature.ts';

const finite = (value: unknown, otherwise: number): number => (typeof value === 'number' && Number.isFinite(value) ? value : otherwise);

const TOLERANCE = 1e-6;

/** The legal step nearest to `value` (the upper of two); a value beyond the limits stays what it is, since limits are never clamped. */
export const nearestStep = (constraints: Parameter['constraints'], value: number): number => {
  const [min, max] = [finite(constraints.min, Number.NEGATIVE_INFINITY), finite(constraints.max, Number.POSITIVE_INFINITY)];
  const stepping = finite(constraints.stepping, 0);
  if (stepping <= 0 || value < min - TOLERANCE || value > max + TOLERANCE) return value;
  const from = Number.isFinite(min) ? min : 0;
  const most = Number.isFinite(max) ? Math.floor((max - from) / stepping + TOLERANCE) : Number.POSITIVE_INFINITY;
  // 20.1 instead of 20.100000000000001.
  return Number((from + Math.min(Math.round((value - from) / stepping), most) * stepping).toFixed(6));
};

/** True where a number is a temperature in °C: by the parameter that writes it, or by a unit, which old records have in a property beside it. */
export const isTemperature = (feature: Feature, property: string, parameter: string): boolean => {
  if (/temperature$/iu.test(parameter)) return true;
  const shown = feature.properties.get(property);
  const beside = feature.properties.get('unit')?.value;
  return (shown?.unit ?? (typeof beside === 'string' ? beside : '')).toLowerCase() === 'celsius';
};
