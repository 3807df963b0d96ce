import { nearestWords } from '../../shared/closestMatch.ts';
import { isZone } from '../../shared/timeZone.ts';
import type { Problem } from './mistake.ts';

/** What a row of the schema says beside its format. */
export type Limits = {
  readonly default?: unknown;
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Protocols of a URL, without the colon. */
  readonly protocols?: readonly string[];
  /** A right value, as it is written. */
  readonly example?: string;
  readonly sensitive?: true;
  /** Ids that a path needs. */
  readonly places?: readonly string[];
};

/** What is wrong with a value; `path` starts below the setting, where it isn't the whole of it that is wrong. */
export type Found = Omit<Problem, 'path'> & Partial<Pick<Problem, 'path'>>;

/** Every broken rule of a value; none when it is right. */
export type Check = (value: unknown, limits: Limits) => readonly Found[];

const LONGEST_SHOWN = 60;

/** A text, cut behind the protocol of an address; the empty text where it has none. */
export const atProtocol = (text: string): readonly [protocol: string, rest: string] => {
  const [protocol = ''] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? [];
  return [protocol, text.slice(protocol.length)];
};

/**
 * A text of the settings without what may be secret in it: user and password of an address, whatever characters they have, what follows
 * its question mark, and keys and certificates.
 */
export const withoutSecrets = (text: string): string => {
  if (text.includes('-----BEGIN')) return '-----BEGIN …';
  const [protocol, rest] = atProtocol(text);
  const at = rest.lastIndexOf('@');
  const hasUser = at >= 0 && (protocol !== '' || rest.slice(0, at).includes(':'));
  const host = hasUser ? `…${rest.slice(at)}` : rest;
  return `${protocol}${protocol === '' ? host : host.replace(/([?#]).+$/s, '$1…')}`;
};

const isTree = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value as a mistake shows it: short, and without what is secret, which `clean` takes from each text. */
export const shown = (value: unknown, { sensitive }: Pick<Limits, 'sensitive'> = {}, clean = withoutSecrets): string => {
  if (sensitive) return 'the value';
  const json = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') return clean(part);
    return isTree(part) ? Object.fromEntries(Object.entries(part).map(([key, below]) => [clean(key), below])) : part;
  });
  const text = json ?? String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
};

/** A finite number within `min` and `max`. */
export const checkNumber: Check = (value, { min = -Infinity, max = Infinity }) => {
  const allowed = `${min} to ${max}`;
  if (typeof value !== 'number' || !Number.isFinite(value)) return [{ rule: 'type', what: `${shown(value)} is not a number`, allowed }];
  if (value < min) return [{ rule: 'min', what: `${value} is too small`, allowed }];
  return value > max ? [{ rule: 'max', what: `${value} is too large`, allowed }] : [];
};

/** `true` or `false`. */
export const checkFlag: Check = (value) =>
  typeof value === 'boolean' ? [] : [{ rule: 'type', what: `${shown(value)} is neither true nor false`, allowed: 'true, false' }];

/** A whole number within `min` and `max`. */
export const checkWhole: Check = (value, limits) => {
  const allowed = `a whole number, ${limits.min} to ${limits.max}`;
  if (typeof value === 'number' && !Number.isInteger(value)) return [{ rule: 'whole', what: `${value} is not a whole number`, allowed }];
  return checkNumber(value, limits).map((found) => ({ ...found, allowed }));
};

/** A number within `min` and `max`, or `auto`. */
export const checkNumberOrAuto: Check = (value, limits) =>
  value === 'auto' ? [] : checkNumber(value, limits).map((found) => ({ ...found, allowed: `auto, or ${found.allowed}` }));

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** A text that isn't empty, on one line. */
export const checkText: Check = (value, limits) => {
  const allowed = limits.example === undefined ? 'text on one line' : `text, as ${limits.example}`;
  if (typeof value !== 'string') return [{ rule: 'type', what: `${shown(value, limits)} is not a text`, allowed }];
  if (value === '') return [{ rule: 'empty', what: 'is empty', allowed }];
  if (CONTROL.test(value)) return [{ rule: 'text', what: `${shown(value, limits)} holds a line break or control character`, allowed }];
  return value.isWellFormed() ? [] : [{ rule: 'text', what: `${shown(value, limits)} holds half a character`, allowed }];
};

/** The path of a PEM file, and not what stands in it. */
export const checkPemFile: Check = (value, limits) =>
  typeof value === 'string' && value.includes('-----BEGIN')
    ? [{ rule: 'text', what: 'holds the text of a PEM file', allowed: 'the path of that file' }]
    : checkText(value, limits);

/** One of `choices`. */
export const checkChoice: Check = (value, { choices = [] }) => {
  const allowed = choices.join(', ');
  return choices.some((word) => word === value) ? [] : [{ rule: 'choice', what: `${shown(value)} is not a choice`, allowed }];
};

/** A list of which every item passes the check; what is wrong with an item has its index as path. */
export const checkEach =
  (check: Check): Check =>
  (value, limits) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => check(item, limits).map((found) => ({ ...found, path: [index, ...(found.path ?? [])] })))
      : [
          {
            rule: 'type',
            what: `${shown(value)} is not a list`,
            ...(limits.example === undefined ? {} : { allowed: `a list, as ${limits.example}` }),
          },
        ];

/** Positive seconds, each later than the one before, at most ten. */
export const checkAscending: Check = (value, limits) => {
  const found = checkEach(checkNumber)(value, limits);
  if (found.length > 0 || !Array.isArray(value)) return found;
  const allowed = `1 to 10 numbers, each greater than the one before, as ${limits.example}`;
  if (value.length < 1 || value.length > 10) return [{ rule: 'length', what: `has ${value.length} items`, allowed }];
  return value.flatMap((item, index) =>
    index > 0 && item <= value[index - 1]
      ? [{ path: [index], rule: 'order', what: `${item} is not after ${value[index - 1]}`, allowed }]
      : [],
  );
};

/** The name of a time zone, or `auto`; the nearest names also for the last part of one (`Berlin`). */
export const checkZone: Check = (value, { example }) => {
  if (value === 'auto' || (typeof value === 'string' && isZone(value))) return [];
  const allowed = `auto, or a name of the time zone database, as ${example}`;
  if (typeof value !== 'string') return [{ rule: 'type', what: `${shown(value)} is not a text`, allowed }];
  const names = Intl.supportedValuesOf('timeZone');
  const city = value.replace(/ /g, '_').toLowerCase();
  const cities = city === '' ? [] : names.filter((name) => name.toLowerCase().endsWith(`/${city}`));
  return [
    { rule: 'zone', what: `${shown(value)} is no time zone`, allowed, nearest: cities.length > 0 ? cities : nearestWords(value, names) },
  ];
};
