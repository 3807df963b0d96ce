import { nearestWords } from '../shared/closestMatch.ts';
import { type Issue, pointer } from '../shared/issue.ts';
import { isRecord } from '../shared/json.ts';
import { broken, shown } from '../shared/rules.ts';
import { nextDay } from './text/dayWords.ts';
import { DAY_MINUTES, printTime, readTime } from './time.ts';
import type { Day, Entry } from './week.ts';
import type { Places } from './writtenWeek.ts';

const KEYS = ['start', 'end', 'mode', 'position'] as const;

/** What could be read of an entry; a WrittenEntry where no rule was broken. */
export type Draft = {
  readonly start?: string;
  readonly end?: string;
  readonly mode?: string;
  /** The mode was sent, but made no sense. */
  readonly modeSpoiled?: true;
  /** Capitals in the mode do not count. */
  readonly anyCase?: true;
  readonly position?: number;
  /** The entry letter by letter, where it could be one of the platform's own. */
  readonly literal?: Entry;
  readonly places: Places;
};

/** One entry that a person sent, as far as it makes sense; the rules it breaks in itself are added to `issues`. `dayPlace` is the pointer of its list. */
export const readEntry = (raw: unknown, day: Day, dayPlace: string, index: number, issues: Issue[]): Draft => {
  const entry = `${dayPlace}/${index}`;
  const places = { day: dayPlace, entry, start: `${entry}/start`, end: `${entry}/end`, mode: `${entry}/mode` };
  if (!isRecord(raw)) {
    const message = `an entry is an object {"start":"06:00","end":"22:00","mode":"…"}, not ${shown(raw)}`;
    issues.push(broken('type', entry, message, { got: raw }));
    return { modeSpoiled: true, places };
  }
  for (const key of Object.keys(raw)) if (!KEYS.some((known) => known === key)) issues.push(unknownKey(key, entry));
  const literal = literalOf(raw, index);
  const start = readStart(raw.start, places.start, issues);
  const end = readEnd(raw.end, places.end, issues);
  const mode = readMode(raw.mode, places.mode, issues);
  const position = readPosition(raw.position, `${entry}/position`, issues);
  if (start !== undefined && end !== undefined) issues.push(...orderIssues(start, end, places, () => twoInJson(start, end, mode, day)));
  return {
    ...(start === undefined ? {} : { start: printTime(start) }),
    ...(end === undefined ? {} : { end: printTime(end) }),
    ...(mode === undefined ? {} : { mode }),
    ...(raw.mode !== undefined && mode === undefined ? { modeSpoiled: true } : {}),
    ...(position === undefined ? {} : { position }),
    ...(literal ? { literal } : {}),
    places,
  };
};

const literalOf = ({ start, end, mode, position, ...more }: Readonly<Record<string, unknown>>, index: number): Entry | undefined => {
  if (typeof start !== 'string' || typeof end !== 'string' || typeof mode !== 'string' || Object.keys(more).length > 0) return undefined;
  if (position === undefined) return { start, end, mode, position: index };
  return typeof position === 'number' ? { start, end, mode, position } : undefined;
};

const unknownKey = (key: string, entry: string): Issue =>
  broken('unknown_key', entry + pointer(key), `an entry has no ${shown(key)}; it has ${KEYS.join(', ')}`, {
    got: key,
    allowed: KEYS,
    nearest: nearestWords(key, KEYS),
  });

/** A text that a hub has cut ends in dots; told once, and nothing else about it. */
const isCut = (value: unknown, path: string, issues: Issue[]): boolean => {
  const cut = typeof value === 'string' && (value.includes('…') || /\.\.\.\s*$/u.test(value));
  if (cut) issues.push(broken('truncated', path, `${shown(value)} was cut on its way; send the whole`, { got: value }));
  return cut;
};

const readMinutes = (value: unknown, path: string, issues: Issue[]): number | undefined => {
  if (isCut(value, path, issues)) return undefined;
  const minutes = typeof value === 'string' ? readTime(value) : undefined;
  if (minutes !== undefined) return minutes;
  if (value === undefined) issues.push(broken('required', path, 'an entry needs start and end, {"start":"06:00","end":"22:00"}'));
  else issues.push(broken('time', path, `${shown(value)} is no time; times are texts "HH:MM" from "00:00" to "24:00"`, { got: value }));
  return undefined;
};

const readStart = (value: unknown, path: string, issues: Issue[]): number | undefined => {
  const minutes = readMinutes(value, path, issues);
  if (minutes !== DAY_MINUTES) return minutes;
  issues.push(broken('time', path, '24:00 is only an end; a day starts at 00:00', { got: value, nearest: ['00:00'] }));
  return undefined;
};

const readEnd = (value: unknown, path: string, issues: Issue[]): number | undefined => {
  const minutes = readMinutes(value, path, issues);
  // Nothing can end where the day starts, so this is the day's end.
  return minutes === 0 ? DAY_MINUTES : minutes;
};

const readMode = (value: unknown, path: string, issues: Issue[]): string | undefined => {
  if (value === undefined || isCut(value, path, issues)) return undefined;
  if (typeof value === 'string') return value;
  issues.push(broken('type', path, `a mode is a text, not ${shown(value)}`, { got: value }));
  return undefined;
};

const readPosition = (value: unknown, path: string, issues: Issue[]): number | undefined => {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  issues.push(broken('position', path, `${shown(value)} is no position; positions are whole numbers from 0, or left out`, { got: value }));
  return undefined;
};

/** An entry over midnight as two, in words and as what can be sent instead. */
export type TwoEntries = { readonly said: string; readonly nearest: readonly unknown[] };

/** The rule that an entry breaks which does not end after it starts (minutes since midnight); `two` is asked where it goes over midnight. */
export const orderIssues = (start: number, end: number, { end: place }: Pick<Places, 'end'>, two: () => TwoEntries): Issue[] => {
  if (start < end) return [];
  const [from, to] = [printTime(start), printTime(end)];
  if (start === end) return [broken('order', place, `the entry ends when it starts, at ${to}; the end has to be later`, { got: to })];
  const { said, nearest } = two();
  return [broken('midnight', place, `${to} is not after ${from}; over midnight write two entries: ${said}`, { got: to, nearest })];
};

const twoInJson = (start: number, end: number, mode: string | undefined, day: Day): TwoEntries => {
  const said = mode !== undefined && shown(mode) === mode ? { mode } : {};
  const instead = {
    [day]: [{ start: printTime(start), end: '24:00', ...said }],
    [nextDay(day)]: [{ start: '00:00', end: printTime(end), ...said }],
  };
  return { said: JSON.stringify(instead), nearest: [instead] };
};
