const READS = 3;
const HOUR_MS = 3_600_000;

type Absence = { readonly sinceMs: number; readonly reads: number };

/** Decides when a feature that the platform no longer lists is gone: after three complete reads in a row over at least `afterHours` (CONTRACT §2.1). */
export class Gone {
  readonly #afterMs: number;
  readonly #absent = new Map<string, Absence>();

  constructor(afterHours: number) {
    this.#afterMs = afterHours * HOUR_MS;
  }

  /** A complete read did not list `missing`; gives those that count as gone now. */
  note(missing: readonly string[], nowMs: number): string[] {
    for (const name of this.#absent.keys()) if (!missing.includes(name)) this.#absent.delete(name);
    for (const name of missing) {
      const before = this.#absent.get(name);
      this.#absent.set(name, { sinceMs: before?.sinceMs ?? nowMs, reads: (before?.reads ?? 0) + 1 });
    }
    const gone = [...this.#absent]
      .filter(([, { sinceMs, reads }]) => reads >= READS && nowMs - sinceMs >= this.#afterMs)
      .map(([name]) => name);
    for (const name of gone) this.#absent.delete(name);
    return gone;
  }
}
