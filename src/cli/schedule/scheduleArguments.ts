import { daysOfWord } from '../../schedule/text/dayWords.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import { nearestWords } from '../../shared/closestMatch.ts';
import { UsageError } from '../../shared/errors.ts';
import type { Values } from '../command.ts';

/** Where the week of a `set` comes from; `words` may end with it. */
export type Source =
  | { readonly from: 'words' }
  | { readonly from: 'file'; readonly file: string }
  | { readonly from: 'profile'; readonly name: string };

/** What `heating2mqtt schedule` was asked for; `words` are those behind the first. */
export type ScheduleRequest =
  | { readonly what: 'show'; readonly words: readonly string[]; readonly form: 'chart' | 'json' | 'text' }
  | { readonly what: 'profiles'; readonly words: readonly string[]; readonly form: 'chart' | 'json' }
  | {
      readonly what: 'set';
      readonly words: readonly string[];
      readonly source: Source;
      readonly day?: Day;
      readonly dryRun: boolean;
      readonly json: boolean;
      readonly timeoutMs: number;
    };

const KINDS = ['show', 'set', 'validate', 'profiles'] as const;
type Kind = (typeof KINDS)[number];

const OF_SET = ['day', 'profile', 'file', 'timeout', 'json'];
const OPTIONS: Readonly<Record<Kind, readonly string[]>> = {
  show: ['json', 'text'],
  set: [...OF_SET, 'dry-run'],
  validate: [...OF_SET, 'dry-run'],
  profiles: ['json'],
};
const EVERYWHERE: readonly string[] = ['config', 'debug', 'help'];
const MOST_NAMES = 2;
const TIMEOUT_S = 240;

const usage = (sentence: string): UsageError => new UsageError('usage', `${sentence} \`heating2mqtt schedule --help\` explains.`);

/** Reads the words and options behind `heating2mqtt schedule`. Throws a UsageError of one sentence. */
export const readScheduleRequest = (words: readonly string[], values: Values): ScheduleRequest => {
  const [first, ...rest] = words;
  const kind = kindOf(first);
  const odd = Object.keys(values).find((name) => !EVERYWHERE.includes(name) && !OPTIONS[kind].includes(name));
  if (odd !== undefined) {
    throw usage(`schedule ${kind} has no --${odd}: there are ${OPTIONS[kind].map((name) => `--${name}`).join(', ')}.`);
  }
  if (kind === 'set' || kind === 'validate') return readSet(kind, rest, values);
  if (rest.length > MOST_NAMES) throw usage(`schedule ${kind} takes a device and a feature at most, and no ${rest[MOST_NAMES]}.`);
  if (kind === 'profiles') return { what: kind, words: rest, form: values.json === true ? 'json' : 'chart' };
  if (values.json === true && values.text === true) throw usage('Either --json or --text: both at once make no sense.');
  return { what: kind, words: rest, form: values.json === true ? 'json' : values.text === true ? 'text' : 'chart' };
};

const kindOf = (word: string | undefined): Kind => {
  const kind = KINDS.find((one) => one === word);
  if (kind) return kind;
  if (word === undefined) throw usage(`What about schedules? There are ${KINDS.join(', ')}.`);
  const [near] = nearestWords(word, KINDS, 1);
  throw usage(`There is no schedule ${word}: ${near === undefined ? `there are ${KINDS.join(', ')}.` : `did you mean ${near}?`}`);
};

const readSet = (kind: 'set' | 'validate', words: readonly string[], values: Values): ScheduleRequest => {
  const { day: dayWord, file, profile } = values;
  const source: Source =
    typeof profile === 'string'
      ? { from: 'profile', name: profile }
      : typeof file === 'string'
        ? { from: 'file', file }
        : { from: 'words' };
  if (typeof profile === 'string' && (typeof file === 'string' || dayWord !== undefined)) {
    throw usage('--profile is a week of its own: it goes neither with --file nor with --day.');
  }
  const day = typeof dayWord === 'string' ? dayOf(dayWord) : undefined;
  return {
    what: 'set',
    words,
    source,
    ...(day === undefined ? {} : { day }),
    dryRun: kind === 'validate' || values['dry-run'] === true,
    json: values.json === true,
    timeoutMs: timeoutMs(values.timeout),
  };
};

const dayOf = (word: string): Day => {
  const days = daysOfWord(word) ?? [];
  const [day] = days;
  if (day !== undefined && days.length === 1) return day;
  throw usage(
    `--day ${word} is not one day: there are ${DAYS.join(', ')}. Several days stand in the week itself: "${days.length > 1 ? word : 'weekend'} 8-22".`,
  );
};

const timeoutMs = (written: string | boolean | undefined): number => {
  if (typeof written !== 'string') return TIMEOUT_S * 1000;
  const seconds = /^\d{1,5}(?:\.\d+)?$/u.test(written) ? Number(written) : 0;
  if (seconds > 0) return seconds * 1000;
  throw usage(`--timeout ${written} is no number of seconds over 0.`);
};

const NUMBERS_BEGIN = /^\s*\d{1,2}(?:[:.]\d{2}){0,2}\s*[\p{Pd}\u2212]/u;
const JSON_BEGINS = /^\s*[[{"]/u;
const DAYS_BEGIN = /^\s*([\p{L}\p{M}]{2,})(?=$|[\s,:.\p{Pd}\u2212])/u;

/** True for a word that begins a week, or the entries of a day, in text or JSON; names of devices and features do not. */
export const beginsWeek = (word: string): boolean => {
  if (word === '-' || JSON_BEGINS.test(word) || NUMBERS_BEGIN.test(word)) return true;
  const [, first] = DAYS_BEGIN.exec(word) ?? [];
  return first !== undefined && (first.toLowerCase() === 'none' || daysOfWord(first) !== undefined);
};

/** The words of a `set` parted into names and the week; words that the shell has split are joined again. `devices` are those that there are. */
export const partWords = (
  words: readonly string[],
  devices: readonly string[],
): { readonly names: readonly string[]; readonly week?: string } => {
  const isName = (word: string, index: number): boolean => (index === 0 && devices.includes(word)) || !beginsWeek(word);
  const found = words.findIndex((word, index) => !isName(word, index));
  const first = found < 0 || found > MOST_NAMES ? Math.min(MOST_NAMES, words.length) : found;
  const week = words.slice(first);
  return { names: words.slice(0, first), ...(week.length > 0 ? { week: week.join(' ') } : {}) };
};
