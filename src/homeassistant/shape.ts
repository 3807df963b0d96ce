import type { Feature, Json, Property } from '../features/feature.ts';

/** How a property is shown. An unknown or contradicting type follows the JSON value; text without a value. */
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

/** The shape by the property's type, corrected by its value. */
export const shapeOf = ({ type, value }: Property): Shape => {
  const declared = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (value === undefined || value === null) return declared ?? 'text';
  const seen = shapeOfValue(value);
  return declared === 'schedule' && seen === 'object' ? 'schedule' : seen;
};

// Units that records omit, by `feature/property`: newer records have them, or only one is possible.
const OMITTED_UNITS: readonly (readonly [RegExp, string])[] = [
  [/\/temperature$|\.temperature\.(main|temp2)\/value$/, 'celsius'],
  [/\.statistics\/hours$/, 'hour'],
  [/(?:^|\.)wifi\/strength$/, 'dBm'],
  [/\.volumetricFlow(?:\.\w+)?\/value$/, 'liter/hour'],
  [/\.co2\/value$/, 'partsPerMillion'],
];

/** A property's unit, or ''. Older records have it as properties: `unit` for all, `maxUnit` for `max`. */
export const unitOf = (feature: Feature, name: string, property: Property): string => {
  if (property.unit) return property.unit;
  const beside = feature.properties.get(`${name}Unit`)?.value ?? feature.properties.get('unit')?.value;
  if (typeof beside === 'string' && beside !== '') return beside;
  return OMITTED_UNITS.find(([place]) => place.test(`${feature.name}/${name}`))?.[1] ?? '';
};
