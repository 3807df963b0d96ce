/** The platform's allowance (reference/platform.md §6), counted in sliding windows. */
export type Allowance = { readonly per_10_minutes: number; readonly per_day: number; readonly reserve_for_commands: number };

export const TEN_MINUTES_MS = 600_000;
export const DAY_MS = 86_400_000;
/** Reads take at most this share of any ten minutes: 100 of 120. */
const SHARE_OF_READS = { of: 120, take: 100 };

/** Counts calls in memory, on a clock that cannot jump. */
export class Quota {
  readonly #allowance: Allowance;
  #calls: number[] = [];
  #pausedUntilMs = 0;

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** A call went out at `atMs` (`Clock.elapsedMs`). */
  count(atMs: number): void {
    this.#calls.push(atMs);
  }

  /** After a 429 nothing goes out until then (`Clock.elapsedMs`). */
  pauseUntil(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
  }

  pausedForMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  used(nowMs: number): { readonly per_10_minutes: number; readonly per_day: number } {
    const old = this.#calls.findIndex((at) => at > nowMs - DAY_MS);
    if (old !== 0) this.#calls = old < 0 ? [] : this.#calls.slice(old);
    const recent = this.#calls.findIndex((at) => at > nowMs - TEN_MINUTES_MS);
    return { per_10_minutes: recent < 0 ? 0 : this.#calls.length - recent, per_day: this.#calls.length };
  }

  left(nowMs: number): { readonly per_10_minutes: number; readonly per_day: number } {
    const used = this.used(nowMs);
    return {
      per_10_minutes: Math.max(0, this.#allowance.per_10_minutes - used.per_10_minutes),
      per_day: Math.max(0, this.#allowance.per_day - used.per_day),
    };
  }

  /** True where a read would leave the reserve for commands untouched. */
  mayRead(nowMs: number): boolean {
    const isShareUsed = this.used(nowMs).per_10_minutes >= this.#readsInTenMinutes();
    return this.pausedForMs(nowMs) === 0 && !isShareUsed && this.left(nowMs).per_day > this.#allowance.reserve_for_commands;
  }

  /** True where a command, or a read that one needs, may go out: also from the reserve. */
  mayCommand(nowMs: number): boolean {
    const left = this.left(nowMs);
    return this.pausedForMs(nowMs) === 0 && left.per_10_minutes > 0 && left.per_day > 0;
  }

  /** The shortest interval in seconds that the allowance carries for a day of `reads` reads a round. */
  shortestInterval(reads: number): number {
    const perDay = Math.max(1, this.#allowance.per_day - this.#allowance.reserve_for_commands);
    return Math.max((reads * 86_400) / perDay, (reads * 600) / this.#readsInTenMinutes());
  }

  #readsInTenMinutes(): number {
    return Math.max(1, Math.floor((this.#allowance.per_10_minutes * SHARE_OF_READS.take) / SHARE_OF_READS.of));
  }
}
