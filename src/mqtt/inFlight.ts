import type { Clock } from '../shared/clock.ts';

/**
 * The messages without an acknowledgement. Brokers acknowledge in the order of sending (MQTT 5, 4.6), so each acknowledgement makes the
 * next message the oldest. If a message stays the oldest for too long, its acknowledgement is lost.
 */
export class InFlight {
  readonly #limitMs: number;
  readonly #clock: Clock;
  readonly #pending = new Set<object>();
  readonly #ended = new AbortController();
  readonly #onLost: () => void;
  #oldestSinceMs = 0;

  /** `onLost` is called once, when the oldest message has waited for `limitMs`. */
  constructor(limitMs: number, clock: Clock, onLost: () => void) {
    this.#limitMs = limitMs;
    this.#clock = clock;
    this.#onLost = onLost;
    void this.#watch();
  }

  get size(): number {
    return this.#pending.size;
  }

  /** Counts `work` as in flight until it settles, and returns its result. */
  async track<T>(work: Promise<T>): Promise<T> {
    const one = {};
    if (this.#pending.size === 0) this.#oldestSinceMs = this.#clock.elapsedMs();
    this.#pending.add(one);
    try {
      return await work;
    } finally {
      const [oldest] = this.#pending;
      if (oldest === one) this.#oldestSinceMs = this.#clock.elapsedMs();
      this.#pending.delete(one);
    }
  }

  /** Stops watching, because the connection has ended. */
  end(): void {
    this.#ended.abort();
  }

  async #watch(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const waitedMs = this.#pending.size > 0 ? this.#clock.elapsedMs() - this.#oldestSinceMs : 0;
      if (waitedMs >= this.#limitMs) {
        this.end();
        this.#onLost();
      } else await this.#clock.sleep(this.#limitMs - waitedMs, this.#ended.signal).catch(() => undefined);
    }
  }
}
