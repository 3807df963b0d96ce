import type { ChangeEntry } from '../../api/answers.ts';
import { shownWeek } from '../../schedule/shown/shownWeek.ts';
import type { WeekChange } from '../../schedule/versions/versions.ts';
import { DAYS, type Week } from '../../schedule/week.ts';
import { isRecord } from '../../shared/json.ts';

/** A change of a week, with the entry of the history that tells of it. */
export type WeekEntry = WeekChange & { readonly entry: ChangeEntry };

const CARRIED_OUT: ReadonlySet<ChangeEntry['status']> = new Set(['accepted', 'applied', 'unconfirmed']);

/** The days of a week in the values of a change; undefined where they tell none. */
const daysIn = (values: ChangeEntry['after']): Partial<Week> | undefined => {
  for (const value of Object.values(values ?? {})) {
    const named = isRecord(value) ? DAYS.filter((day) => Object.hasOwn(value, day)) : [];
    const week = shownWeek(value);
    if (week && named.length > 0) return Object.fromEntries(named.map((day) => [day, week[day]]));
  }
  return undefined;
};

/** What was carried out of these changes of a schedule (the newest first), as far back as the changed days are known. */
export const weekChangesOf = (changes: readonly ChangeEntry[]): { readonly known: readonly WeekEntry[]; readonly isCut: boolean } => {
  const known: WeekEntry[] = [];
  for (const entry of changes) {
    if (!CARRIED_OUT.has(entry.status)) continue;
    const [before, after] = [daysIn(entry.before), daysIn(entry.after)];
    if (after && before) known.push({ before, after, entry });
    // A change of another value of the schedule says nothing of its week.
    else if (entry.after === undefined) return { known, isCut: true };
  }
  return { known, isCut: false };
};
