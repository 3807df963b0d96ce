import { readRule } from '../../schedule/calendar/rules.ts';
import { readWindow, windowMistake } from '../../schedule/prices/window.ts';
import { readSeasonSetting } from '../../schedule/seasons/seasonSetting.ts';
import { nearestWords } from '../../shared/closestMatch.ts';
import { isZone } from '../../shared/timeZone.ts';
import { ADDRESS_FORMATS } from './addressChecks.ts';
import { type Check, checkEach, checkText, checkTextBy, type Limits, shown, under, wrong } from './checks.ts';
import type { Problem, SettingRule } from './mistake.ts';
import { asList, eachOf, type JsonSchema, listBy, listShape, rowsOf, textShape, textsOf } from './rows.ts';
import { profiles } from './storedWeeks.ts';
import { WEB_FORMATS } from './webChecks.ts';

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

const asNumber = (written: unknown): unknown => (typeof written === 'string' && NUMBER.test(written) ? Number(written) : written);

const asFlag = (written: unknown): unknown => {
  const word = typeof written === 'string' ? written.trim().toLowerCase() : written;
  return word === 'true' || word === 'false' ? word === 'true' : written;
};

/** Words for true and false elsewhere: in YAML 1.1, in other programs, in German. */
const FLAG_WORDS = { true: ['yes', 'on', 'y', '1', 'ja', 'an', 'ein'], false: ['no', 'off', 'n', '0', 'nein', 'aus'] };

const meantFlag = (written: unknown): readonly string[] =>
  Object.entries(FLAG_WORDS).flatMap(([flag, words]) => (words.includes(String(written).trim().toLowerCase()) ? [flag] : []));

const numberShape = (type: 'number' | 'integer', { min, max }: Limits, pattern = NUMBER.source): JsonSchema => ({
  type: [type, 'string', 'null'],
  minimum: min,
  maximum: max,
  pattern,
});

/** `21,5` with a decimal point; undefined for any other text. */
const withPoint = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\s*\d+,\d+\s*$/u.test(value) ? value.trim().replace(',', '.') : undefined;

const numberWithin = (value: unknown, { min = -Infinity, max = Infinity }: Limits, allowed: string): readonly Problem[] => {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    const near = withPoint(value);
    return wrong('type', `${shown(value)} is not a number`, allowed, near === undefined ? [] : [near]);
  }
  if (value < min) return wrong('min', `${value} is below the minimum of ${min}`, allowed);
  return value > max ? wrong('max', `${value} is above the maximum of ${max}`, allowed) : [];
};

const checkNumber: Check = (value, limits) => numberWithin(value, limits, `${limits.min} to ${limits.max}`);

const checkWhole: Check = (value, limits) => {
  const allowed = `a whole number, ${limits.min} to ${limits.max}`;
  const near = withPoint(value);
  const number = near === undefined ? value : Number(near);
  if (typeof number === 'number' && !Number.isInteger(number)) return wrong('whole', `${value} is not a whole number`, allowed);
  return numberWithin(value, limits, allowed);
};

/** One to ten positive seconds, each later than the one before. */
const checkAscending: Check = (value, limits) => {
  const found = checkEach(checkNumber)(value, limits);
  if (found.length > 0 || !Array.isArray(value)) return found;
  const allowed = `1 to 10 numbers, each greater than the one before, such as ${limits.example}`;
  if (value.length < 1 || value.length > 10) return wrong('length', `has ${value.length} items`, allowed);
  return value.flatMap((item, index) =>
    index > 0 && item <= value[index - 1] ? under([index], wrong('order', `${item} is not greater than ${value[index - 1]}`, allowed)) : [],
  );
};

/** The name of a time zone, or `auto`. Suggestions also match the last part (`Berlin`). */
const checkZone: Check = (value, { example }) => {
  if (value === 'auto' || (typeof value === 'string' && isZone(value))) return [];
  const allowed = `auto, or a name from the time zone database, such as ${example}`;
  if (typeof value !== 'string') return wrong('type', `${shown(value)} is not a text`, allowed);
  const names = Intl.supportedValuesOf('timeZone');
  const city = value.replace(/ /g, '_').toLowerCase();
  const cities = city === '' ? [] : names.filter((name) => name.toLowerCase().endsWith(`/${city}`));
  return wrong('zone', `${shown(value)} is not a time zone`, allowed, cities.length > 0 ? cities : nearestWords(value, names));
};

const WINDOW_MISTAKES = {
  count: 'has no window or more than three',
  short: 'has a window that is shorter than an hour, or than its minutes',
  overlap: 'has windows that overlap',
  turn: 'has no gap after 14:00, when the prices of the next day are known',
} as const;

