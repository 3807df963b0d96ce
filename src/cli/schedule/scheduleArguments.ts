import { daysOfWord } from '../../schedule/text/dayWords.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import type { UsageError } from '../../shared/errors.ts';
import { numberIn, text, type Values } from '../command.ts';
import { usageError } from '../terminal/usage.ts';

const MOST_NAMES = 2;
const TIMEOUT_S = 240;
const MOST_VERSIONS = 9999;

const usage = (sentence: string): UsageError => usageError(sentence, 'heating2mqtt schedule');

export type ScheduleRequest = ReturnType<typeof readScheduleRequest>;

export type UndoRequest = Extract<ScheduleRequest, { kind: 'undo' }>;

/** Parses the words and options after `heating2mqtt schedule`. Throws a UsageError. */
export const readScheduleRequest = ([what, ...words]: readonly string[], values: Values) => {
  if (what === 'set' || what === 'validate') return readSet(words, values, what === 'validate');
  if (words.length > MOST_NAMES) throw usage(`schedule ${what} accepts at most a device and a feature, not also ${words[MOST_NAMES]}.`);
  const json = values.json === true;
  if (what === 'profiles') return { kind: 'profiles' as const, words, json };
  if (what === 'undo') return { kind: 'undo' as const, words, json, timeoutMs: timeoutMs(values) };
  if (what === 'versions') return readVersions(words, values);
  const isText = values.text === true;
  if (json && isText) throw usage('--json and --text cannot be used together.');
  return { kind: 'show' as const, words, form: json ? ('json' as const) : isText ? ('text' as const) : ('chart' as const) };
};

export type VersionsRequest = ReturnType<typeof readVersions>;

/** Lists the versions, or names or restores the version with this list number. */
const readVersions = (words: readonly string[], values: Values) => {
  const [name, until] = ['name', 'until'].map((option) => text(values, option));
  const [restore, version] = ['restore', 'version'].map((option) => numberIn(values, option, 1, MOST_VERSIONS));
  if (restore !== undefined && name !== undefined) throw usage('--restore and --name cannot be used together.');
  if (until !== undefined && restore === undefined) throw usage('--until can only be used with --restore.');
  if ((version === undefined) !== (name === undefined)) throw usage('--name NAME and --version N can only be used together.');
  return {
    kind: 'versions' as const,
    words,
    json: values.json === true,
    config: text(values, 'config'),
    number: restore ?? version,
    name,
    until,
    timeoutMs: timeoutMs(values),
  };
};

export type SetRequest = ReturnType<typeof readSet>;

/** The week comes from a profile, a file, the last words, or standard input. */
const readSet = (words: readonly string[], values: Values, isValidate: boolean) => {
  const [profile, file, day] = ['profile', 'file', 'day'].map((name) => text(values, name));
  if (profile !== undefined && (file !== undefined || day !== undefined)) {
    throw usage('--profile is a whole week and cannot be used with --file or --day.');
  }
  return {
    kind: 'set' as const,
    words,
    profile,
    file,
    day: day === undefined ? undefined : dayOf(day),
    dryRun: isValidate || values['dry-run'] === true,
    json: values.json === true,
    timeoutMs: timeoutMs(values),
  };
};

const dayOf = (word: string): Day => {
  const days = daysOfWord(word) ?? [];
  const [day] = days;
  if (day !== undefined && days.length === 1) return day;
  throw usage(
    `--day ${word} is not a single day; allowed: ${DAYS.join(', ')}. Write several days in the week itself: "${days.length > 1 ? word : 'weekend'} 8-22".`,
  );
};

const timeoutMs = (values: Values): number => (numberIn(values, 'timeout', 0.1, 99_999, false) ?? TIMEOUT_S) * 1000;

const NUMBERS_BEGIN = /^\s*\d{1,2}(?:[:.]\d{2}){0,2}\s*[\p{Pd}\u2212]/u;
const JSON_BEGINS = /^\s*[[{"]/u;
const DAYS_BEGIN = /^\s*([\p{L}\p{M}]{2,})(?=$|[\s,:.\p{Pd}\u2212])/u;

/** True for a word that begins a week or a day's entries (text or JSON); device and feature names do not. */
export const beginsWeek = (word: string): boolean => {
  if (word === '-' || JSON_BEGINS.test(word) || NUMBERS_BEGIN.test(word)) return true;
  const [, first] = DAYS_BEGIN.exec(word) ?? [];
  return first !== undefined && (first.toLowerCase() === 'none' || daysOfWord(first) !== undefined);
};

/** Splits the words of `set` into names and week; joins words split by the shell. `devices`: known names. */
export const splitWords = (
  words: readonly string[],
  devices: readonly string[],
): { readonly names: readonly string[]; readonly week?: string } => {
  const isName = (word: string, index: number): boolean => (index === 0 && devices.includes(word)) || !beginsWeek(word);
  const found = words.findIndex((word, index) => !isName(word, index));
  const first = found < 0 || found > MOST_NAMES ? Math.min(MOST_NAMES, words.length) : found;
  const week = words.slice(first);
  return { names: words.slice(0, first), ...(week.length > 0 ? { week: week.join(' ') } : {}) };
};
