import { setTimeout as timerPromise } from 'node:timers/promises';

/** Time, passed down as an argument: nothing above this file asks the machine for it. */
export interface Clock {
  /** Epoch milliseconds. It can jump; use `elapsedMs` for spans. */
  now(): number;
  /** Milliseconds since some fixed moment; never jumps. */
  elapsedMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsedMs: () => performance.now(),
  sleep: (ms, signal) => timerPromise(Math.min(ms, 2 ** 31 - 1), undefined, signal ? { signal } : {}),
};
