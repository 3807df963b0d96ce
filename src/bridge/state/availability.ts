import { failureOf } from '../../shared/failures.ts';
import type { CallFailure } from '../ports.ts';

const SHORTEST_PATIENCE_MS = 900_000;

type Ended = { readonly ok: true } | { readonly ok: false; readonly failure: Pick<CallFailure, 'code'> };

/** Availability: as the platform says, or offline after too long without a good read (docs/topics.md). */
export class Availability {
  #lastGoodMs: number;
  #now: 'online' | 'offline' | undefined;
  /** By read: whether it said offline; true where a good read has contradicted it, so that it is ignored. */
  readonly #offline = new Map<string, boolean>();
  /** The last meaningful read said offline. The platform itself may have been unreachable since. */
  #isSaid = false;
  #readAtMs: number | undefined;

  /** `sinceMs`: the start of the wait for a good read; `before`: what an earlier run knew. */
  constructor(sinceMs: number, before?: 'online' | 'offline') {
    this.#lastGoodMs = sinceMs;
    this.#now = before;
  }

  /** Takes the result of a read; `read` is its key. */
  read(result: Ended, nowMs: number, read = ''): void {
    if (result.ok || failureOf(result.failure.code).retry.kind !== 'interval')
      this.#isSaid = !result.ok && failureOf(result.failure.code).offline;
    if (result.ok) {
      this.#lastGoodMs = nowMs;
      this.#readAtMs = nowMs;
      this.#now = 'online';
      this.#offline.delete(read);
      for (const other of this.#offline.keys()) this.#offline.set(other, true);
    } else if (failureOf(result.failure.code).offline) {
      const isContradicted = this.#offline.get(read) ?? false;
      this.#offline.set(read, isContradicted);
      if (!isContradicted) this.#now = 'offline';
    }
  }

  /** Undefined before the end of the first read. */
  get is(): 'online' | 'offline' | undefined {
    return this.#now;
  }

  /** True where the platform itself says so, by the last meaningful read. */
  get isReportedOffline(): boolean {
    return this.#now === 'offline' && this.#isSaid && [...this.#offline.values()].includes(false);
  }

  /** When the last good read of this run ended (`Clock.elapsedMs`). */
  get readAtMs(): number | undefined {
    return this.#readAtMs;
  }

  /** Adds time in which reading was not allowed; it does not count. */
  extend(ms: number): void {
    this.#lastGoodMs += ms;
  }

  look(nowMs: number, pollSeconds: number): void {
    if (nowMs - this.#lastGoodMs > Math.max(3 * pollSeconds * 1000, SHORTEST_PATIENCE_MS)) this.#now = 'offline';
  }
}
