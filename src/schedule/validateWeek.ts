import { bad, type Checked, good, type Issue, listed } from '../shared/issue.ts';
import { type Constraints, dayIssues } from './constraints.ts';
import { type Day, type Entry, sameDay, type Week, weekOf } from './week.ts';
import type { Draft, Places, WrittenDay, WrittenWeek } from './writtenWeek.ts';

/** An entry as a person sent it; `start` and `end` are canonical `HH:MM`, `start` before `end`. */
export type WrittenEntry = {
  readonly start: string;
  readonly end: string;
  readonly mode?: string;
  readonly position?: number;
  readonly places: Places;
};

export type WrittenDays = ReadonlyMap<Day, readonly WrittenEntry[]>;

/**
 * Every rule that a written week breaks whatever the schedule. A day that is written letter by letter as `present` has it passes: the
 * platform's own days can be odd.
 */
export const issuesInItself = ({ days, issues }: WrittenWeek, present?: Week): readonly Issue[] => {
  // Several days can share what they were written as: its mistakes are told once.
  const own = new Set([...days].filter(([day, written]) => !literalDay(day, written, present)).map(([, written]) => written));
  return listed([...[...own].flatMap((written) => written.issues), ...issues]);
};

/**
 * The days to write, or every broken rule: those that hold for every week, and those of the schedule, told also where entries can't be
 * read. A day that is sent as `present` has it passes whatever it breaks (the platform's own days can be off the grid).
 */
export const checkWritten = (week: WrittenWeek, constraints: Constraints, present: Week | undefined): Checked<WrittenDays> => {
  const days = new Map<Day, readonly WrittenEntry[]>();
  // Several days can share what they were written as.
  const settledOf = new Map<WrittenDay, Settled>();
  const other = new Set<Settled>();
  for (const [day, written] of week.days) {
    const settled = settledOf.get(written) ?? settle(written, constraints);
    settledOf.set(written, settled);
    const literal = literalDay(day, written, present);
    const entries = literal ?? settled.entries;
    days.set(day, entries);
    const isPresent = literal !== undefined || (present && settled.isWhole && sameDay(dayToSend(entries, constraints), present[day]));
    if (!isPresent && !written.wasShown) other.add(settled);
  }
  const all = [...issuesInItself(week, present), ...[...other].flatMap(({ drafts }) => dayIssues(drafts, constraints))];
  return all.length > 0 ? bad(...listed(all)) : good(days);
};

type Settled = { readonly drafts: readonly Draft[]; readonly entries: readonly WrittenEntry[]; readonly isWhole: boolean };

const settle = (written: WrittenDay, constraints: Constraints): Settled => {
  const drafts = written.drafts.map((draft) => withKnownMode(draft, constraints));
  const entries = drafts.flatMap(wholeEntry);
  return { drafts, entries, isWhole: entries.length === drafts.length };
};

// What the platform's own days may break; anything else is a mistake in what was sent.
const ODD: ReadonlySet<string> = new Set(['time', 'order', 'midnight', 'position', 'truncated']);

/** The entries as they stand there, where they are the present ones letter by letter. */
const literalDay = (day: Day, { drafts, issues }: WrittenDay, present: Week | undefined): readonly WrittenEntry[] | undefined => {
  if (!present || drafts.length !== present[day].length || !issues.every(({ rule }) => ODD.has(rule))) return undefined;
  const entries = drafts.flatMap(({ literal, places }) => (literal ? [{ ...literal, places }] : []));
  return entries.length === drafts.length && sameDay(entries, present[day]) ? entries : undefined;
};

/** Where capitals do not count, the mode as the schedule writes it. */
const withKnownMode = (draft: Draft, { modes = [], defaultMode }: Constraints): Draft => {
  const { mode, anyCase } = draft;
  const known = [...modes, ...(defaultMode === undefined ? [] : [defaultMode])];
  if (!anyCase || mode === undefined || known.includes(mode)) return draft;
  const [same, ...others] = known.filter((one) => one.toLowerCase() === mode.toLowerCase());
  return same === undefined || others.length > 0 ? draft : { ...draft, mode: same };
};

const wholeEntry = ({ start, end, modeSpoiled: _, anyCase: __, literal: ___, ...rest }: Draft): readonly WrittenEntry[] =>
  start === undefined || end === undefined ? [] : [{ start, end, ...rest }];

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
