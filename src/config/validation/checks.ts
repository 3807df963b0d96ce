import { readRule } from '../../schedule/calendar/rules.ts';
import { readWindow, windowMistake } from '../../schedule/prices/window.ts';
import { readSeasonSetting } from '../../schedule/seasons/seasonSetting.ts';
import { nearestWords } from '../../shared/closestMatch.ts';
import { isRecord } from '../../shared/json.ts';
import { isZone } from '../../shared/timeZone.ts';
import type { Path, Problem, SettingRule } from './mistake.ts';

/** The parameters of a format, from a row of the schema. */
export type Limits = {
  readonly choices?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** A right value, as it is written in YAML. */
  readonly example?: string;
  readonly sensitive?: true;
  /** Ids that a path needs. */
  readonly places?: readonly string[];
};

/** Every broken rule of a value, with the path of the wrong part below the value; none when it is right. */
export type Check = (value: unknown, limits: Limits) => readonly Problem[];

/** One broken rule of a whole value. */
export const wrong = (rule: SettingRule, what: string, allowed?: string, nearest: readonly string[] = []): readonly Problem[] => [
  { path: [], rule, what, allowed, nearest },
];

/** The broken rules of a part of a value, with paths that begin at the value. */
export const under = (part: Path, found: readonly Problem[]): readonly Problem[] =>
  found.map((one) => ({ ...one, path: [...part, ...one.path] }));

/** A key that the schema does not have among `siblings`. */
export const unknownKey = (siblings: readonly string[], nearest: readonly string[]): readonly Problem[] =>
  wrong('unknown', 'there is no such setting', siblings.join(', '), nearest);

const LONGEST_SHOWN = 60;

/** Splits a text after the protocol of an address; the protocol is empty where there is none. */
export const atProtocol = (text: string): readonly [protocol: string, rest: string] => {
  const [protocol = ''] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? [];
  return [protocol, text.slice(protocol.length)];
};

/** A text without possible secrets: user and password of an address, its query and fragment, keys and certificates. */
export const withoutSecrets = (text: string): string => {
  if (text.includes('-----BEGIN')) return '-----BEGIN …';
  const [protocol, rest] = atProtocol(text);
  const at = rest.lastIndexOf('@');
  const hasUser = at >= 0 && (protocol !== '' || rest.slice(0, at).includes(':'));
  const host = hasUser ? `…${rest.slice(at)}` : rest;
  return `${protocol}${protocol === '' ? host : host.replace(/([?#]).+$/s, '$1…')}`;
};

/** A value as a mistake shows it: short, each text and key passed through `clean`; a sensitive value is not shown. */
export const shown = (value: unknown, { sensitive }: Pick<Limits, 'sensitive'> = {}, clean = withoutSecrets): string => {
  if (sensitive) return 'the value';
  const json = JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === 'string') return clean(part);
    return isRecord(part) ? Object.fromEntries(Object.entries(part).map(([key, below]) => [clean(key), below])) : part;
  });
  const text = json ?? String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
};

const numberWithin = (value: unknown, { min = -Infinity, max = Infinity }: Limits, allowed: string): readonly Problem[] => {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    const [, whole, decimals] = (typeof value === 'string' && /^\s*(\d+),(\d+)\s*$/u.exec(value)) || [];
    return wrong('type', `${shown(value)} is not a number`, allowed, whole === undefined ? [] : [`${whole}.${decimals}`]);
  }
  if (value < min) return wrong('min', `${value} is too small`, allowed);
  return value > max ? wrong('max', `${value} is too large`, allowed) : [];
};

export const checkNumber: Check = (value, limits) => numberWithin(value, limits, `${limits.min} to ${limits.max}`);

export const checkWhole: Check = (value, limits) => {
  const allowed = `a whole number, ${limits.min} to ${limits.max}`;
  if (typeof value === 'number' && !Number.isInteger(value)) return wrong('whole', `${value} is not a whole number`, allowed);
  return numberWithin(value, limits, allowed);
};

export const checkNumberOrAuto: Check = (value, limits) =>
  value === 'auto' ? [] : numberWithin(value, limits, `auto, or ${limits.min} to ${limits.max}`);

export const checkFlag: Check = (value) =>
  typeof value === 'boolean' ? [] : wrong('type', `${shown(value)} is neither true nor false`, 'true, false');

export const checkChoice: Check = (value, { choices = [] }) =>
  choices.some((word) => word === value) ? [] : wrong('choice', `${shown(value)} is not a choice`, choices.join(', '));

