import { setTimeout as timerPromise } from 'node:timers/promises';

/** The source of time, passed as an argument. No other file asks the machine for it. */
export interface Clock {
  /** Epoch milliseconds. Can jump; use `elapsedMs` for durations. */
  now(): number;
  /** Milliseconds since a fixed instant; never jumps. */
  elapsedMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  sleep: (ms, signal) => timerPromise(Math.min(ms, 2 ** 31 - 1), undefined, signal ? { signal } : {}),
};
