import { broken, type Issue, MOST_ISSUES, shown } from '../../shared/issue.ts';
import type { TwoEntries } from '../constraints.ts';
import { DAY_MINUTES } from '../time.ts';
import { byPosition, DAYS, type Day } from '../week.ts';
import type { EntryDraft, WrittenDay, WrittenWeek } from '../writtenWeek.ts';
import { daysBetween, daysOfWord, isAmbiguous, nearestDayWords, nextDay, printDays } from './dayWords.ts';
import { type PrintableEntry, printEntry, readTextEntry } from './textEntry.ts';
import { DASH, TextScanner } from './textScanner.ts';

/**
 * Prints and parses weeks as text (docs/schedules.md); for entries see textEntry.ts, for days dayWords.ts.
 */

/** `06:00-08:00 normal, 17:00-22:00 comfort`, by position; `none`: no entries; undefined: no text form. */
export const printDay = (entries: readonly PrintableEntry[]): string | undefined => {
  if (entries.length === 0) return 'none';
  const printed = byPosition(entries).map(printEntry);
  return printed.every((one) => one !== undefined) ? printed.join(', ') : undefined;
};

/**
 * `mon-fri 05:30-09:00 normal, 17:00-22:00 normal; sat-sun none`: equal days grouped; undefined: no text
 * form.
 */
export const printWeek = (week: Partial<Readonly<Record<Day, readonly PrintableEntry[]>>>): string | undefined => {
  const groups = new Map<string, Day[]>();
  for (const day of DAYS) {
    const entries = week[day];
    if (!entries) continue;
    const text = printDay(entries);
    if (text === undefined) return undefined;
    groups.set(text, [...(groups.get(text) ?? []), day]);
  }
  return [...groups].map(([text, days]) => `${printDays(days)} ${text}`).join('; ');
};

/** Reads a week or some days from text. Places are `line:column`, after `outerPlace` of an outer payload. */
export const readTextWeek = (text: string, outerPlace = ''): WrittenWeek => {
  const scanner = new TextScanner(text, outerPlace);
  const cut = cutIn(scanner, text);
  const days = new Map<Day, WrittenDay>();
  const issues: Issue[] = [...cut];
  const firstPlaces = new Map<Day, string>();
  for (scanner.skipBlanksAndLines(); cut.length === 0 && !scanner.ended; scanner.skipBlanksAndLines()) {
    const { named, failed } = readDays(scanner, issues);
    // Entries are read even if their days are unreadable.
    if (failed && scanner.peek(ENTRY_BEGINS) === undefined) scanner.take(REST_OF_PART);
    else {
      const written = readEntries(scanner, [...new Set(named.map(({ day }) => day))]);
      if (named.length === 0) issues.push(...written.issues);
      for (const { day, place } of named) {
        const first = firstPlaces.get(day);
        if (first === undefined) {
          firstPlaces.set(day, place);
          days.set(day, written);
        } else issues.push(broken('twice', place, `${day} is given twice, at ${first} and at ${place}; give it once`, { got: day }));
      }
    }
    scanner.take(SEMICOLON);
    if (issues.length < MOST_ISSUES) continue;
    issues.push(broken('more', scanner.placeOf(), 'too many errors up to here; the rest was not read'));
    break;
  }
  if (days.size === 0 && issues.length === 0) {
    issues.push(broken('empty', scanner.placeOf(0), 'the week has no day; a day without entries is written mon none', { allowed: DAYS }));
  }
  return { days, issues };
};

/** Reads the entries of a day from text, without the day's name; places as for `readTextWeek`. */
export const readTextDay = (day: Day, text: string, outerPlace = ''): WrittenWeek => {
  const scanner = new TextScanner(text, outerPlace);
  const cut = cutIn(scanner, text);
  const refused = (...issues: readonly Issue[]): WrittenWeek => ({ days: new Map(), issues });
  if (cut.length > 0) return refused(...cut);
  scanner.skipBlanksAndLines();
  if (scanner.ended) return refused(broken('empty', scanner.placeOf(0), 'no entry is given; a day without entries is none'));
  const word = scanner.peek(WORD);
  if (word !== undefined && word.toLowerCase() !== 'none' && daysOfWord(word)) {
    const message = `only the entries of ${day} are expected here, without the name of a day, not ${shown(word)}`;
    return refused(broken('text', scanner.placeOf(), message, { got: word }));
  }
  const written = readEntries(scanner, [day]);
  scanner.skipBlanksAndLines();
  scanner.take(SEMICOLON);
  scanner.skipBlanksAndLines();
  const more = scanner.ended
    ? []
    : [broken('text', scanner.placeOf(), `only the entries of ${day} are expected here, with , between them`)];
  return { days: new Map([[day, written]]), issues: more };
};

const WORD = /[\p{L}\p{M}]+\.?/uy;
const COMMA = /,/uy;
const COLON = /:/uy;
const ENTRY_BEGINS = /\d[\d:.]*[^\S\r\n]*[\p{Pd}\u2212]/uy;
const REST_OF_PART = /[^;\r\n]*/uy;
// A separator may be at the start of the next line.
const SEPARATOR = /[\s\u200b\u2060]*,/uy;
const SEMICOLON = /[\s\u200b\u2060]*;/uy;

