import type { Issue } from '../shared/issue.ts';
import type { Day, Entry, Week } from './week.ts';

/** The places of a written entry and its parts: JSON pointers, or `line:column` for text. */
export type Places = { readonly day: string; readonly entry: string; readonly start: string; readonly end: string; readonly mode: string };

/** A written entry as far as it is readable: times are `HH:MM`, or undefined. */
export type EntryDraft = {
  readonly start?: string | undefined;
  readonly end?: string | undefined;
  readonly mode?: string | undefined;
  /** A mode was given, but could not be read. */
  readonly modeUnreadable?: true | undefined;
  /** The mode is compared ignoring case. */
  readonly anyCase?: true;
  readonly position?: number | undefined;
  /** The entry exactly as written, if it has the form of the platform's own entries. */
  readonly literal?: Entry | undefined;
  readonly places: Places;
};

/** A written day: its entries, and the rules that it breaks in any schedule. */
export type WrittenDay = {
  readonly drafts: readonly EntryDraft[];
  readonly issues: readonly Issue[];
  /** The platform has shown this day before, so it is accepted even if it breaks a rule. */
  readonly wasShown?: true;
};

/** A written week or part of one, in either form; `issues`: those that belong to no day. */
export type WrittenWeek = { readonly days: ReadonlyMap<Day, WrittenDay>; readonly issues: readonly Issue[] };

/** Days of a week that the platform has shown before, as a written week. */
export const writtenFrom = (week: Week, days: readonly Day[]): WrittenWeek => {
  const places = { day: '', entry: '', start: '', end: '', mode: '' };
  const draftsOf = (day: Day): readonly EntryDraft[] => week[day].map((entry) => ({ ...entry, places }));
  return { days: new Map(days.map((day) => [day, { drafts: draftsOf(day), issues: [], wasShown: true }])), issues: [] };
};
