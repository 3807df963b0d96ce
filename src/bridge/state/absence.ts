import type { Absence } from '../ports.ts';

/** In so many complete lists in a row something has to be missing until it is gone (docs/topics.md). */
const LISTS = 3;

/** The absence of what one more complete list lacks; undefined where it is gone now: missing in three of them in a row, over at least `afterMs`. */
export const longerAbsence = (before: Absence | undefined, nowMs: number, afterMs: number): Absence | undefined => {
  const count = before?.reads ?? 0;
  // What lies ahead was written while the clock was wrong, and must not keep anything for ever.
  const since_ms = before && count > 0 ? Math.min(before.since_ms, nowMs) : nowMs;
  return count + 1 >= LISTS && nowMs - since_ms >= afterMs ? undefined : { since_ms, reads: Math.min(count + 1, LISTS) };
};

/** A complete list lacks these names: counts it, and gives those that are gone now. */
export const countMissing = (absences: Map<string, Absence>, missing: ReadonlySet<string>, nowMs: number, afterMs: number): string[] => {
  for (const name of absences.keys()) if (!missing.has(name)) absences.delete(name);
  return [...missing].filter((name) => {
    const absence = longerAbsence(absences.get(name), nowMs, afterMs);
    if (absence) absences.set(name, absence);
    else absences.delete(name);
    return !absence;
  });
};
