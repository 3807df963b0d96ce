import type { ChangeEntry } from '../../api/answers.ts';
import { DAYS, type Day } from '../../schedule/week.ts';
import { isRecord } from '../../shared/json.ts';

/** A value before and after; for a week, one of its days. */
export type Difference = { readonly property: string; readonly day?: Day; readonly before: unknown; readonly after: unknown };

/** The differences of a change; empty if unknown. */
export const differencesOf = ({ before: was = {}, after = {} }: Pick<ChangeEntry, 'before' | 'after'>): readonly Difference[] =>
  Object.entries(after).flatMap(([property, value]): readonly Difference[] => {
    const former = was[property];
    const days = isRecord(value) ? Object.keys(value) : [];
    if (days.length === 0 || !days.every((day) => DAYS.some((one) => one === day))) return [{ property, before: former, after: value }];
    return DAYS.filter((day) => days.includes(day)).map((day) => ({
      property,
      day,
      before: isRecord(former) ? former[day] : undefined,
      after: isRecord(value) ? value[day] : undefined,
    }));
  });
