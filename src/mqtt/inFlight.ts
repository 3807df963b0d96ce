import type { Clock } from '../shared/clock.ts';

/**
 * What waits for the broker's acknowledgement. Brokers acknowledge in the order of sending (MQTT 5, 4.6), so each acknowledgement makes
 * another one the oldest; where one stays the oldest too long, it got lost, and so may all that follow.
 */
export class UnderWay {
  readonly #limitMs: number;
  readonly #clock: Clock;
  readonly #waiting = new Set<object>();
  readonly #ended = new AbortController();
  readonly #onLost: () => void;
  #oldestSinceMs = 0;
  #watching = false;

  /** `onLost` is told once when the oldest has waited for `limitMs` milliseconds. */
  constructor(limitMs: number, clock: Clock, onLost: () => void) {
    this.#limitMs = limitMs;
    this.#clock = clock;
    this.#onLost = onLost;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Counts the work as under way until it has ended; gives what it gives. */
  async follow<T>(work: Promise<T>): Promise<T> {
    const one = {};
    if (this.#waiting.size === 0) this.#oldestSinceMs = this.#clock.elapsedMs();
    this.#waiting.add(one);
    void this.#watch();
    try {
      return await work;
    } finally {
      const [oldest] = this.#waiting;
      if (oldest === one) this.#oldestSinceMs = this.#clock.elapsedMs();
      this.#waiting.delete(one);
    }
  }

  /** The connection has gone: nothing is watched any more. */
  end(): void {
    this.#ended.abort();
  }

  async #watch(): Promise<void> {
    if (this.#watching || this.#ended.signal.aborted) return;
    this.#watching = true;
    while (this.#waiting.size > 0 && !this.#ended.signal.aborted) {
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
