import type { Clock } from '../base/clock.ts';
import type { Poller } from './poller.ts';
import type { Quota } from './quota.ts';
import type { ReadResult } from './reader.ts';
import type { HealthReport } from './reports.ts';

/** How the bridge stands, for whoever asks it (`check --health`). */
export type Standing = {
  readonly broker: boolean;
  readonly platform: boolean;
  /** Seconds since the last good read; absent before the first. */
  readonly last_success_s?: number;
  readonly poll_seconds: number;
  readonly auth: string;
};

const SHORTEST_PATIENCE_S = 900;

/** How reading goes: when it was last tried, when it last worked, and how often it failed. */
export class ReadTally {
  readonly #clock: Clock;
  #lastPollMs: number | undefined;
  #lastSuccessMs: number | undefined;
  #failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ended(result: ReadResult): void {
    this.#lastPollMs = this.#clock.elapsedMs();
    if (result.ok) this.#lastSuccessMs = this.#lastPollMs;
    else this.#failures += 1;
  }

  /** What `bridge/health` says of it. */
  report(): Pick<HealthReport, 'last_poll_at' | 'last_success_at' | 'failures'> {
    const at = (ms: number): string => new Date(this.#clock.now() - (this.#clock.elapsedMs() - ms)).toISOString();
    return {
      ...(this.#lastPollMs === undefined ? {} : { last_poll_at: at(this.#lastPollMs) }),
      ...(this.#lastSuccessMs === undefined ? {} : { last_success_at: at(this.#lastSuccessMs) }),
      failures: this.#failures,
    };
  }

  /** What `Standing` says of it: waiting for the allowance is no failing. */
  standing(poller: Poller, quota: Quota): Pick<Standing, 'platform' | 'last_success_s' | 'poll_seconds'> {
    const now = this.#clock.elapsedMs();
    const { seconds } = poller.interval;
    if (this.#lastSuccessMs === undefined) return { platform: false, poll_seconds: seconds };
    const age = Math.round((now - this.#lastSuccessMs) / 1000);
    const waits = quota.pausedForMs(now) > 0 || !quota.mayRead(now);
    return { platform: waits || age <= Math.max(3 * seconds, SHORTEST_PATIENCE_S), last_success_s: age, poll_seconds: seconds };
  }
}
