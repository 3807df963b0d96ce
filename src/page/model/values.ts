import type { Feature, Json, Property } from '../../features/feature.ts';
import { choicesOf, limitsOf, type Writing, writingsOf } from '../../features/writings.ts';
import { LANGUAGES } from '../../language/language.ts';
import { nameOf } from '../../language/names/name.ts';
import { featureTopic, propertyTopic, RESERVED } from '../../topics/topicNames.ts';
import type { Device } from './device.ts';

/** The input control of a value. */
export type ValueControl =
  | { readonly kind: 'number'; readonly min?: number; readonly max?: number; readonly step?: number }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  /** `values`: those that a command can set now. */
  | { readonly kind: 'switch'; readonly values: readonly boolean[] }
  | { readonly kind: 'text'; readonly maxLength?: number };

/** A property of a feature, for the page of all values. */
export type Value = {
  readonly device: string;
  readonly feature: string;
  readonly property: string;
  readonly type: string;
  readonly unit: string;
  readonly value?: Json | undefined;
  /** The state topic; for a value without its own topic, the record of its feature. */
  readonly topic: string;
  /** True if the topic has only this value, as text. */
  readonly isAlone: boolean;
  /** Writes go to `<topic>/set`. Absent if the value is read-only or not writable now. */
  readonly control?: ValueControl | undefined;
  /** The text to search: the platform's names, the topic, and the display names in each language. */
  readonly path: string;
};

/** The defined numbers of a record. */
export const numbers = (limits: Readonly<Record<string, number | undefined>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(limits).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

const isLongest = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0;

/** The control for a property; undefined if no command can write it now. */
const controlOf = (feature: Feature, name: string, { type }: Property): ValueControl | undefined => {
  const writings = writingsOf(feature).filter(({ property, command }) => property === name && command.isExecutable);
  if (writings.length === 0) return undefined;
  if (type === 'boolean') {
    const sets = (value: boolean): boolean => writings.some((one: Writing) => one.parameter !== undefined || one.value === value);
    return { kind: 'switch', values: [true, false].filter(sets) };
  }
  const choices = type === 'string' ? choicesOf(feature, name) : [];
  if (choices.length > 0) return { kind: 'choice', choices: [...new Set(choices)] };
  if (type === 'number') {
    const { min, max, stepping } = limitsOf(feature, name) ?? {};
    return { kind: 'number', ...numbers({ min, max, step: stepping !== undefined && stepping > 0 ? stepping : undefined }) };
  }
  if (type !== 'string') return undefined;
  const longest = writings.map(({ parameter }) => parameter?.constraints['maxLength']).find(isLongest);
  return { kind: 'text', ...(longest === undefined ? {} : { maxLength: longest }) };
};

const rowOf = (base: string, device: string, feature: Feature, name: string, property: Property): Value => {
  const isWeek = property.type === 'Schedule';
  const isAlone = isWeek || !RESERVED.has(name);
  const leaf = isWeek ? 'entries' : 'record';
  const topic = isWeek || !isAlone ? featureTopic(base, device, feature.name, leaf) : propertyTopic(base, device, feature.name, name);
  const control = isWeek || !isAlone ? undefined : controlOf(feature, name, property);
  return {
    ...{ device, feature: feature.name, property: name, type: property.type, unit: property.unit ?? '', value: property.value },
    ...{ topic, isAlone, control },
    path: [device, `${feature.name}.${name}`, topic, ...LANGUAGES.map((one) => nameOf(feature.name, name, one))].join(' ').toLowerCase(),
  };
};

/** Cached rows of unchanged features. */
const known = new WeakMap<Feature, readonly Value[]>();

/** Order: measured or settable values, other words and numbers, device descriptions, lists and records. */
const rankOf = ({ feature, property, value, unit, control }: Value): number => {
  if (typeof value === 'object' && value !== null) return 3;
  if (feature.startsWith('device.') || property === 'status') return 2;
  return unit !== '' || (control && control.kind !== 'text') ? 0 : 1;
};

/** All properties of all devices, by device, use, feature and property. */
export const valuesOf = (devices: readonly Device[], base: string): readonly Value[] =>
  devices.flatMap(({ name: device, features }) =>
    [...features.values()]
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((feature) => {
        const before = known.get(feature);
        if (before && (before[0]?.topic.startsWith(`${base}/`) ?? true)) return before;
        const rows = [...feature.properties].map(([name, property]) => rowOf(base, device, feature, name, property));
        known.set(feature, rows);
        return rows;
      })
      .toSorted((a, b) => rankOf(a) - rankOf(b)),
  );

/** The values whose search text has every word of the query, in any order. */
export const searchValues = (values: readonly Value[], search: string): readonly Value[] => {
  const words = search.toLowerCase().split(/\s+/u).filter(Boolean);
  return values.filter(({ path }) => words.every((word) => path.includes(word)));
};

/** The payload of a value, as on its topic. */
export const payloadOfValue = (value: Json | undefined): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