/** The issue of a text that a hub has shortened, which ends in dots. */
const cutIn = (scanner: TextScanner, text: string): readonly Issue[] => {
  const trimmed = text.trimEnd();
  const dots = text.includes('…') ? text.indexOf('…') : trimmed.endsWith('...') ? trimmed.length - 3 : -1;
  const message = 'the text was shortened here on the way, as the dots show; send the complete text';
  return dots < 0 ? [] : [broken('truncated', scanner.placeOf(dots), message)];
};

type NamedDay = { readonly day: Day; readonly place: string };

/** Reads the days of a part: `mon`, `mon-fri`, `mon,wed`, `weekdays`, with an optional colon. */
const readDays = (scanner: TextScanner, issues: Issue[]): { readonly named: readonly NamedDay[]; readonly failed: boolean } => {
  const named: NamedDay[] = [];
  const before = issues.length;
  do {
    scanner.skipBlanksAndLines();
    const place = scanner.placeOf();
    const from = readDayWord(scanner, issues);
    scanner.skipBlanks();
    const isRange = from !== undefined && scanner.take(DASH) !== undefined;
    if (isRange) scanner.skipBlanks();
    const endPlace = scanner.placeOf();
    const to = isRange ? readDayWord(scanner, issues, true) : from;
    if (from === undefined || to === undefined) break;
    for (const day of rangeOf(from, to, isRange, endPlace, issues)) named.push({ day, place });
    scanner.skipBlanks();
  } while (scanner.take(COMMA) !== undefined);
  scanner.take(COLON);
  scanner.skipBlanksAndLines();
  return { named, failed: issues.length > before };
};

/** Reads a word for a day or several days. `isInRange`: it ends a range, which makes `we` unambiguous. */
const readDayWord = (scanner: TextScanner, issues: Issue[], isInRange = false): readonly Day[] | undefined => {
  const place = scanner.placeOf();
  const word = scanner.take(WORD);
  if (word === undefined) {
    const rest = scanner.peek(REST_OF_PART)?.trim() ?? '';
    const nearest = /^\d+[^;]{0,9}\p{Pd}/u.test(rest) && rest.length <= LONGEST_QUOTED ? [`daily ${rest}`] : [];
    issues.push(broken('text', place, 'a day is expected here, such as mon, mon-fri, weekend or daily', { nearest }));
    return undefined;
  }
  const days = daysOfWord(word);
  scanner.skipBlanks();
  if (days && (isInRange || !isAmbiguous(word) || scanner.peek(DASH) !== undefined)) return days;
  const message = days
    ? `${shown(word)} is ambiguous (Wednesday, or Wochenende, the weekend); write wed or sat-sun, in German Mi or Sa-So`
    : `${shown(word)} is not a day; days are ${DAYS.join(', ')}, weekdays, weekend and daily`;
  const nearest = days ? ['wed', 'sat-sun'] : nearestDayWords(word);
  issues.push(broken('unknown_day', place, message, { got: word, allowed: DAYS, nearest }));
  return undefined;
};

const LONGEST_QUOTED = 200;

const rangeOf = (from: readonly Day[], to: readonly Day[], isRange: boolean, place: string, issues: Issue[]): readonly Day[] => {
  if (!isRange) return from;
  const [first, last] = [from[0], to[0]];
  if (first && last && from.length === 1 && to.length === 1) return daysBetween(first, last);
  issues.push(broken('text', place, 'a range needs two days, such as mon-fri', { nearest: [printDays([...from, ...to])] }));
  return [];
};

/** Reads the entries of a part, up to the `;` or line break. */
const readEntries = (scanner: TextScanner, days: readonly Day[]): WrittenDay => {
  const issues: Issue[] = [];
  const drafts: EntryDraft[] = [];
  if (scanner.peek(WORD)?.toLowerCase() === 'none') {
    scanner.take(WORD);
    scanner.skipBlanks();
    const place = scanner.placeOf();
    if (scanner.take(REST_OF_PART) !== '') issues.push(broken('text', place, 'after none only a ; and other days can follow'));
    return { drafts, issues };
  }
  do {
    scanner.skipBlanksAndLines();
    if (drafts.length === DAY_MINUTES || issues.length >= MOST_ISSUES) {
      const message = issues.length > 0 ? 'too many errors in this day; the rest was not read' : 'a day cannot have so many entries';
      issues.push(broken(issues.length > 0 ? 'more' : 'maxEntries', scanner.placeOf(), message));
      scanner.take(REST_OF_PART);
      break;
    }
    drafts.push(readTextEntry(scanner, issues, drafts.length, (start, end, mode) => twoEntries(days, start, end, mode)));
  } while (scanner.take(SEPARATOR) !== undefined);
  return { drafts, issues };
};

const twoEntries = (days: readonly Day[], start: string, end: string, mode: string | undefined): TwoEntries => {
  const known = mode === undefined || shown(mode) !== mode ? '' : mode;
  const print = (from: string, to: string): string => printEntry({ start: from, end: to, mode: known }) ?? `${from}-${to}`;
  const [late, early] = [print(start, '24:00'), print('00:00', end)];
  const parts = new Map<string, Day[]>();
  for (const day of DAYS) {
    const entries = [...(days.map(nextDay).includes(day) ? [early] : []), ...(days.includes(day) ? [late] : [])].join(', ');
    if (entries !== '') parts.set(entries, [...(parts.get(entries) ?? []), day]);
  }
  const instead = [...parts].map(([entries, those]) => `${printDays(those)} ${entries}`).join('; ');
  return days.length === 0 ? { text: `${late}, and ${early} on the day after`, nearest: [] } : { text: instead, nearest: [instead] };
};
