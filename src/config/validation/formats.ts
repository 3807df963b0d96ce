import { PROFILE_NAME } from '../../schedule/profileName.ts';
import { isRecord } from '../../shared/json.ts';
import { readYaml } from '../yaml/readYaml.ts';
import {
  BROKER,
  checkAnyUrl,
  checkBase,
  checkBaseUrl,
  checkBrokerUrl,
  checkCommandGlob,
  checkPath,
  checkTopic,
  LONGEST_TOPIC,
  WEB,
} from './addressChecks.ts';
import {
  type Check,
  checkAscending,
  checkCalendarRule,
  checkChoice,
  checkEach,
  checkFlag,
  checkNumber,
  checkNumberOrAuto,
  checkPemFile,
  checkSeason,
  checkText,
  checkWhole,
  checkWindows,
  checkZone,
  type Limits,
} from './checks.ts';
import { checkProfiles, type StoredWeek } from './storedWeeks.ts';
import { checkHost, checkListen, checkNetwork, checkOrigin, checkPassword } from './webChecks.ts';

export type JsonSchema = { readonly [key: string]: unknown };

type Format<Right> = {
  readonly check: Check;
  /** Converts what was written, where every scalar is text; what cannot be converted stays as it is. Idempotent. */
  readonly coerce: (written: unknown) => unknown;
  /** The JSON Schema. It accepts everything that `check` accepts, so that editors never mark a right setting. */
  readonly shape: (limits: Limits) => JsonSchema;
  /** True where the value is written as keys with values. */
  readonly takesKeys?: true;
  /** Never set; it only carries the type of a valid value. */
  readonly right?: Right;
};

/** A row of the schema: a setting with its format, the parameters of the format, and the texts for the documentation. */
export type Setting = Format<unknown> & Row & { /** The meaning, with the unit. */ readonly doc: string };

type Row = Limits & {
  /** The empty text = required, null = optional and not set. */
  readonly default: unknown;
  /** How the documentation shows a default that is made at the start. */
  readonly defaultText?: string;
};

/** A section of the schema, or all of it. */
export type Section = { readonly [key: string]: Section | Setting };

export const isSetting = (node: Section | Setting): node is Setting => 'default' in node;

/** The type of a setting's value. */
export type Value<One extends Setting> =
  | (One extends { readonly choices: readonly (infer Choice)[] } ? Choice : NonNullable<One['right']>)
  | (One['default'] extends null ? null : never);

const asIs = (written: unknown): unknown => written;

const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

const asNumber = (written: unknown): unknown => (typeof written === 'string' && NUMBER.test(written) ? Number(written) : written);

const FLAGS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const asFlag = (written: unknown): unknown => FLAGS.get(typeof written === 'string' ? written.trim().toLowerCase() : written) ?? written;

