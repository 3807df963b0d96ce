import { isRecord } from '../../shared/json.ts';
import { shownWeek } from '../shown/shownWeek.ts';
import { changedDays, DAYS, type Week } from '../week.ts';

/** An entry of the change history: status, and values by property, for a week by property and day. */
type Told = {
  readonly status: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
};

/** A change of a week: the former and the written entries of the changed days, and its entry of the history. */
export type WeekChange<Entry> = { readonly before: Partial<Week>; readonly after: Partial<Week>; readonly entry: Entry };

/** A week that a schedule has had. */
export type Version<Entry> = {
  readonly week: Week;
  /** The change that made it; undefined for another program, or before the first stored change. */
  readonly by: Entry | undefined;
  /** For a version of another program: the last change before it. */
  readonly after?: Entry;
};

/**
 * The weeks of a schedule, newest first, from the present week and its changes (newest first). Other
 * programs' changes in between are versions of their own if later changes of the same days show them.
 */
export const versionsOf = <Entry>(present: Week, changes: readonly WeekChange<Entry>[]): readonly Version<Entry>[] => {
  const versions: Version<Entry>[] = [];
  let week = present;
  for (const { before, after, entry } of changes) {
    const written: Week = { ...week, ...after };
    if (changedDays(week, written).length > 0) versions.push({ week, by: undefined, after: entry });
    versions.push({ week: written, by: entry });
    week = { ...written, ...before };
  }
  return [...versions, { week, by: undefined }];
};

const CARRIED_OUT: ReadonlySet<string> = new Set(['accepted', 'applied', 'unconfirmed']);

/** The days of a week in the values of a change, if any. */
const daysIn = (values: Told['after']): Partial<Week> | undefined => {
  for (const value of Object.values(values ?? {})) {
    const named = isRecord(value) ? DAYS.filter((day) => Object.hasOwn(value, day)) : [];
    const week = shownWeek(value);
    if (week && named.length > 0) return Object.fromEntries(named.map((day) => [day, week[day]]));
  }
  return undefined;
};

/** The carried-out changes of a schedule (newest first), as far back as the changed days are known. */
export const weekChangesOf = <Entry extends Told>(
  changes: readonly Entry[],
): { readonly known: readonly WeekChange<Entry>[]; readonly isCut: boolean } => {
  const known: WeekChange<Entry>[] = [];
  for (const entry of changes) {
    if (!CARRIED_OUT.has(entry.status)) continue;
    const [before, after] = [daysIn(entry.before), daysIn(entry.after)];
    if (after && before) known.push({ before, after, entry });
    // A change of another value of the schedule does not concern its week.
    else if (entry.after === undefined) return { known, isCut: true };
  }
  return { known, isCut: false };
};
