import { isRecord } from '../../shared/json.ts';
import { shownWeek } from '../shown/shownWeek.ts';
import { DAYS, type Week } from '../week.ts';
import type { WeekChange } from './versions.ts';

/** An entry of the change history: status, and values by property, for a week by property and day. */
type Told = {
  readonly status: string;
  readonly before?: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
};

/** A change of a week, with its entry of the history. */
export type WeekEntry<Entry> = WeekChange & { readonly entry: Entry };

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
): { readonly known: readonly WeekEntry<Entry>[]; readonly isCut: boolean } => {
  const known: WeekEntry<Entry>[] = [];
  for (const entry of changes) {
    if (!CARRIED_OUT.has(entry.status)) continue;
    const [before, after] = [daysIn(entry.before), daysIn(entry.after)];
    if (after && before) known.push({ before, after, entry });
    // A change of another value of the schedule does not concern its week.
    else if (entry.after === undefined) return { known, isCut: true };
  }
  return { known, isCut: false };
};
