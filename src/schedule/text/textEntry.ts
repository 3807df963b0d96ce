import { broken, type Issue, shown } from '../../shared/issue.ts';
import { orderIssues, type TwoEntries } from '../constraints.ts';
import { DAY_MINUTES, printTime } from '../time.ts';
import type { Entry } from '../week.ts';
import type { Draft, Places } from '../writtenWeek.ts';
import { daysOfWord } from './dayWords.ts';
import type { TextScanner } from './textScanner.ts';

// What a mode may not hold as it is: it would end there, or seem cut.
const UNSAFE = /[,;%…\s\p{C}]|\.(?=\.)/gu;
const TIME_TOKEN = /[^\s,;\p{Pd}\u2212\u200b\u2060]+/uy;
const DASH = /[\p{Pd}\u2212]|(?:to|bis)(?![\p{L}\p{M}])/iuy;
const MODE_TOKEN = /[^\s,;\u200b\u2060]+/uy;
const REST_OF_ENTRY = /[^,;\r\n]*/uy;
const BLANK_OR_END = /[\s,;\u200b\u2060]|$/uy;
const AFTER_ENTRY = /[,;\r\n]|$/uy;

const TIME = /^(\d{1,2})(?:[:.](\d{2})(?:[:.]00)?)?$/u;
const PLATFORM_TIME = /^\d{1,2}:\d{2}(?::\d{2})?$/u;

/** `06:00-22:00 normal`; undefined for what has no text form (never seen: a time that is none, a mode that is empty or no Unicode). */
export const printEntry = ({ start, end, mode }: Pick<Entry, 'start' | 'end' | 'mode'>): string | undefined => {
  if (!PLATFORM_TIME.test(start) || !PLATFORM_TIME.test(end) || mode === '' || !mode.isWellFormed()) return undefined;
  // encodeURIComponent leaves dots alone.
  return `${start}-${end} ${mode.replace(UNSAFE, (unsafe) => (unsafe === '.' ? '%2E' : encodeURIComponent(unsafe)))}`;
};

const decodeMode = (token: string): string => {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
};

/** What the reading of an entry needs to know: where offsets are, where issues go, and how an entry over midnight is written as two. */
export type EntryContext = {
  readonly placeOf: (offset: number) => string;
  readonly issues: Issue[];
  readonly overMidnight: (start: string, end: string, mode: string | undefined) => TwoEntries;
};

/** What stands where in an entry: the offsets of its parts. */
type Offsets = { readonly entry: number; readonly end: number; readonly mode: number };

const placesOf = ({ entry, end, mode }: Offsets, placeOf: EntryContext['placeOf']): Places => {
  const place = placeOf(entry);
  return { day: place, entry: place, start: place, end: placeOf(end), mode: placeOf(mode) };
};

/** One entry at the scanner, up to the `,` or `;` or line's end behind it; what is wrong goes to the issues, and what could be read is given. */
export const readTextEntry = (scanner: TextScanner, context: EntryContext): Draft => {
  const { placeOf, issues } = context;
  const entry = scanner.at;
  const tokens = readTokens(scanner);
  if ('wrong' in tokens) {
    issues.push(tokens.wrong(placeOf));
    scanner.take(REST_OF_ENTRY);
    return { modeSpoiled: true, places: placesOf({ entry, end: entry, mode: entry }, placeOf) };
  }
  const { from, to, token } = tokens;
  const places = placesOf({ ...tokens, entry }, placeOf);
  const mode = token === undefined ? undefined : decodeMode(token);
  const start = readStart(from, places.start, issues);
  const end = readEnd(to, places.end, issues);
  if (start !== undefined && end !== undefined) {
    issues.push(...orderIssues(start, end, places, () => context.overMidnight(printTime(start), printTime(end), mode)));
  }
  if (scanner.peek(AFTER_ENTRY) === undefined) {
    const what = shown(scanner.peek(MODE_TOKEN) ?? '');
    issues.push(broken('text', placeOf(scanner.at), `${separatorFor(what)} is expected before ${what}`));
    scanner.take(REST_OF_ENTRY);
  }
  return {
    ...(start === undefined ? {} : { start: printTime(start) }),
    ...(end === undefined ? {} : { end: printTime(end) }),
    ...(mode === undefined ? {} : { mode, literal: { start: from, end: to, mode, position: 0 } }),
    anyCase: true,
    places,
  };
};

