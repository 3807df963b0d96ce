import type { Clock } from '../shared/clock.ts';

/**
 * The messages without an acknowledgement. Brokers acknowledge in the order of sending (MQTT 5, 4.6), so each acknowledgement makes the
 * next message the oldest. If a message stays the oldest for too long, its acknowledgement is lost.
 */
export class InFlight {
  readonly #limitMs: number;
  readonly #clock: Clock;
  /** In the order of sending. */
  readonly #pending = new Set<number>();
  #sent = 0;
  readonly #ended = new AbortController();
  readonly #onLost: () => void;
  #oldestSinceMs = 0;
  #watching = false;

  /** `onLost` is called once, when the oldest message has waited for `limitMs`. */
  constructor(limitMs: number, clock: Clock, onLost: () => void) {
    this.#limitMs = limitMs;
    this.#clock = clock;
    this.#onLost = onLost;
  }

  get size(): number {
    return this.#pending.size;
  }

  /** One more is in flight until `ended` is called with what this gives. */
  begun(): number {
    if (this.#pending.size === 0) this.#oldestSinceMs = this.#clock.elapsedMs();
    this.#sent += 1;
    this.#pending.add(this.#sent);
    if (!this.#watching) void this.#watch();
    return this.#sent;
  }

  ended(one: number): void {
    if (this.#pending.keys().next().value === one) this.#oldestSinceMs = this.#clock.elapsedMs();
    this.#pending.delete(one);
  }

  /** Counts `work` as in flight until it settles, and returns its result. */
  async track<T>(work: Promise<T>): Promise<T> {
    const one = this.begun();
    try {
      return await work;
    } finally {
      this.ended(one);
    }
  }

  /** Stops watching, because the connection has ended. */
  end(): void {
    this.#ended.abort();
  }

  async #watch(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#watching = true;
    while (this.#pending.size > 0 && !this.#ended.signal.aborted) {
      const waitMs = this.#oldestSinceMs + this.#limitMs - this.#clock.elapsedMs();
      if (waitMs <= 0) {
        this.#ended.abort();
        this.#onLost();
        return;
      }
      await this.#clock.sleep(waitMs, this.#ended.signal).catch(() => undefined);
    }
    this.#watching = false;
  }
}
