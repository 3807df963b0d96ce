import { nearestWords } from '../shared/closestMatch.ts';
import { broken, type Issue, shown } from '../shared/issue.ts';
import { DAY_MINUTES, printTime, readTime } from './time.ts';
import type { EntryDraft, Places } from './writtenWeek.ts';

/** The constraints of a schedule; each was missing in some record of 2021. */
export type Constraints = {
  /** Per day. */
  readonly maxEntries?: number;
  /** Minutes. */
  readonly resolution?: number;
  readonly modes?: readonly string[];
  /** The mode between entries. */
  readonly defaultMode?: string;
  /** Not allowed if missing. */
  readonly overlapAllowed?: boolean;
};

/** The constraints of a Schedule parameter; invalid ones are left out. */
export const readConstraints = (raw: Readonly<Record<string, unknown>>): Constraints => {
  const { maxEntries, resolution, modes, defaultMode, overlapAllowed } = raw;
  const words = Array.isArray(modes) ? modes.filter((mode: unknown) => typeof mode === 'string') : [];
  return {
    ...(typeof maxEntries === 'number' && maxEntries >= 0 ? { maxEntries } : {}),
    ...(typeof resolution === 'number' && resolution > 0 ? { resolution } : {}),
    ...(words.length > 0 ? { modes: words } : {}),
    ...(typeof defaultMode === 'string' ? { defaultMode } : {}),
    ...(typeof overlapAllowed === 'boolean' ? { overlapAllowed } : {}),
  };
};

/** Every constraint that the readable parts of a written day break. */
export const dayIssues = (entries: readonly EntryDraft[], constraints: Constraints): Issue[] => {
  const { maxEntries, resolution, overlapAllowed } = constraints;
  const issues: Issue[] = [];
  const surplus = maxEntries === undefined ? undefined : entries[maxEntries];
  if (surplus) {
    const message = `${entries.length} entries are too many for a day; at most ${maxEntries} are allowed`;
    issues.push(broken('maxEntries', surplus.places.day, message, { got: entries.length, allowed: maxEntries }));
  }
  for (const entry of entries) {
    if (resolution !== undefined) {
      issues.push(...gridIssues(entry.start, entry.places.start, resolution, DAY_MINUTES - 1));
      issues.push(...gridIssues(entry.end, entry.places.end, resolution, DAY_MINUTES));
    }
    issues.push(...modeIssues(entry, constraints));
  }
  return overlapAllowed === true ? issues : [...issues, ...overlapIssues(entries)];
};

/** The grid starts at midnight; 24:00 is on every grid. */
const gridIssues = (time: string | undefined, path: string, resolution: number, latest: number): Issue[] => {
  const minutes = time === undefined ? undefined : readTime(time);
  if (minutes === undefined || minutes === DAY_MINUTES || minutes % resolution === 0) return [];
  const lower = Math.floor(minutes / resolution) * resolution;
  const nearest = [lower, Math.min(lower + resolution, DAY_MINUTES)].filter((legal) => legal <= latest).map(printTime);
  return [broken('resolution', path, `${time} is not on the ${resolution}-minute grid`, { got: time, allowed: resolution, nearest })];
};

const modeIssues = ({ mode, modeUnreadable, places }: EntryDraft, { modes, defaultMode }: Constraints): Issue[] => {
  const allowed = modes ?? [];
  const list = allowed.join(', ');
  if (mode === undefined) {
    const which = allowed.length > 0 ? `give one of ${list}` : 'give one';
    return modeUnreadable || allowed.length === 1 ? [] : [broken('mode', places.mode, `the mode is missing; ${which}`, { allowed })];
  }
  if (mode === defaultMode) {
    const message = `${mode} is the mode between the entries; remove this entry instead`;
    return [broken('default_mode', places.mode, message, { got: mode, allowed })];
  }
  if (allowed.length === 0 || allowed.includes(mode)) return [];
  const nearest = nearestWords(mode, allowed);
  return [
    broken('mode', places.mode, `${shown(mode) || 'an empty text'} is not a mode of this schedule; modes are ${list}`, {
      got: mode,
      allowed,
      nearest,
    }),
  ];
};

type Span = { readonly start: string; readonly end: string; readonly place: string };

const spanOf = ({ start, end, places }: EntryDraft): readonly Span[] =>
  start !== undefined && end !== undefined && start < end ? [{ start, end, place: places.entry }] : [];

/** One issue for each entry that starts before an earlier one ends. */
const overlapIssues = (entries: readonly EntryDraft[]): Issue[] => {
  const issues: Issue[] = [];
  let longest: Span | undefined;
  for (const span of entries.flatMap(spanOf).toSorted((a, b) => (a.start < b.start ? -1 : Number(a.start > b.start)))) {
    if (longest && span.start < longest.end) {
      const message = `${span.start}-${span.end} overlaps ${longest.start}-${longest.end}; entries of this schedule must not overlap`;
      issues.push(broken('overlap', span.place, message, { got: `${span.start}-${span.end}` }));
    }
    if (!longest || span.end > longest.end) longest = span;
  }
  return issues;
};

/** The start of an entry in minutes since midnight; 24:00 is refused. `got` is the start as written. */
export const checkStart = (minutes: number | undefined, got: unknown, place: string, issues: Issue[]): number | undefined => {
  if (minutes !== DAY_MINUTES) return minutes;
  issues.push(broken('time', place, '24:00 is only allowed as an end; a day starts at 00:00', { got, nearest: ['00:00'] }));
  return undefined;
};

/** The end of an entry in minutes since midnight. No entry ends at 00:00, so that is read as 24:00. */
export const endMinutes = (minutes: number | undefined): number | undefined => (minutes === 0 ? DAY_MINUTES : minutes);

/** An entry over midnight as two entries: as text for the message, and as values that can be sent instead. */
export type TwoEntries = { readonly text: string; readonly nearest: readonly unknown[] };

/** The issue of an entry whose end is not after its start (minutes); `split`: two entries over midnight. */
export const orderIssues = (
  start: number | undefined,
  end: number | undefined,
  { end: place }: Pick<Places, 'end'>,
  split: (start: string, end: string) => TwoEntries,
): Issue[] => {
  if (start === undefined || end === undefined || start < end) return [];
  const [from, to] = [printTime(start), printTime(end)];
  if (start === end) return [broken('order', place, `the entry ends when it starts, at ${to}; the end must be later`, { got: to })];
  const { text, nearest } = split(from, to);
  return [broken('midnight', place, `${to} is not after ${from}; over midnight, write two entries: ${text}`, { got: to, nearest })];
};
