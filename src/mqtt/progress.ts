import type { Clock } from '../shared/clock.ts';

/**
 * Shows whether the client works. While it does, one step follows the other: an attempt to connect begins and ends within seconds, a pause
 * ends after its length, and on a connection a packet comes in each keep-alive interval, as the client pings.
 */
export class Progress {
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  #nextMs: number;

  constructor(clock: Pick<Clock, 'elapsedMs'>) {
    this.#clock = clock;
    this.#nextMs = clock.elapsedMs();
  }

  /** A step was made: the next one is to come within `nextInMs`. */
  made(nextInMs = 0): void {
    this.#nextMs = this.#clock.elapsedMs() + nextInMs;
  }

  /** How long the next step is overdue. */
  get stalledMs(): number {
    return Math.max(0, this.#clock.elapsedMs() - this.#nextMs);
  }
}
