import { nearestWords } from '../shared/closestMatch.ts';
import { broken, type Issue, shown } from '../shared/issue.ts';
import { DAY_MINUTES, printTime, readTime } from './time.ts';
import type { Draft, Places } from './writtenWeek.ts';

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

/** The constraints of a Schedule parameter; what makes no sense counts as missing. */
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

/** Every rule of the schedule that one written day breaks, as far as it could be read. */
export const dayIssues = (entries: readonly Draft[], constraints: Constraints): Issue[] => {
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

/** 24:00 fits every grid; the grid counts from midnight. */
const gridIssues = (time: string | undefined, path: string, resolution: number, latest: number): Issue[] => {
  const minutes = time === undefined ? undefined : readTime(time);
  if (minutes === undefined || minutes === DAY_MINUTES || minutes % resolution === 0) return [];
  const lower = Math.floor(minutes / resolution) * resolution;
  const nearest = [lower, Math.min(lower + resolution, DAY_MINUTES)].filter((legal) => legal <= latest).map(printTime);
  return [broken('resolution', path, `${time} is not on the ${resolution}-minute grid`, { got: time, allowed: resolution, nearest })];
};

const modeIssues = ({ mode, modeSpoiled, places }: Draft, { modes, defaultMode }: Constraints): Issue[] => {
  const allowed = modes ?? [];
  const list = allowed.join(', ');
  if (mode === undefined) {
    const which = allowed.length > 0 ? `give one of ${list}` : 'give one';
    return modeSpoiled || allowed.length === 1 ? [] : [broken('mode', places.mode, `the mode is missing; ${which}`, { allowed })];
  }
  if (mode === defaultMode) {
    const message = `${mode} is the mode between the entries; leave this time out instead`;
    return [broken('default_mode', places.mode, message, { got: mode, allowed })];
  }
  if (allowed.length === 0 || allowed.includes(mode)) return [];
  const nearest = nearestWords(mode, allowed);
  return [
    broken('mode', places.mode, `${shown(mode) || 'an empty text'} is no mode of this schedule; it has ${list}`, {
      got: mode,
      allowed,
      nearest,
    }),
  ];
};

type Span = { readonly start: string; readonly end: string; readonly place: string };

const spanOf = ({ start, end, places }: Draft): readonly Span[] =>
  start !== undefined && end !== undefined && start < end ? [{ start, end, place: places.entry }] : [];

/** One issue for each entry that begins before an earlier one has ended. */
const overlapIssues = (entries: readonly Draft[]): Issue[] => {
  const issues: Issue[] = [];
  let longest: Span | undefined;
  for (const span of entries.flatMap(spanOf).toSorted((a, b) => (a.start < b.start ? -1 : Number(a.start > b.start)))) {
    if (longest && span.start < longest.end) {
      const message = `${span.start}-${span.end} overlaps ${longest.start}-${longest.end}; entries of this schedule may only touch`;
      issues.push(broken('overlap', span.place, message, { got: `${span.start}-${span.end}` }));
    }
    if (!longest || span.end > longest.end) longest = span;
  }
  return issues;
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
