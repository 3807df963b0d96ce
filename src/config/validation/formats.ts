import { isRecord } from '../../shared/json.ts';
import { readYaml } from '../yaml.ts';
import { checkAnyUrl, checkBaseUrl, checkCommandGlob, checkPath, checkTopic, checkUrl } from './addressChecks.ts';
import {
  type Check,
  checkAscending,
  checkChoice,
  checkEach,
  checkFlag,
  checkNumber,
  checkNumberOrAuto,
  checkPemFile,
  checkText,
  checkWhole,
  checkZone,
  type Limits,
} from './checks.ts';
import { checkDevices, type DeviceEntry, toEntry } from './deviceEntries.ts';
import { checkProfiles, type StoredWeek } from './storedWeeks.ts';

type Format<Right> = {
  readonly check: Check;
  /** Converts what was written, where every scalar is text; what cannot be converted stays as it is. Idempotent. */
  readonly coerce: (written: unknown) => unknown;
  /** Never set; it only carries the type of a valid value. */
  readonly right?: Right;
};

const asIs = (written: unknown): unknown => written;

/** A number as it is written. */
export const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

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
const asJsonList = (written: unknown): unknown => {
  const held = inBrackets(written);
  return Array.isArray(held) ? held : written;
};

/** `a, b`, or JSON where a comma is part of an item. */
const asList = (written: unknown): unknown => {
  const list = asJsonList(written);
  return typeof list === 'string' ? list.split(',').map((part) => part.trim()) : list;
};

/** Converts the items of a list. */
const eachOf =
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

const format = <Right>(check: Check, coerce = asIs): Format<Right> => ({ check, coerce });

/** The formats of the schema: how a text becomes a value, and the check of the value. */
export const FORMATS = {
  text: format<string>(checkText),
  pem_file: format<string>(checkPemFile),
  choice: format<string>(checkChoice),
  flag: format<boolean>(checkFlag, asFlag),
  whole: format<number>(checkWhole, asNumber),
  number: format<number>(checkNumber, asNumber),
  number_or_auto: format<number | 'auto'>(checkNumberOrAuto, asNumber),
  zone_or_auto: format<string>(checkZone),
  ascending: format<readonly number[]>(checkAscending, eachOf(asList, asNumber)),
  topic: format<string>(checkTopic),
  url: format<string>(checkUrl),
  base_url: format<string>(checkBaseUrl),
  any_url: format<string>(checkAnyUrl),
  path: format<string>(checkPath),
  command_globs: format<readonly string[]>(checkEach(checkCommandGlob), asList),
  devices: format<readonly DeviceEntry[]>(checkDevices, eachOf(asJsonList, toEntry)),
  profiles: format<readonly StoredWeek[]>(checkProfiles, asPairs),
} as const;

export type FormatName = keyof typeof FORMATS;

/** One row of the schema for convict, with the parameters of the format and the texts for the documentation. */
export type Setting = Limits & {
  readonly format: FormatName;
  /** The empty text = required, null = optional and not set. */
  readonly default: unknown;
  /** The meaning, with the unit. */
  readonly doc: string;
  /** How the documentation shows a default that is made at the start. */
  readonly defaultText?: string;
};

/** A section of the schema, or all of it. */
export type Section = { readonly [key: string]: Section | Setting };

export const isSetting = (node: Section | Setting): node is Setting => 'default' in node;

/** The type of a setting's value. */
export type Value<Row extends Setting> =
  | (Row extends { readonly choices: readonly (infer Choice)[] } ? Choice : NonNullable<(typeof FORMATS)[Row['format']]['right']>)
  | (Row['default'] extends null ? null : never);

/** True where the value of a setting is written as keys with values. */
export const takesKeys = ({ format: name }: Setting): boolean => name === 'profiles';
