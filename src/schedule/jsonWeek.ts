import { nearestWords } from '../shared/closestMatch.ts';
import { broken, type Issue, pointer, shown } from '../shared/issue.ts';
import { isRecord } from '../shared/json.ts';
import { checkStart, endMinutes, orderIssues, type TwoEntries } from './constraints.ts';
import { nextDay } from './text/dayWords.ts';
import { printKnownTime, readTime } from './time.ts';
import { DAYS, type Day, type Entry } from './week.ts';
import type { EntryDraft, WrittenDay, WrittenWeek } from './writtenWeek.ts';

/** Reads a week or some days from JSON, also `{"newSchedule":{…}}` (docs/schedules.md); `at`: its pointer. */
export const readJsonWeek = (json: unknown, at = ''): WrittenWeek => {
  const days = new Map<Day, WrittenDay>();
  if (!isRecord(json)) return { days, issues: [noWeek(at, json)] };
  const wrapped = Object.hasOwn(json, 'newSchedule');
  const body = wrapped ? json.newSchedule : json;
  const root = wrapped ? `${at}/newSchedule` : at;
  const issues: Issue[] = wrapped ? keysBeside(json, at) : [];
  if (!isRecord(body)) return { days, issues: [...issues, noWeek(root, body)] };
  const keys = Object.keys(body);
  if (keys.length === 0) issues.push(broken('empty', root, 'the week has no day; a day without entries is {"mon":[]}', { allowed: DAYS }));
  for (const key of keys) {
    const day = DAYS.find((known) => known === key);
    if (day) days.set(day, readDay(day, body[key], root + pointer(day)));
    else issues.push(unknownDay(key, root));
  }
  return { days, issues };
};

/** Reads the list of a day's entries from JSON; `at` is its JSON pointer in the payload. */
export const readJsonDay = (day: Day, json: unknown, at = ''): WrittenWeek => ({
  days: new Map([[day, readDay(day, json, at)]]),
  issues: [],
});

const noWeek = (path: string, got: unknown): Issue =>
  broken('type', path, `a week must be an object of days, {"mon":[…],…}, not ${shown(got)}`, { got, allowed: 'object' });

const keysBeside = (json: object, at: string): Issue[] =>
  Object.keys(json)
    .filter((key) => key !== 'newSchedule')
    .map((key) => broken('unknown_key', at + pointer(key), `${shown(key)} is not allowed beside newSchedule`, { got: key }));

// Keys of the envelope that were put into the week.
const ENVELOPE_KEYS: ReadonlySet<string> = new Set(['id', 'if_rev', 'until', 'for']);

const unknownDay = (key: string, root: string): Issue => {
  if (ENVELOPE_KEYS.has(key)) {
    const message = `${key} must be beside the week, not in it: {"value":{"mon":[…],…},"${key}":…}`;
    return broken('unknown_day', root + pointer(key), message, { got: key, allowed: DAYS });
  }
  const begins = DAYS.filter((day) => key.toLowerCase().startsWith(day));
  const nearest = begins.length > 0 ? begins : nearestWords(key, DAYS);
  return broken('unknown_day', root + pointer(key), `${shown(key)} is not a day; days are ${DAYS.join(', ')}`, {
    got: key,
    allowed: DAYS,
    nearest,
  });
};

const readDay = (day: Day, list: unknown, place: string): WrittenDay => {
  if (!Array.isArray(list)) {
    const message = `a day must be a list of entries, [] if it has none, not ${shown(list)}`;
    return { drafts: [], issues: [broken('type', place, message, { got: list, allowed: 'array' })] };
  }
  const issues: Issue[] = [];
  const drafts = list.map((raw: unknown, index) => readEntry(raw, day, place, index, issues));
  const taken = new Set<number>();
  for (const { position, places } of drafts) {
    if (position === undefined) continue;
    if (taken.has(position)) {
      issues.push(broken('position', `${places.entry}/position`, `position ${position} is used twice in this day`, { got: position }));
    }
    taken.add(position);
  }
  return { drafts, issues };
};

const KEYS = ['start', 'end', 'mode', 'position'] as const;

