import { isRecord } from '../../shared/json.ts';
import { readYaml } from '../yaml.ts';
import { checkAnyUrl, checkBaseUrl, checkCommandGlob, checkPath, checkTopic, checkUrl } from './addressChecks.ts';
import { checkDevices } from './checkDevices.ts';
import { checkProfiles } from './checkProfiles.ts';
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
} from './checks.ts';

type Format = {
  /** The value of what was written, where every scalar is text; what has no other meaning stays as it is. Applied twice it changes nothing. */
  readonly coerce: (written: unknown) => unknown;
  readonly check: Check;
};

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

const asIs = (written: unknown): unknown => written;
const asNumber = (written: unknown): unknown => (typeof written === 'string' && NUMBER.test(written.trim()) ? Number(written) : written);

const FLAGS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const asFlag = (written: unknown): unknown => FLAGS.get(typeof written === 'string' ? written.trim().toLowerCase() : written) ?? written;

/** The list in a text that holds one as JSON. */
const asJsonList = (written: unknown): unknown => {
  if (typeof written !== 'string' || !written.trimStart().startsWith('[')) return written;
  const { tree, faults } = readYaml(written);
  return Array.isArray(tree) && faults.length === 0 ? tree : written;
};

/** `a, b`, or JSON where a comma is part of an item. */
const asList = (written: unknown): unknown => {
  const list = asJsonList(written);
  return typeof list === 'string' ? list.split(',').map((part) => part.trim()) : list;
};

const asNumbers = (written: unknown): unknown => {
  const list = asList(written);
  return Array.isArray(list) ? list.map(asNumber) : list;
};

/** Names with their values as pairs, in the order in which they were written. */
const asPairs = (written: unknown): unknown => {
  if (isRecord(written)) return Object.entries(written);
  if (typeof written !== 'string' || !written.trimStart().startsWith('{')) return written;
  const { tree, faults } = readYaml(written);
  return isRecord(tree) && faults.length === 0 ? Object.entries(tree) : written;
};

/** The formats of the schema: how a text becomes a value, and what is right. */
export const FORMATS = {
  text: { coerce: asIs, check: checkText },
  pem_file: { coerce: asIs, check: checkPemFile },
  choice: { coerce: asIs, check: checkChoice },
  flag: { coerce: asFlag, check: checkFlag },
  whole: { coerce: asNumber, check: checkWhole },
  number: { coerce: asNumber, check: checkNumber },
  number_or_auto: { coerce: asNumber, check: checkNumberOrAuto },
  zone_or_auto: { coerce: asIs, check: checkZone },
  ascending: { coerce: asNumbers, check: checkAscending },
  topic: { coerce: asIs, check: checkTopic },
  url: { coerce: asIs, check: checkUrl },
  base_url: { coerce: asIs, check: checkBaseUrl },
  any_url: { coerce: asIs, check: checkAnyUrl },
  path: { coerce: asIs, check: checkPath },
  command_globs: { coerce: asList, check: checkEach(checkCommandGlob) },
  devices: { coerce: asJsonList, check: checkDevices },
  profiles: { coerce: asPairs, check: checkProfiles },
} as const satisfies Readonly<Record<string, Format>>;

export type FormatName = keyof typeof FORMATS;

/** True where the value of a setting is written as keys with values. */
export const takesKeys = (format: FormatName): boolean => format === 'profiles';
