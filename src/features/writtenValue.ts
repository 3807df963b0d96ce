import { bad, broken, type Checked, good, pointer, shown } from '../shared/issue.ts';
import type { Json } from './feature.ts';

/** How to read a value: the property's type, and the allowed units after a number. */
export type Form = { readonly name: string; readonly type: string; readonly units: readonly string[]; readonly isDate: boolean };

// Hubs and users also write numbers as "21.5 °C" and "21,5".
const NUMBER = /^([+-]?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?)\s*(.*)$/iu;

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['on', true],
  ['off', false],
  ['1', true],
  ['0', false],
]);

// A day with a local time: hubs without a date type send both.
const LOCAL_TIME = /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/u;

// A common date format in many countries: 21.12.2026.
const DOTTED = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/u;

/** The day in the platform's format: `2026-12-21`. */
const dayIn = (text: string): string =>
  text
    .trim()
    .replace(LOCAL_TIME, '$1')
    .replace(DOTTED, (_, day: string, month: string, year: string) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`);

/** Reads a written value for a property, leniently (docs/topics.md). `path`: its place in the payload. */
export const readWritten = ({ name, type, units, isDate }: Form, json: Json, path: string): Checked<Json> => {
  const wrong = (wanted: string): Checked<never> =>
    bad(broken('type', path, `${name} must be ${wanted}, not ${shown(json) || 'an empty text'}`, { got: json, allowed: type }));
  switch (type) {
    case 'number':
      if (typeof json === 'number') return good(json);
      return typeof json === 'string' ? readNumber(name, units, json, path) : wrong('a number');
    case 'boolean': {
      const value = typeof json === 'object' ? undefined : BOOLEANS.get(String(json).trim().toLowerCase());
      return value === undefined ? wrong('true or false (ON, off, 1 and similar are accepted)') : good(value);
    }
    case 'string':
      if (typeof json !== 'string') return wrong('a text');
      return good(isDate ? dayIn(json) : json);
    case 'array':
      return Array.isArray(json) ? good(json) : wrong('a list');
    case 'object':
      return typeof json === 'object' && json !== null && !Array.isArray(json) ? good(json) : wrong('an object');
    default:
      return good(json);
  }
};

const readNumber = (name: string, units: readonly string[], text: string, path: string): Checked<Json> => {
  const [, digits = '', unit = ''] = NUMBER.exec(text.trim()) ?? [];
  const value = Number(digits.replace(',', '.'));
  if (digits === '' || !Number.isFinite(value))
    return bad(broken('type', path, `${name} must be a number, not ${shown(text) || 'an empty text'}`, { got: text, allowed: 'number' }));
  const known = units.some((one) => one.toLowerCase() === unit.toLowerCase());
  if (unit === '' || known) return good(value);
  const right = units.length > 0 ? `use ${units[0]}, or no unit` : 'use no unit';
  return bad(broken('type', path, `${shown(unit)} is not the unit of ${name}; ${right}`, { got: text, allowed: units }));
};

/** Reads an object of property values, each in the form of its property. Issues have their places. */
export const readWrittenObject = (
  forms: ReadonlyMap<string, Form>,
  json: Readonly<Record<string, Json>>,
  at: string,
  unknown: (name: string, got: Json) => ReturnType<typeof broken>,
): Checked<ReadonlyMap<string, Json>> => {
  const values = new Map<string, Json>();
  const issues = [];
  for (const [name, given] of Object.entries(json)) {
    const form = forms.get(name);
    const read = form ? readWritten(form, given, at + pointer(name)) : bad(unknown(name, given));
    if (read.ok) values.set(name, read.value);
    else issues.push(...read.issues);
  }
  if (Object.keys(json).length === 0) issues.push(broken('required', at, 'the object contains no property'));
  return issues.length > 0 ? bad(...issues) : good(values);
};