/** The list or object in a text that begins with a bracket; undefined where there is none. */
const inBrackets = (written: unknown): unknown => {
  if (typeof written !== 'string' || !/^\s*[[{]/.test(written)) return undefined;
  const { tree, faults } = readYaml(written);
  return faults.length === 0 ? tree : undefined;
};

/** A list, or the list in a text that holds one as JSON. */
export const asJsonList = (written: unknown): unknown => {
  const held = inBrackets(written);
  return Array.isArray(held) ? held : written;
};

/** `a, b`, or JSON where a comma is part of an item. */
const asList = (written: unknown): unknown => {
  const list = asJsonList(written);
  return typeof list === 'string' ? list.split(',').map((part) => part.trim()) : list;
};

/** A list of texts as one, with commas. */
const asOneText = (written: unknown): unknown => {
  const list = asJsonList(written);
  return Array.isArray(list) && list.length > 0 && list.every((item) => typeof item === 'string') ? list.join(', ') : written;
};

/** Converts the items of a list. */
export const eachOf =
  (asItems: (written: unknown) => unknown, asItem: (written: unknown) => unknown) =>
  (written: unknown): unknown => {
    const list = asItems(written);
    return Array.isArray(list) ? list.map(asItem) : list;
  };

/** Names with their values as pairs, in the order in which they were written. */
const asPairs = (written: unknown): unknown => {
  const names = inBrackets(written) ?? written;
  return isRecord(names) ? Object.entries(names) : written;
};

/** Every scalar is text to the bridge: `007` and `true` too, which YAML reads as a number and a boolean. */
export const SCALAR = ['string', 'number', 'boolean'];

export const textShape: JsonSchema = { type: [...SCALAR, 'null'], minLength: 1 };
const numberShape = (type: 'number' | 'integer', { min, max }: Limits, pattern = NUMBER.source): JsonSchema => ({
  type: [type, 'string', 'null'],
  minimum: min,
  maximum: max,
  pattern,
});
export const listShape = (items: JsonSchema): JsonSchema => ({ type: ['array', ...SCALAR, 'null'], items });
const addressShape = (protocols: string): JsonSchema => ({ type: ['string', 'null'], pattern: `^(?:${protocols}):` });

export const objectShape = (properties: JsonSchema): JsonSchema => ({ type: ['object', 'null'], additionalProperties: false, properties });

/** Makes the rows of one format. */
export const rowsOf =
  <Right>(check: Check, shape: Format<Right>['shape'], format: Partial<Format<Right>> = {}) =>
  <const One extends Row>(row: One, doc: string): Format<Right> & One & { readonly doc: string } => ({
    ...{ coerce: asIs, ...format, check, shape },
    ...row,
    doc,
  });

const textsOf = (check: Check) => rowsOf<readonly string[]>(checkEach(check), () => listShape({ type: SCALAR }), { coerce: asList });

/** The formats: each makes a row of the schema of its limits, its default and its meaning. */
export const setting = {
  text: rowsOf<string>(checkText, () => textShape),
  pemFile: rowsOf<string>(checkPemFile, () => textShape),
  choice: rowsOf<string>(checkChoice, ({ choices = [] }) => ({
    enum: [...choices, ...choices.map(Number).filter(Number.isInteger), null],
  })),
  flag: rowsOf<boolean>(checkFlag, () => ({ type: ['boolean', 'string', 'null'], pattern: '^(?:[Tt]rue|[Ff]alse|TRUE|FALSE)$' }), {
    coerce: asFlag,
  }),
  whole: rowsOf<number>(checkWhole, (limits) => numberShape('integer', limits), { coerce: asNumber }),
  number: rowsOf<number>(checkNumber, (limits) => numberShape('number', limits), { coerce: asNumber }),
  numberOrAuto: rowsOf<number | 'auto'>(checkNumberOrAuto, (limits) => numberShape('number', limits, `^auto$|${NUMBER.source}`), {
    coerce: asNumber,
  }),
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
  topic: rowsOf<string>(checkTopic, () => ({ ...textShape, maxLength: LONGEST_TOPIC, pattern: '^(?!\\$)[^+#/]+(?:/[^+#/]+)*$' })),
  base: rowsOf<string>(checkBase, () => ({ ...textShape, maxLength: LONGEST_TOPIC, pattern: '^(?!\\$)[^+#/\\s]+(?:/[^+#/\\s]+)*$' })),
  brokerUrl: rowsOf<string>(
    checkBrokerUrl,
    () => ({
      type: ['string', 'array', 'null'],
      pattern: `^\\s*(?:(?:${BROKER.join('|')}):|\\[)`,
      items: { type: 'string', pattern: `^(?:${BROKER.join('|')}):` },
      minItems: 1,
    }),
    { coerce: asOneText },
  ),
  baseUrl: rowsOf<string>(checkBaseUrl, () => addressShape(WEB.join('|'))),
  anyUrl: rowsOf<string>(checkAnyUrl, () => addressShape('[A-Za-z][A-Za-z0-9+.-]*')),
  path: rowsOf<string>(checkPath, () => ({ type: ['string', 'null'], pattern: '^/' })),
  commandGlobs: rowsOf<readonly string[]>(checkEach(checkCommandGlob), () => listShape({ type: 'string', pattern: '[/*]' }), {
    coerce: asList,
  }),
  windows: rowsOf<readonly string[]>(checkWindows, () => listShape({ type: 'string', pattern: '^[0-9:]+-[0-9:]+ [0-9]+ ?min$' }), {
    coerce: asList,
  }),
  address: rowsOf<string>(checkListen, () => textShape),
  password: rowsOf<string>(checkPassword, () => textShape),
  seasons: textsOf(checkSeason),
  calendarRules: textsOf(checkCalendarRule),
  hosts: textsOf(checkHost),
  networks: textsOf(checkNetwork),
  origins: textsOf(checkOrigin),
  profiles: rowsOf<readonly StoredWeek[]>(
    checkProfiles,
    () => ({ type: ['object', 'string', 'null'], propertyNames: { pattern: PROFILE_NAME.source } }),
    { coerce: asPairs, takesKeys: true },
  ),
} as const;
