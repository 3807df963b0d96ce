import { bad, type Checked, good, type Issue, pointer } from '../base/issue.ts';
import { isRecord, type Json } from '../base/json.ts';
import { nearestWords } from '../base/nearest.ts';
import { broken, listed, shown } from '../base/rules.ts';
import { dayIssues } from './day.ts';
import { type Draft, readEntry } from './entry.ts';
import { DAYS, type Day, type Entry, sameDay, type Week, weekOf } from './week.ts';

/** What the platform asks of a schedule; each was missing in some record of 2021. */
export type Constraints = {
  /** A day, not a week. */
  readonly maxEntries?: number;
  /** Minutes. */
  readonly resolution?: number;
  readonly modes?: readonly string[];
  /** The mode between the entries. */
  readonly defaultMode?: string;
  /** Missing counts as not allowed. */
  readonly overlapAllowed?: boolean;
};

/** Where a written entry and its parts stand in what was sent: JSON pointers, for text `line:column`. */
export type Places = { readonly day: string; readonly entry: string; readonly start: string; readonly end: string; readonly mode: string };

/** An entry as a person sent it; `start` and `end` are canonical `HH:MM`, `start` before `end`. */
export type WrittenEntry = {
  readonly start: string;
  readonly end: string;
  readonly mode?: string;
  readonly position?: number;
  readonly places: Places;
};

export type WrittenDays = ReadonlyMap<Day, readonly WrittenEntry[]>;

/** The constraints of a Schedule parameter; what makes no sense counts as missing. */
export const readConstraints = (raw: Readonly<Record<string, Json>>): Constraints => {
  const { maxEntries, resolution, modes, defaultMode, overlapAllowed } = raw;
  const words = Array.isArray(modes) ? modes.filter((mode) => typeof mode === 'string') : [];
  return {
    ...(typeof maxEntries === 'number' && maxEntries >= 0 ? { maxEntries } : {}),
    ...(typeof resolution === 'number' && resolution > 0 ? { resolution } : {}),
    ...(words.length > 0 ? { modes: words } : {}),
    ...(typeof defaultMode === 'string' ? { defaultMode } : {}),
    ...(typeof overlapAllowed === 'boolean' ? { overlapAllowed } : {}),
  };
};

/**
 * A whole or partial week as a person sent it in JSON, `{"newSchedule":{…}}` included, or every rule it breaks in itself, with JSON
 * pointers into what was sent (CONTRACT §3.4, §3.5). What depends on the schedule is checkWeek's.
 */
export const readWrittenWeek = (json: unknown): Checked<WrittenDays> => {
  const { drafts, issues } = readDrafts(json);
  return issues.length > 0 ? bad(...listed(issues)) : good(wholeDays(drafts));
};

/** readWrittenWeek and checkWeek at once: every broken rule of both kinds is told, also where entries can't be read. */
export const checkWrittenWeek = (json: unknown, constraints: Constraints, present: Week | undefined): Checked<WrittenDays> => {
  const { drafts, issues } = readDrafts(json);
  const days = wholeDays(drafts);
  const rules = [...drafts].flatMap(([day, entries]) => {
    const isWhole = entries.length === days.get(day)?.length;
    return isWhole && isPresent(day, days, constraints, present) ? [] : dayIssues(entries, constraints);
  });
  const all = [...issues, ...rules];
  return all.length > 0 ? bad(...listed(all)) : good(days);
};

type Drafts = ReadonlyMap<Day, readonly Draft[]>;