/** The parts of an entry as they stand there, with the offsets of end and mode; or what is missing. */
type Tokens =
  | { readonly from: string; readonly to: string; readonly token: string | undefined; readonly end: number; readonly mode: number }
  | { readonly wrong: (placeOf: EntryContext['placeOf']) => Issue };

const readTokens = (scanner: TextScanner): Tokens => {
  const missing = (what: string): Tokens => {
    const { at } = scanner;
    return { wrong: (placeOf) => broken('text', placeOf(at), what) };
  };
  const begun = scanner.at;
  const from = scanner.take(TIME_TOKEN);
  if (from === undefined) return missing('a time is expected here, as in 06:00-22:00, or none for a day without entries');
  if (/^\p{L}/u.test(from)) return { wrong: (placeOf) => noEntry(from, placeOf(begun)) };
  scanner.skipBlanks();
  if (scanner.take(DASH) === undefined)
    return missing(`a - and the end are expected here, as in ${nearestTimes(from)[0] ?? '06:00'}-22:00`);
  scanner.skipBlanks();
  const end = scanner.at;
  const to = scanner.take(TIME_TOKEN);
  if (to === undefined) return missing('the end of the entry is expected here, as in 06:00-22:00');
  if (scanner.peek(BLANK_OR_END) === undefined) return missing(`a blank is expected after ${shown(to)}`);
  scanner.skipBlanks();
  const mode = scanner.at;
  const token = scanner.take(MODE_TOKEN);
  scanner.skipBlanks();
  return { from, to, token, end, mode };
};

const separatorFor = (word: string): string => {
  if (/^\d/u.test(word)) return 'a , between entries';
  return daysOfWord(word) ? 'a ; between days' : 'a , or ; (a blank in a mode is written %20)';
};

/** A word where an entry should begin. */
const noEntry = (word: string, place: string): Issue => {
  const said = shown(word);
  if (word.toLowerCase() === 'none') return broken('text', place, 'none stands alone, for a day without entries');
  if (daysOfWord(word)) return broken('text', place, `before the day ${said} stands a ; and not a , since a , is followed by an entry`);
  return broken('text', place, `an entry is expected here, as 06:00-22:00 normal, or none, not ${said}`, { got: word });
};

const readTime = (token: string, place: string, latest: number, issues: Issue[]): number | undefined => {
  const [, hours, minutes = '0'] = TIME.exec(token) ?? [];
  const total = hours === undefined || Number(minutes) > 59 ? Number.NaN : Number(hours) * 60 + Number(minutes);
  if (total <= DAY_MINUTES) return total;
  const message = `${shown(token)} is no time; times are HH:MM from 00:00 to 24:00, or whole hours`;
  issues.push(broken('time', place, message, { got: token, nearest: nearestTimes(token, latest) }));
  return undefined;
};

const readStart = (token: string, place: string, issues: Issue[]): number | undefined => {
  const minutes = readTime(token, place, DAY_MINUTES - 1, issues);
  if (minutes !== DAY_MINUTES) return minutes;
  issues.push(broken('time', place, '24:00 is only an end; a day starts at 00:00', { got: token, nearest: ['00:00'] }));
  return undefined;
};

const readEnd = (token: string, place: string, issues: Issue[]): number | undefined => {
  const minutes = readTime(token, place, DAY_MINUTES, issues);
  // Nothing can end where the day starts, so this is the day's end.
  return minutes === 0 ? DAY_MINUTES : minutes;
};

/** What a token that is no time perhaps means: `0630`, `6h30`, `10pm`, `25:00`. */
const nearestTimes = (token: string, latest = DAY_MINUTES - 1): readonly string[] => {
  const spread = /^\d{3,4}$/u.test(token) ? `${token.slice(0, -2)}:${token.slice(-2)}` : token;
  const [, hours, minutes = ''] = /^(\d{1,2})(?:\D{1,3}(\d{1,2}))?/u.exec(spread) ?? [];
  if (hours === undefined) return [];
  const afternoon = /p\.?m\.?$/iu.test(token) && Number(hours) < 12 ? 12 : 0;
  const total = (Number(hours) + afternoon) * 60 + Math.min(59, Number(minutes.length === 1 ? `${minutes}0` : minutes));
  return [printTime(Math.min(total, latest))];
};