const CONTROL = /[\p{Cc}&&\p{ASCII}]/v;

/** A text on one line that is not empty. */
export const checkText: Check = (value, limits) => {
  const allowed = limits.example === undefined ? 'text on one line' : `text, as ${limits.example}`;
  if (typeof value !== 'string') return wrong('type', `${shown(value, limits)} is not a text`, allowed);
  if (value === '') return wrong('empty', 'is empty', allowed);
  if (CONTROL.test(value)) return wrong('text', `${shown(value, limits)} holds a line break or control character`, allowed);
  return value.isWellFormed() ? [] : wrong('text', `${shown(value, limits)} holds half a character`, allowed);
};

/** A text on one line for which `rule` finds nothing wrong; with `sensitive`, a value that is no such text is not shown. */
export const checkTextBy =
  (rule: (text: string, limits: Limits) => readonly Problem[], hidden: Pick<Limits, 'sensitive'> = {}): Check =>
  (value, limits) => {
    const found = checkText(value, { ...limits, ...hidden });
    return found.length > 0 || typeof value !== 'string' ? found : rule(value, limits);
  };

/** The path of a PEM file, and not its content. */
export const checkPemFile: Check = (value, limits) =>
  typeof value === 'string' && value.includes('-----BEGIN')
    ? wrong('text', 'holds the text of a PEM file', 'the path of that file')
    : checkText(value, limits);

/** A list in which every item passes the check. A broken rule of an item has the item's index as path. */
export const checkEach =
  (check: Check): Check =>
  (value, limits) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => under([index], check(item, limits)))
      : wrong('type', `${shown(value)} is not a list`, limits.example && `a list, as ${limits.example}`);

/** One to ten positive seconds, each later than the one before. */
export const checkAscending: Check = (value, limits) => {
  const found = checkEach(checkNumber)(value, limits);
  if (found.length > 0 || !Array.isArray(value)) return found;
  const allowed = `1 to 10 numbers, each greater than the one before, as ${limits.example}`;
  if (value.length < 1 || value.length > 10) return wrong('length', `has ${value.length} items`, allowed);
  return value.flatMap((item, index) =>
    index > 0 && item <= value[index - 1] ? under([index], wrong('order', `${item} is not after ${value[index - 1]}`, allowed)) : [],
  );
};

/** The name of a time zone, or `auto`. The nearest names are found by the last part too (`Berlin`). */
export const checkZone: Check = (value, { example }) => {
  if (value === 'auto' || (typeof value === 'string' && isZone(value))) return [];
  const allowed = `auto, or a name of the time zone database, as ${example}`;
  if (typeof value !== 'string') return wrong('type', `${shown(value)} is not a text`, allowed);
  const names = Intl.supportedValuesOf('timeZone');
  const city = value.replace(/ /g, '_').toLowerCase();
  const cities = city === '' ? [] : names.filter((name) => name.toLowerCase().endsWith(`/${city}`));
  return wrong('zone', `${shown(value)} is no time zone`, allowed, cities.length > 0 ? cities : nearestWords(value, names));
};

const WINDOW_MISTAKES = {
  count: 'there is none, or there are more than three',
  short: 'one is shorter than an hour, or than its minutes',
  overlap: 'two overlap',
  turn: 'no moment from 14:00 on lies between them, when the prices of tomorrow are known',
} as const;

/** Windows of a price plan, as `22:00-06:30 60 min`. */
export const checkWindows: Check = (value, { example }) => {
  const allowed = `windows, as ${example}`;
  const texts = Array.isArray(value) ? value : [value];
  const read = texts.map((text) => (typeof text === 'string' ? readWindow(text) : undefined));
  const bad = texts.find((_, index) => read[index] === undefined);
  if (bad !== undefined) return wrong('window', `${shown(bad)} is no window`, allowed);
  const mistake = windowMistake(read.filter((one) => one !== undefined));
  return mistake ? wrong('window', WINDOW_MISTAKES[mistake], allowed) : [];
};

/** A text that `read` understands; of any other it says what is expected. */
const checkRead = (rule: SettingRule, what: string, read: (text: string) => unknown): Check =>
  checkTextBy((text) => {
    const found = read(text);
    return typeof found === 'string' ? wrong(rule, `${shown(text)} is no ${what}`, found) : [];
  });

export const checkCalendarRule = checkRead('calendar_rule', 'rule', readRule);
export const checkSeason = checkRead('season', 'schedule with its seasons', readSeasonSetting);
