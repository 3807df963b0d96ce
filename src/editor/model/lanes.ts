import { type EditDay, type EditEntry, isDrawable } from './editWeek.ts';

/** The lane of each overlapping entry, 0 at the bottom. Entries with precedence are on top. */
export type Lanes = { readonly lanes: readonly number[]; readonly count: number };

const overlaps = (a: EditEntry, b: EditEntry): boolean => a.start < b.end && b.start < a.end;

/** The lanes of a day. The entry with the highest position has precedence. */
export const lanesOf = (entries: EditDay): Lanes => {
  const lanes: number[] = [];
  for (const [index, entry] of entries.entries()) {
    const below = entries.slice(0, index).flatMap((other, at) => (isDrawable(entry) && overlaps(other, entry) ? (lanes[at] ?? 0) : []));
    lanes.push(below.length === 0 ? 0 : Math.max(...below) + 1);
  }
  return { lanes, count: Math.max(1, ...lanes.map((lane) => lane + 1)) };
};

/** True if another entry covers this one at any time. */
export const isCovered = (entries: EditDay, index: number): boolean => {
  const entry = entries[index];
  return entry !== undefined && entries.slice(index + 1).some((other) => overlaps(entry, other));
};

/** Gives the entry the highest position, so that it wins where entries overlap. */
export const broughtToFront = (entries: EditDay, index: number): EditDay => {
  const entry = entries[index];
  return entry ? [...entries.slice(0, index), ...entries.slice(index + 1), entry] : entries;
};
