import { broken, type Issue, shown } from '../../shared/issue.ts';
import { percentDecoded } from '../../shared/percentDecoded.ts';
import { checkStart, endMinutes, orderIssues, type TwoEntries } from '../constraints.ts';
import { DAY_MINUTES, printKnownTime, printTime } from '../time.ts';
import type { Entry } from '../week.ts';
import type { EntryDraft } from '../writtenWeek.ts';
import { daysOfWord } from './dayWords.ts';
import { DASH, type TextScanner } from './textScanner.ts';

// Characters that are encoded in a mode: they would end it, or look like a shortened text.
const UNSAFE = /[,;%…\s\p{C}]|\.(?=\.)/gu;
const TIME_TOKEN = /[^\s,;\p{Pd}\u2212\u200b\u2060]+/uy;
const MODE_TOKEN = /[^\s,;\u200b\u2060]+/uy;
const REST_OF_ENTRY = /[^,;\r\n]*/uy;
const BLANK_OR_END = /[\s,;\u200b\u2060]|$/uy;
const AFTER_ENTRY = /[,;\r\n]|$/uy;

const TIME = /^(\d{1,2})(?:[:.](\d{2})(?:[:.]00)?)?$/u;
const PLATFORM_TIME = /^\d{1,2}:\d{2}(?::\d{2})?$/u;

/** An entry; no mode: a schedule with one mode needs none. */
export type PrintableEntry = Omit<Entry, 'mode'> & { readonly mode?: string | undefined };

/** `06:00-22:00 normal`; undefined (never seen) for an invalid time, or an empty or non-Unicode mode. */
export const printEntry = ({ start, end, mode }: Omit<PrintableEntry, 'position'>): string | undefined => {
  if (!PLATFORM_TIME.test(start) || !PLATFORM_TIME.test(end) || mode === '' || /\p{Surrogate}/u.test(mode ?? '')) return undefined;
  if (mode === undefined) return `${start}-${end}`;
  // encodeURIComponent does not encode dots.
  return `${start}-${end} ${mode.replace(UNSAFE, (unsafe) => (unsafe === '.' ? '%2E' : encodeURIComponent(unsafe)))}`;
};

/** Reads an entry up to `,`, `;` or a line break, as far as possible, by position; adds issues. */
export const readTextEntry = (
  scanner: TextScanner,
  issues: Issue[],
  position: number,
  split: (start: string, end: string, mode: string | undefined) => TwoEntries,
): EntryDraft => {
  const entry = scanner.placeOf();
  const tokens = readTokens(scanner, issues);
  if (!tokens) {
    scanner.take(REST_OF_ENTRY);
    return { modeUnreadable: true, places: { day: entry, entry, start: entry, end: entry, mode: entry } };
  }
  const { from, to, token, endPlace, modePlace } = tokens;
  const places = { day: entry, entry, start: entry, end: endPlace, mode: modePlace };
  const mode = token === undefined ? undefined : percentDecoded(token);
  const start = checkStart(readTime(from, places.start, DAY_MINUTES - 1, issues), from, places.start, issues);
  const end = endMinutes(readTime(to, places.end, DAY_MINUTES, issues));
  issues.push(...orderIssues(start, end, places, (late, early) => split(late, early, mode)));
  if (scanner.peek(AFTER_ENTRY) === undefined) {
    const next = shown(scanner.peek(MODE_TOKEN) ?? '');
    issues.push(broken('text', scanner.placeOf(), `${separatorFor(next)} is expected before ${next}`));
    scanner.take(REST_OF_ENTRY);
  }
  const literal = mode === undefined ? undefined : { start: from, end: to, mode, position };
  return { start: printKnownTime(start), end: printKnownTime(end), mode, literal, anyCase: true, places };
};

/** The parts of an entry as written, with places of end and mode; undefined and an issue if unreadable. */
const readTokens = (scanner: TextScanner, issues: Issue[]) => {
  const missing = (message: string): void => void issues.push(broken('text', scanner.placeOf(), message));
  const startPlace = scanner.placeOf();
  const from = scanner.take(TIME_TOKEN);
  if (from === undefined) return missing('a time is expected here, such as 06:00-22:00, or none for a day without entries');
  if (/^\p{L}/u.test(from)) return void issues.push(wordIssue(from, startPlace));
  scanner.skipBlanks();
  if (scanner.take(DASH) === undefined)
    return missing(`a - and the end are expected here, such as ${nearestTimes(from)[0] ?? '06:00'}-22:00`);
  scanner.skipBlanks();
  const endPlace = scanner.placeOf();
  const to = scanner.take(TIME_TOKEN);
  if (to === undefined) return missing('the end of the entry is expected here, such as 06:00-22:00');
  if (scanner.peek(BLANK_OR_END) === undefined) return missing(`a space is expected after ${shown(to)}`);
  scanner.skipBlanks();
  const modePlace = scanner.placeOf();
  const token = scanner.take(MODE_TOKEN);
  scanner.skipBlanks();
  return { from, to, token, endPlace, modePlace };
};

const separatorFor = (word: string): string => {
  if (/^\d/u.test(word)) return 'a , between entries';
  return daysOfWord(word) ? 'a ; between days' : 'a , or ; (a space in a mode is written %20)';
};

/** The issue of a word where an entry should start. */
const wordIssue = (word: string, place: string): Issue => {
  const printed = shown(word);
  if (word.toLowerCase() === 'none') return broken('text', place, 'none must stand alone; it means a day without entries');
  if (daysOfWord(word))
    return broken('text', place, `a ; is expected before the day ${printed}; a , only separates entries of the same days`);
  return broken('text', place, `an entry is expected here, such as 06:00-22:00 normal, or none, not ${printed}`, { got: word });
};

const readTime = (token: string, place: string, latest: number, issues: Issue[]): number | undefined => {
  const [, hours, minutes = '0'] = TIME.exec(token) ?? [];
  const total = hours === undefined || Number(minutes) > 59 ? Number.NaN : Number(hours) * 60 + Number(minutes);
  if (total <= DAY_MINUTES) return total;
  const message = `${shown(token)} is not a time; times are HH:MM from 00:00 to 24:00, or whole hours`;
  issues.push(broken('time', place, message, { got: token, nearest: nearestTimes(token, latest) }));
  return undefined;
};

/** The time that an invalid token may mean: `0630`, `6h30`, `10pm`, `25:00`. */
const nearestTimes = (token: string, latest = DAY_MINUTES - 1): readonly string[] => {
  const spread = /^\d{3,4}$/u.test(token) ? `${token.slice(0, -2)}:${token.slice(-2)}` : token;
  const [, hours, minutes = ''] = /^(\d{1,2})(?:\D{1,3}(\d{1,2}))?/u.exec(spread) ?? [];
  if (hours === undefined) return [];
  const afternoon = /p\.?m\.?$/iu.test(token) && Number(hours) < 12 ? 12 : 0;
  const total = (Number(hours) + afternoon) * 60 + Math.min(59, Number(minutes.length === 1 ? `${minutes}0` : minutes));
  return [printTime(Math.min(total, latest))];
};
