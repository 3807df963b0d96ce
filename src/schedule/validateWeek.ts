import { bad, type Checked, good, type Issue, listed } from '../shared/issue.ts';
import { type Constraints, dayIssues } from './constraints.ts';
import { byPosition, type Day, type Entry, sameDay, type Week, weekOf } from './week.ts';
import type { EntryDraft, WrittenDay, WrittenWeek } from './writtenWeek.ts';

/** The written days of a valid week or part of one, as they are sent. */
export type ParsedDays = ReadonlyMap<Day, readonly Entry[]>;

/** Rules broken in any schedule. A day equal to the present one passes: the platform's own may break them. */
export const intrinsicIssues = ({ days, issues }: WrittenWeek, present?: Week): readonly Issue[] => {
  if (issues.length === 0 && [...days.values()].every((written) => written.issues.length === 0)) return [];
  // Days that share one text (`mon-fri …`) share its issues.
  const own = new Set([...days].filter(([day, written]) => !isAsShown(day, written, present)).map(([, written]) => written));
  return listed([...[...own].flatMap((written) => written.issues), ...issues]);
};

/**
 * The written days, or every broken rule: intrinsic ones and the schedule's constraints, also for partly
 * unreadable entries. A day equal to the present one passes: the platform's own days can be off the grid.
 */
export const validateWeek = (week: WrittenWeek, constraints: Constraints, present: Week | undefined): Checked<ParsedDays> => {
  const days = new Map<Day, readonly Entry[]>();
  const checked = new Set<WrittenDay>();
  for (const [day, written] of week.days) {
    const entries = entriesOf(written, constraints);
    const isComplete = entries.length === written.drafts.length;
    const isPresent = isAsShown(day, written, present) || (present && isComplete && sameDay(entries, present[day]));
    days.set(day, isPresent && present ? byPosition(present[day]) : entries);
    if (!isPresent && !written.wasShown) checked.add(written);
  }
  const issues = [...checked].flatMap(({ drafts }) => dayIssues(withKnownModes(drafts, constraints), constraints));
  const all = [...intrinsicIssues(week, present), ...issues];
  return all.length > 0 ? bad(...listed(all)) : good(days);
};

// Rules that the platform's own days may break.
const TOLERATED: ReadonlySet<string> = new Set(['time', 'order', 'midnight', 'position', 'truncated']);

/** True for a day that is written exactly like the present one. */
const isAsShown = (day: Day, { drafts, issues }: WrittenDay, present: Week | undefined): boolean => {
  if (!present || !issues.every(({ rule }) => TOLERATED.has(rule))) return false;
  const entries = drafts.flatMap(({ literal }) => literal ?? []);
  return entries.length === drafts.length && sameDay(entries, present[day]);
};

/** A mode as the schedule writes it, ignoring case; undefined where no mode, or several, have that name. */
export const knownMode = (mode: string, { modes = [], defaultMode }: Constraints): string | undefined => {
  const known = [...modes, defaultMode].filter((one) => one !== undefined);
  if (known.includes(mode)) return mode;
  const same = new Set(known.filter((one) => one.toLowerCase() === mode.toLowerCase()));
  return same.size === 1 ? [...same][0] : undefined;
};

const withKnownModes = (drafts: readonly EntryDraft[], constraints: Constraints): readonly EntryDraft[] =>
  drafts.map((draft) => {
    const { mode, anyCase } = draft;
    return anyCase && mode !== undefined ? { ...draft, mode: knownMode(mode, constraints) ?? mode } : draft;
  });

/** The readable entries by position, then those without one as given; renumbered from 0. */
const entriesOf = ({ drafts }: WrittenDay, constraints: Constraints): readonly Entry[] => {
  const onlyMode = constraints.modes?.length === 1 ? constraints.modes[0] : undefined;
  return withKnownModes(drafts, constraints)
    .toSorted((a, b) => (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY) || 0)
    .flatMap(({ start, end, mode = onlyMode ?? '' }) => (start === undefined || end === undefined ? [] : [{ start, end, mode }]))
    .map((entry, position) => ({ ...entry, position }));
};

/** The seven days to send. Days that are missing or equal the present ones are sent as in `present`. */
export const completeWeek = (days: ParsedDays, present: Week): Week =>
  weekOf((day) => {
    const written = days.get(day);
    return !written || sameDay(written, present[day]) ? present[day] : written;
  });
