import type { Clock } from '../../shared/clock.ts';
import type { Absence } from '../ports.ts';

const READS = 3;
const HOUR_MS = 3_600_000;

/** What is missing, by name. */
export type Absences = Readonly<Record<string, Absence>>;

/** `sinceMs` by the clock that cannot jump, `since_ms` as it is kept. */
type Missing = Absence & { readonly sinceMs: number };

/** Decides when a feature that the platform no longer lists is gone: after three complete reads in a row over at least `afterHours` (docs/topics.md), counted over restarts. */
export class MissingFeatures {
  readonly #afterMs: number;
  readonly #clock: Pick<Clock, 'now' | 'elapsedMs'>;
  readonly #missing: Map<string, Missing>;

  /** `before`: what an earlier run has counted. */
  constructor(afterHours: number, clock: Pick<Clock, 'now' | 'elapsedMs'>, before: Absences = {}) {
    this.#afterMs = afterHours * HOUR_MS;
    this.#clock = clock;
    // What seems to lie ahead was written while the clock was wrong: the count of time begins anew.
    const ageMs = ({ since_ms }: Absence): number => Math.max(0, clock.now() - since_ms);
    this.#missing = new Map(
      Object.entries(before).map(([name, absence]) => [name, { ...absence, sinceMs: clock.elapsedMs() - ageMs(absence) }]),
    );
  }

  /** A complete read did not list `missing`; gives those that count as gone now. */
  note(missing: readonly string[]): string[] {
    const nowMs = this.#clock.elapsedMs();
    for (const name of this.#missing.keys()) if (!missing.includes(name)) this.#missing.delete(name);
    for (const name of missing) {
      const { reads, ...since } = this.#missing.get(name) ?? { since_ms: Math.round(this.#clock.now()), sinceMs: nowMs, reads: 0 };
      // A higher count has no further effect, but would be written to disk each time.
      this.#missing.set(name, { ...since, reads: Math.min(READS, reads + 1) });
    }
    const gone = [...this.#missing]
      .filter(([, { sinceMs, reads }]) => reads >= READS && nowMs - sinceMs >= this.#afterMs)
      .map(([name]) => name);
    for (const name of gone) this.#missing.delete(name);
    return gone;
  }

  /** What has been counted, to be kept. */
  get absences(): Absences {
    return Object.fromEntries([...this.#missing].map(([name, { since_ms, reads }]) => [name, { since_ms, reads }]));
  }
}
