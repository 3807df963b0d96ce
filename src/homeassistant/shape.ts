import type { Feature, Json, Property } from '../features/feature.ts';

/** How a property is shown. A type that is not known yet, or that its value contradicts, is what the value's JSON says; without one, text. */
export type Shape = 'array' | 'boolean' | 'number' | 'object' | 'schedule' | 'text';

const TYPES: Readonly<Record<string, Shape>> = {
  array: 'array',
  boolean: 'boolean',
  number: 'number',
  object: 'object',
  Schedule: 'schedule',
  string: 'text',
};

const shapeOfValue = (value: Json): Shape => {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'object') return 'object';
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'boolean';
};

/** By its type, corrected by its value. */
export const shapeOf = ({ type, value }: Property): Shape => {
  const declared = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (value === undefined || value === null) return declared ?? 'text';
  const seen = shapeOfValue(value);
  return declared === 'schedule' && seen === 'object' ? 'schedule' : seen;
};

// Numbers whose unit older records say nowhere, by `feature/property`; newer ones of the same name have these.
const UNSAID: readonly (readonly [RegExp, string])[] = [
  [/\/temperature$|\.temperature\.(main|temp2)\/value$/, 'celsius'],
  [/\.statistics\/hours$/, 'hour'],
];

/** The platform's unit of a property, empty where it has none. Older records have it beside the value: `unit` for all, `maxUnit` for `max`. */
export const unitOf = (feature: Feature, name: string, property: Property): string => {
  if (property.unit) return property.unit;
  const beside = feature.properties.get(`${name}Unit`)?.value ?? feature.properties.get('unit')?.value;
  if (typeof beside === 'string' && beside !== '') return beside;
  return UNSAID.find(([place]) => place.test(`${feature.name}/${name}`))?.[1] ?? '';
};
