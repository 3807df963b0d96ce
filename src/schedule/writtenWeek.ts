import type { Issue } from '../shared/issue.ts';
import type { Day, Entry, Week } from './week.ts';

/** Where a written entry and its parts stand in what was sent: JSON pointers, for text `line:column`. */
export type Places = { readonly day: string; readonly entry: string; readonly start: string; readonly end: string; readonly mode: string };

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

/** One day that a person sent: what could be read of its entries, and the rules that it breaks in itself. */
export type WrittenDay = {
  readonly drafts: readonly Draft[];
  readonly issues: readonly Issue[];
  /** The platform has shown it before: it passes, whatever it breaks. */
  readonly wasShown?: true;
};

/** A whole or partial week that a person sent, in either form; `issues` are those that belong to none of its days. */
export type WrittenWeek = { readonly days: ReadonlyMap<Day, WrittenDay>; readonly issues: readonly Issue[] };

/** These days of a week that the platform has shown before, as if somebody had written them. */
export const writtenFrom = (week: Week, days: readonly Day[]): WrittenWeek => {
  const places = { day: '', entry: '', start: '', end: '', mode: '' };
  const draftsOf = (day: Day): readonly Draft[] => week[day].map((entry) => ({ ...entry, literal: entry, places }));
  return { days: new Map(days.map((day) => [day, { drafts: draftsOf(day), issues: [], wasShown: true }])), issues: [] };
};