/** Reads an entry as far as possible; adds broken rules to `issues`. `dayPlace`: JSON pointer of its list. */
const readEntry = (raw: unknown, day: Day, dayPlace: string, index: number, issues: Issue[]): EntryDraft => {
  const entry = `${dayPlace}/${index}`;
  const places = { day: dayPlace, entry, start: `${entry}/start`, end: `${entry}/end`, mode: `${entry}/mode` };
  if (!isRecord(raw)) {
    const message = `an entry must be an object {"start":"06:00","end":"22:00","mode":"…"}, not ${shown(raw)}`;
    issues.push(broken('type', entry, message, { got: raw, allowed: 'object' }));
    return { modeUnreadable: true, places };
  }
  for (const key of Object.keys(raw)) if (!KEYS.some((known) => known === key)) issues.push(unknownKey(key, entry));
  const literal = literalOf(raw, index);
  const start = checkStart(readMinutes(raw.start, places.start, issues), raw.start, places.start, issues);
  const end = endMinutes(readMinutes(raw.end, places.end, issues));
  const mode = readMode(raw.mode, places.mode, issues);
  const position = readPosition(raw.position, `${entry}/position`, issues);
  issues.push(...orderIssues(start, end, places, (from, to) => twoEntries(day, from, to, mode)));
  const modeUnreadable = raw.mode !== undefined && mode === undefined ? true : undefined;
  return { start: printKnownTime(start), end: printKnownTime(end), mode, modeUnreadable, position, literal, places };
};

const literalOf = ({ start, end, mode, position, ...more }: Readonly<Record<string, unknown>>, index: number): Entry | undefined => {
  if (typeof start !== 'string' || typeof end !== 'string' || typeof mode !== 'string' || Object.keys(more).length > 0) return undefined;
  if (position === undefined) return { start, end, mode, position: index };
  return typeof position === 'number' ? { start, end, mode, position } : undefined;
};

const unknownKey = (key: string, entry: string): Issue =>
  broken('unknown_key', entry + pointer(key), `${shown(key)} is not a key of an entry; keys are ${KEYS.join(', ')}`, {
    got: key,
    allowed: KEYS,
    nearest: nearestWords(key, KEYS),
  });

/** True for a text that a hub has shortened (`…` or final `...`); adds that as the only issue. */
const isCut = (value: unknown, path: string, issues: Issue[]): boolean => {
  const cut = typeof value === 'string' && (value.includes('…') || /\.\.\.\s*$/u.test(value));
  if (cut) issues.push(broken('truncated', path, `${shown(value)} was shortened on the way; send the complete text`, { got: value }));
  return cut;
};

const readMinutes = (value: unknown, path: string, issues: Issue[]): number | undefined => {
  if (isCut(value, path, issues)) return undefined;
  const minutes = typeof value === 'string' ? readTime(value) : undefined;
  if (minutes !== undefined) return minutes;
  if (value === undefined) issues.push(broken('required', path, 'an entry needs start and end, {"start":"06:00","end":"22:00"}'));
  else issues.push(broken('time', path, `${shown(value)} is not a time; times are texts "HH:MM" from "00:00" to "24:00"`, { got: value }));
  return undefined;
};

const readMode = (value: unknown, path: string, issues: Issue[]): string | undefined => {
  if (value === undefined || isCut(value, path, issues)) return undefined;
  if (typeof value === 'string') return value;
  issues.push(broken('type', path, `a mode must be a text, not ${shown(value)}`, { got: value, allowed: 'string' }));
  return undefined;
};

const readPosition = (value: unknown, path: string, issues: Issue[]): number | undefined => {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  issues.push(
    broken('position', path, `${shown(value)} is not a position; positions are whole numbers from 0, and optional`, { got: value }),
  );
  return undefined;
};

const twoEntries = (day: Day, start: string, end: string, mode: string | undefined): TwoEntries => {
  const sameMode = mode !== undefined && shown(mode) === mode ? { mode } : {};
  const instead = {
    [day]: [{ start, end: '24:00', ...sameMode }],
    [nextDay(day)]: [{ start: '00:00', end, ...sameMode }],
  };
  return { text: JSON.stringify(instead), nearest: [instead] };
};