/** Windows of a price plan, such as `22:00-06:30 60 min`. */
const checkWindows: Check = (value, { example }) => {
  const allowed = `windows, such as ${example}`;
  const texts = Array.isArray(value) ? value : [value];
  const read = texts.map((text) => (typeof text === 'string' ? readWindow(text) : undefined));
  const bad = texts.find((_, index) => read[index] === undefined);
  if (bad !== undefined) return wrong('window', `${shown(bad)} is not a window`, allowed);
  const mistake = windowMistake(read.filter((one) => one !== undefined));
  return mistake ? wrong('window', WINDOW_MISTAKES[mistake], allowed) : [];
};

/** A code of ISO 4217. Codes that this Node.js does not know are valid, because new ones appear. */
const checkCurrency = checkTextBy((text) => {
  if (/^[A-Z]{3}$/.test(text)) return [];
  const near = text === '€' ? 'EUR' : text.slice(0, 3).toUpperCase();
  const known = Intl.supportedValuesOf('currency').filter((code) => code === near);
  return wrong('currency', `${shown(text)} is not a currency code`, 'three letters of ISO 4217, such as EUR', known);
});

/** A text that `read` accepts; otherwise the problem tells what is expected. */
const checkRead = (rule: SettingRule, what: string, read: (text: string) => unknown): Check =>
  checkTextBy((text) => {
    const found = read(text);
    return typeof found === 'string' ? wrong(rule, `${shown(text)} is not a ${what}`, found) : [];
  });

/** The formats: each builds a schema row from its limits, default and meaning. */
export const setting = {
  text: rowsOf<string>(checkText, () => textShape),
  /** The path of a PEM file, not its content. */
  pemFile: rowsOf<string>(
    (value, limits) =>
      typeof value === 'string' && value.includes('-----BEGIN')
        ? wrong('text', 'contains the text of a PEM file', 'the path of the file')
        : checkText(value, limits),
    () => textShape,
  ),
  choice: rowsOf<string>(
    (value, { choices = [] }) =>
      choices.some((word) => word === value) ? [] : wrong('choice', `${shown(value)} is not a valid value`, choices.join(', ')),
    ({ choices = [] }) => ({ enum: [...choices, ...choices.map(Number).filter(Number.isInteger), null] }),
  ),
  flag: rowsOf<boolean>(
    (value) =>
      typeof value === 'boolean' ? [] : wrong('type', `${shown(value)} is neither true nor false`, 'true, false', meantFlag(value)),
    () => ({ type: ['boolean', 'string', 'null'], pattern: '^(?:[Tt]rue|[Ff]alse|TRUE|FALSE)$' }),
    { coerce: asFlag },
  ),
  whole: rowsOf<number>(checkWhole, (limits) => numberShape('integer', limits), { coerce: asNumber }),
  number: rowsOf<number>(checkNumber, (limits) => numberShape('number', limits), { coerce: asNumber }),
  numberOrAuto: rowsOf<number | 'auto'>(
    (value, limits) => (value === 'auto' ? [] : numberWithin(value, limits, `auto, or ${limits.min} to ${limits.max}`)),
    (limits) => numberShape('number', limits, `^auto$|${NUMBER.source}`),
    { coerce: asNumber },
  ),
  zoneOrAuto: rowsOf<string>(checkZone, () => textShape),
  ascending: rowsOf<readonly number[]>(
    checkAscending,
    ({ min, max }) => ({
      type: ['array', 'number', 'string', 'null'],
      items: { type: ['number', 'string'], minimum: min, maximum: max },
      minItems: 1,
      maxItems: 10,
    }),
    { coerce: eachOf(asList, asNumber) },
  ),
  windows: rowsOf<readonly string[]>(checkWindows, () => listShape({ type: 'string', pattern: '^[0-9:]+-[0-9:]+ [0-9]+ ?min$' }), {
    coerce: asList,
  }),
  currency: rowsOf<string>(checkCurrency, () => ({ ...textShape, pattern: '^[A-Z]{3}$' })),
  // An entry may contain commas: only one before the begin of the next entry separates.
  seasons: textsOf(checkRead('season', 'seasonal schedule', readSeasonSetting), listBy(/,(?=[^,]*:)/u)),
  calendarRules: textsOf(checkRead('calendar_rule', 'rule', readRule), listBy(/,(?=[^,]*(?:->|→|=>))/u)),
  profiles,
  ...ADDRESS_FORMATS,
  ...WEB_FORMATS,
} as const;
