import { type Issue, pointer } from '../base/issue.ts';
import { isRecord } from '../base/json.ts';
import { nearestWords } from '../base/nearest.ts';
import { broken, shown } from '../base/rules.ts';
import { DAY_MINUTES, printTime, readTime } from './time.ts';
import { DAYS, type Day } from './week.ts';
import type { Places } from './written.ts';

const KEYS = ['start', 'end', 'mode', 'position'] as const;

type Keys = readonly (string | number)[];

/** What could be read of an entry; a WrittenEntry where no rule was broken. */
export type Draft = {
  readonly start?: string;
  readonly end?: string;
  readonly mode?: string;
  /** The mode was sent, but made no sense. */
  readonly modeSpoiled?: true;
  readonly position?: number;
  readonly places: Places;
};

/** One entry that a person sent, as far as it makes sense; the rules it breaks in itself are added to `issues`. */
export const readEntry = (raw: unknown, day: Day, keys: Keys, issues: Issue[]): Draft => {
  const entry = pointer(...keys);
  const places = { day: pointer(...keys.slice(0, -1)), entry, start: `${entry}/start`, end: `${entry}/end`, mode: `${entry}/mode` };
  if (!isRecord(raw)) {
    const message = `an entry is an object {"start":"06:00","end":"22:00","mode":"…"}, not ${shown(raw)}`;
    issues.push(broken('type', entry, message, { got: raw }));
    return { modeSpoiled: true, places };
  }
  for (const key of Object.keys(raw)) if (!KEYS.some((known) => known === key)) issues.push(unknownKey(key, keys));
  const start = readStart(raw.start, places.start, issues);
  const end = readEnd(raw.end, places.end, issues);
  const mode = readMode(raw.mode, places.mode, issues);
  const position = readPosition(raw.position, `${entry}/position`, issues);
  if (start !== undefined && end !== undefined) issues.push(...orderIssues(start, end, mode, day, places));
  return {
    ...(start === undefined ? {} : { start: printTime(start) }),
    ...(end === undefined ? {} : { end: printTime(end) }),
    ...(mode === undefined ? {} : { mode }),
    ...(raw.mode !== undefined && mode === undefined ? { modeSpoiled: true } : {}),
    ...(position === undefined ? {} : { position }),
    places,
  };
};

const unknownKey = (key: string, keys: Keys): Issue =>
  broken('unknown_key', pointer(...keys, key), `an entry has no ${shown(key)}; it has ${KEYS.join(', ')}`, {
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

const orderIssues = (start: number, end: number, mode: string | undefined, day: Day, places: Places): Issue[] => {
  if (start < end) return [];
  const [from, to] = [printTime(start), printTime(end)];
  if (start === end) return [broken('order', places.end, `the entry ends when it starts, at ${to}; the end has to be later`, { got: to })];
  const next = DAYS[(DAYS.indexOf(day) + 1) % DAYS.length] ?? 'mon';
  const said = mode !== undefined && shown(mode) === mode ? { mode } : {};
  const instead = { [day]: [{ start: from, end: '24:00', ...said }], [next]: [{ start: '00:00', end: to, ...said }] };
  const message = `${to} is not after ${from}; over midnight write two entries: ${JSON.stringify(instead)}`;
  return [broken('midnight', places.end, message, { got: to, nearest: [instead] })];
};