const readDrafts = (json: unknown): { readonly drafts: Drafts; readonly issues: readonly Issue[] } => {
  const drafts = new Map<Day, readonly Draft[]>();
  if (!isRecord(json)) return { drafts, issues: [noWeek('', json)] };
  const wrapped = Object.hasOwn(json, 'newSchedule');
  const body = wrapped ? json.newSchedule : json;
  const root = wrapped ? ['newSchedule'] : [];
  const issues: Issue[] = wrapped ? besides(json) : [];
  if (!isRecord(body)) return { drafts, issues: [...issues, noWeek(pointer(...root), body)] };
  const keys = Object.keys(body);
  if (keys.length === 0) {
    issues.push(broken('empty', pointer(...root), 'no day is named; a day without entries is {"mon":[]}', { allowed: DAYS }));
  }
  for (const key of keys) {
    const day = DAYS.find((known) => known === key);
    if (day) drafts.set(day, readDay(day, body[key], root, issues));
    else issues.push(unknownDay(key, root));
  }
  return { drafts, issues };
};

const wholeDays = (drafts: Drafts): WrittenDays => new Map([...drafts].map(([day, entries]) => [day, entries.flatMap(wholeEntry)]));

const wholeEntry = ({ start, end, modeSpoiled: _, ...rest }: Draft): readonly WrittenEntry[] =>
  start === undefined || end === undefined ? [] : [{ start, end, ...rest }];

const noWeek = (path: string, got: unknown): Issue =>
  broken('type', path, `a week is an object of days, {"mon":[…],…}, not ${shown(got)}`, { got });

const besides = (json: object): Issue[] =>
  Object.keys(json)
    .filter((key) => key !== 'newSchedule')
    .map((key) => broken('unknown_key', pointer(key), `beside newSchedule stands nothing else, but here ${shown(key)}`, { got: key }));

const unknownDay = (key: string, root: readonly string[]): Issue => {
  const begins = DAYS.filter((day) => key.toLowerCase().startsWith(day));
  const nearest = begins.length > 0 ? begins : nearestWords(key, DAYS);
  return broken('unknown_day', pointer(...root, key), `${shown(key)} is no day; days are ${DAYS.join(', ')}`, {
    got: key,
    allowed: DAYS,
    nearest,
  });
};

const readDay = (day: Day, list: unknown, root: readonly string[], issues: Issue[]): readonly Draft[] => {
  if (!Array.isArray(list)) {
    issues.push(
      broken('type', pointer(...root, day), `a day is a list of entries, [] when it has none, not ${shown(list)}`, { got: list }),
    );
    return [];
  }
  const entries = list.map((raw: unknown, index) => readEntry(raw, day, [...root, day, index], issues));
  const taken = new Set<number>();
  for (const { position, places } of entries) {
    if (position === undefined) continue;
    if (taken.has(position)) {
      issues.push(broken('position', `${places.entry}/position`, `position ${position} stands twice in this day`, { got: position }));
    }
    taken.add(position);
  }
  return entries;
};

/**
 * Every rule of the schedule that the written days break. A day that is sent as `present` has it passes whatever it breaks
 * (the platform's own days can be off the grid).
 */
export const checkWeek = (days: WrittenDays, constraints: Constraints, present: Week | undefined): Issue[] => {
  const issues = [...days].flatMap(([day, entries]) => (isPresent(day, days, constraints, present) ? [] : dayIssues(entries, constraints)));
  return [...listed(issues)];
};

const isPresent = (day: Day, days: WrittenDays, constraints: Constraints, present: Week | undefined): boolean =>
  present !== undefined && sameDay(dayToSend(days.get(day) ?? [], constraints), present[day]);

/** The whole week to send: days not named, and days that equal the present ones, exactly as `present` has them. */
export const completeWeek = (days: WrittenDays, constraints: Constraints, present: Week): Week =>
  weekOf((day) => {
    const written = days.get(day);
    if (!written) return present[day];
    const entries = dayToSend(written, constraints);
    return sameDay(entries, present[day]) ? present[day] : entries;
  });

/** Entries with a position first, ordered by it, then those without in the order given; all renumbered from 0. */
const dayToSend = (entries: readonly WrittenEntry[], { modes }: Constraints): readonly Entry[] => {
  const onlyMode = modes?.length === 1 ? modes[0] : undefined;
  return entries
    .toSorted((a, b) => (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY) || 0)
    .map(({ start, end, mode = onlyMode ?? '' }, position) => ({ start, end, mode, position }));
};
