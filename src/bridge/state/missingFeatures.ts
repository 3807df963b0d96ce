import { type Clock, HOUR_MS } from '../../shared/clock.ts';
import type { Absence } from '../ports.ts';

const READS = 3;

/** What is missing, by name. */
export type Absences = Readonly<Record<string, Absence>>;

/** `sinceMs` by the clock that cannot jump, `since_ms` as it is kept. */
type Missing = Absence & { readonly sinceMs: number };

/** Decides when a feature that the platform no longer lists is gone: after three complete reads in a row over at least `afterHours` (docs/topics.md), counted over restarts. */
export const missingFeatures = (afterHours: number, clock: Pick<Clock, 'now' | 'elapsedMs'>, before: Absences) => {
  // What seems to lie ahead was written while the clock was wrong: the count of time begins anew.
  const ageMs = ({ since_ms }: Absence): number => Math.max(0, clock.now() - since_ms);
  const counted = new Map(
    Object.entries(before).map(([name, absence]): [string, Missing] => [name, { ...absence, sinceMs: clock.elapsedMs() - ageMs(absence) }]),
  );

  /** A complete read did not list `missing`; gives those that count as gone now. */
  const note = (missing: readonly string[]): string[] => {
    const nowMs = clock.elapsedMs();
    for (const name of counted.keys()) if (!missing.includes(name)) counted.delete(name);
    for (const name of missing) {
      const { reads, ...since } = counted.get(name) ?? { since_ms: Math.round(clock.now()), sinceMs: nowMs, reads: 0 };
      // A higher count has no further effect, but would be written to disk each time.
      counted.set(name, { ...since, reads: Math.min(READS, reads + 1) });
    }
    const gone = [...counted]
      .filter(([, { sinceMs, reads }]) => reads >= READS && nowMs - sinceMs >= afterHours * HOUR_MS)
      .map(([name]) => name);
    for (const name of gone) counted.delete(name);
    return gone;
  };

  /** What has been counted, to be kept. */
  const absences = (): Absences => Object.fromEntries([...counted].map(([name, { since_ms, reads }]) => [name, { since_ms, reads }]));

  return { note, absences };
};

export type MissingFeatures = ReturnType<typeof missingFeatures>;
