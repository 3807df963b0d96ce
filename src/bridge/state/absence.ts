import type { Absence } from '../ports.ts';

/** A name that is missing in this many complete lists in a row is gone (docs/topics.md). */
const LISTS = 3;

/** The absence after one more list without it; undefined where gone: `LISTS` in a row, over `afterMs`. */
export const longerAbsence = (before: Absence | undefined, nowMs: number, afterMs: number): Absence | undefined => {
  const count = before?.reads ?? 0;
  // A future time was written while the clock was wrong; it must not keep anything forever.
  const since_ms = before && count > 0 ? Math.min(before.since_ms, nowMs) : nowMs;
  return count + 1 >= LISTS && nowMs - since_ms >= afterMs ? undefined : { since_ms, reads: Math.min(count + 1, LISTS) };
};

/** Counts these names, which a complete list lacks, and returns those that are gone now. */
export const countMissing = (absences: Map<string, Absence>, missing: ReadonlySet<string>, nowMs: number, afterMs: number): string[] => {
  for (const name of absences.keys()) if (!missing.has(name)) absences.delete(name);
  return [...missing].filter((name) => {
    const absence = longerAbsence(absences.get(name), nowMs, afterMs);
    if (absence) absences.set(name, absence);
    else absences.delete(name);
    return !absence;
  });
};
