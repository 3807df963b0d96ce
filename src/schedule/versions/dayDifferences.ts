import { byPosition, changedDays, type Day, type Entry, type Week } from '../week.ts';

/** A difference between two weeks, for days that change alike. */
export type Difference = {
  readonly days: readonly Day[];
  readonly removed: readonly Entry[];
  readonly added: readonly Entry[];
  readonly kept: readonly Entry[];
  /** Only the order of overlapping entries differs. */
  readonly reordered: boolean;
};

const nameOf = ({ start, end, mode }: Entry): string => `${start} ${end} ${mode}`;

/** The entries of `a` that are not in `b`, each counted as often as it occurs. */
const without = (a: readonly Entry[], b: readonly Entry[]): readonly Entry[] => {
  const rest = b.map(nameOf);
  return a.filter((entry) => {
    const at = rest.indexOf(nameOf(entry));
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
};

/** The differences between two weeks; days that change alike are one item. */
export const differences = (before: Week, after: Week): readonly Difference[] => {
  const found = new Map<string, Day[]>();
  for (const day of changedDays(before, after)) {
    const key = JSON.stringify([before[day], after[day]].map((entries) => byPosition(entries).map(nameOf)));
    found.set(key, [...(found.get(key) ?? []), day]);
  }
  return [...found.values()].map((days) => {
    const day = days[0] ?? 'mon';
    const [removed, added] = [without(before[day], after[day]), without(after[day], before[day])];
    const kept = byPosition(after[day]).filter((entry) => !added.includes(entry));
    return { days, removed, added, kept, reordered: removed.length === 0 && added.length === 0 };
  });
};
