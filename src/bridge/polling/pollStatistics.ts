import type { Clock } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';
import type { AuthReport, CallFailure } from '../ports.ts';
import type { RateLimiter } from '../quota/rateLimiter.ts';
import type { Poller } from './poller.ts';
import type { ReadResult } from './readTarget.ts';

/** What `check --health` asks of a running bridge. */
export type BridgeStatus = {
  readonly broker: boolean;
  readonly platform: boolean;
  /** Seconds since the last good read; absent before the first. */
  readonly last_success_s?: number;
  readonly poll_seconds: number;
  /** Why the last reads failed, where they did; absent while they work. */
  readonly problem?: string;
  /** True while nothing is read because the allowance is used up or the platform refuses calls. */
  readonly waits?: boolean;
  readonly auth: string;
  /** What is the matter with the login, and what to do. */
  readonly auth_message?: string;
};

const SHORTEST_PATIENCE_S = 900;
/** Reads that fail may work again soon; after so long, and some tries, something is wrong. */
const FAILING_PATIENCE_S = 180;

/** How reading goes: when it was last tried, when it last worked, and how often it failed. */
export class PollStatistics {
  readonly #clock: Clock;
  readonly #startedMs: number;
  /** Why the last call failed; undefined since a read worked. */
  #problem: string | undefined;
  #lastPollMs: number | undefined;
  #lastSuccessMs: number | undefined;
  #failures = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.elapsedMs();
  }

  ended(result: ReadResult): void {
    this.#lastPollMs = this.#clock.elapsedMs();
    if (!result.ok) {
      this.#failures += 1;
      this.failed(result.failure);
      return;
    }
    this.#lastSuccessMs = this.#lastPollMs;
    this.#problem = undefined;
  }

  /** A read, or what has to come before any, failed. */
  failed({ code, message }: CallFailure): void {
    // A call that was not made, or not answered, says nothing of what is wrong.
    if (failureOf(code).retry.kind !== 'interval') this.#problem = message;
  }

  /** What `bridge/health` says of it. */
  report(): { readonly last_poll_at?: string; readonly last_success_at?: string; readonly failures: number } {
    const at = (ms: number): string => new Date(this.#clock.now() - (this.#clock.elapsedMs() - ms)).toISOString();
    return {
      ...(this.#lastPollMs === undefined ? {} : { last_poll_at: at(this.#lastPollMs) }),
      ...(this.#lastSuccessMs === undefined ? {} : { last_success_at: at(this.#lastSuccessMs) }),
      failures: this.#failures,
    };
  }

  /** What `Standing` says of it: waiting for the allowance is no failing. */
  status(poller: Poller, quota: RateLimiter, { state, message }: AuthReport): Omit<BridgeStatus, 'broker'> {
    const now = this.#clock.elapsedMs();
    const { seconds, gapSeconds } = poller.interval;
    const ageS = (now - (this.#lastSuccessMs ?? this.#startedMs)) / 1000;
    const waits = !quota.mayRead(now);
    const isSilent = ageS > Math.max(3 * seconds, SHORTEST_PATIENCE_S);
    const hasFailedForLong = this.#lastSuccessMs === undefined || ageS > Math.max(3 * gapSeconds, FAILING_PATIENCE_S);
    return {
      platform: waits || !(isSilent || (this.#problem !== undefined && hasFailedForLong)),
      poll_seconds: seconds,
      ...(this.#lastSuccessMs === undefined ? {} : { last_success_s: Math.round(ageS) }),
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
      ...(waits ? { waits } : {}),
      auth: state,
      auth_message: message,
    };
  }
}
