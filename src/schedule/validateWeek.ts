import { bad, type Checked, good, type Issue, listed } from '../shared/issue.ts';
import { type Constraints, dayIssues } from './constraints.ts';
import { type Day, type Entry, sameDay, type Week, weekOf } from './week.ts';
import type { EntryDraft, Places, WrittenDay, WrittenWeek } from './writtenWeek.ts';

/** A written entry that could be read; `start` and `end` are `HH:MM`, `start` before `end`. */
export type ParsedEntry = {
  readonly start: string;
  readonly end: string;
  readonly mode?: string | undefined;
  readonly position?: number | undefined;
  readonly places: Places;
};

/** The written days of a valid week or part of one. */
export type ParsedDays = ReadonlyMap<Day, readonly ParsedEntry[]>;

/** The rules that a written week breaks whatever the schedule. A day that is written exactly like the present one is accepted, because the platform's own days can break rules. */
export const intrinsicIssues = ({ days, issues }: WrittenWeek, present?: Week): readonly Issue[] => {
  // Days that share one text (`mon-fri …`) share its issues.
  const own = new Set([...days].filter(([day, written]) => !literalDay(day, written, present)).map(([, written]) => written));
  return listed([...[...own].flatMap((written) => written.issues), ...issues]);
};

/**
 * The written days, or every broken rule: the intrinsic ones and the constraints of the schedule, also for partly unreadable entries. A
 * day that equals the present one is accepted whatever it breaks, because the platform's own days can be off the grid.
 */
export const validateWeek = (week: WrittenWeek, constraints: Constraints, present: Week | undefined): Checked<ParsedDays> => {
  const days = new Map<Day, readonly ParsedEntry[]>();
  const resolvedDays = new Map<WrittenDay, ResolvedDay>();
  const checked = new Set<ResolvedDay>();
  for (const [day, written] of week.days) {
    const resolved = resolvedDays.get(written) ?? resolveModes(written, constraints);
    resolvedDays.set(written, resolved);
    const literal = literalDay(day, written, present);
    const entries = literal ?? resolved.entries;
    days.set(day, entries);
    const isPresent = literal !== undefined || (present && resolved.isComplete && sameDay(dayToSend(entries, constraints), present[day]));
    if (!isPresent && !written.wasShown) checked.add(resolved);
  }
  const all = [...intrinsicIssues(week, present), ...[...checked].flatMap(({ drafts }) => dayIssues(drafts, constraints))];
  return all.length > 0 ? bad(...listed(all)) : good(days);
};

type ResolvedDay = { readonly drafts: readonly EntryDraft[]; readonly entries: readonly ParsedEntry[]; readonly isComplete: boolean };

const resolveModes = (written: WrittenDay, constraints: Constraints): ResolvedDay => {
  const drafts = written.drafts.map((draft) => withKnownMode(draft, constraints));
  const entries = drafts.flatMap(parsedEntries);
  return { drafts, entries, isComplete: entries.length === drafts.length };
};

// Rules that the platform's own days may break.
const TOLERATED: ReadonlySet<string> = new Set(['time', 'order', 'midnight', 'position', 'truncated']);

/** The entries of a day that is written exactly like the present one; undefined for any other day. */
const literalDay = (day: Day, { drafts, issues }: WrittenDay, present: Week | undefined): readonly ParsedEntry[] | undefined => {
  if (!present || drafts.length !== present[day].length || !issues.every(({ rule }) => TOLERATED.has(rule))) return undefined;
  const entries = drafts.flatMap(({ literal, places }) => (literal ? [{ ...literal, places }] : []));
  return entries.length === drafts.length && sameDay(entries, present[day]) ? entries : undefined;
};

/** The mode as the schedule writes it, if case is ignored. */
const withKnownMode = (draft: EntryDraft, { modes = [], defaultMode }: Constraints): EntryDraft => {
  const { mode, anyCase } = draft;
  const known = [...modes, ...(defaultMode === undefined ? [] : [defaultMode])];
  if (!anyCase || mode === undefined || known.includes(mode)) return draft;
  const [same, ...others] = known.filter((one) => one.toLowerCase() === mode.toLowerCase());
  return same === undefined || others.length > 0 ? draft : { ...draft, mode: same };
};

const parsedEntries = ({ start, end, modeUnreadable: _, anyCase: __, literal: ___, ...rest }: EntryDraft): readonly ParsedEntry[] =>
  start === undefined || end === undefined ? [] : [{ start, end, ...rest }];

/** The seven days to send. Days that are not written or that equal the present ones are sent exactly as `present` has them. */
export const completeWeek = (days: ParsedDays, constraints: Constraints, present: Week): Week =>
  weekOf((day) => {
    const written = days.get(day);
    if (!written) return present[day];
    const entries = dayToSend(written, constraints);
    return sameDay(entries, present[day]) ? present[day] : entries;
  });

/** Entries ordered by position, then those without one as given; renumbered from 0. */
const dayToSend = (entries: readonly ParsedEntry[], { modes }: Constraints): readonly Entry[] => {
  const onlyMode = modes?.length === 1 ? modes[0] : undefined;
  return entries
    .toSorted((a, b) => (a.position ?? Number.POSITIVE_INFINITY) - (b.position ?? Number.POSITIVE_INFINITY) || 0)
    .map(({ start, end, mode = onlyMode ?? '' }, position) => ({ start, end, mode, position }));
};
