import { HOUR_MS } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';

const REFUSED_H: readonly number[] = [1, 6, 24];

/** How long a refused read is avoided after this many (>= 1) consecutive refusals. */
export const refusedMs = (refusals: number): number => (REFUSED_H[Math.min(refusals, REFUSED_H.length) - 1] ?? 1) * HOUR_MS;

/** The count of consecutive refusals after this failure: any other failure resets it. */
export const refusalsAfter = (code: string, refusals: number): number => (failureOf(code).retry.kind === 'hours' ? refusals + 1 : 0);

/** The minimum random share of a pause, so that reads that failed together are not retried together. */
const LEAST_JITTER = 0.1;

/**
 * Pause after `failures` (>= 1) consecutive failures: doubles from the interval to the code's maximum; for
 * refusals (`failures` counts them) hours, at least the interval. `random` is in [0, 1).
 */
export const backOffMs = (code: string, failures: number, intervalMs: number, jitter: number, random: number): number => {
  const { retry } = failureOf(code);
  const longestMs = retry.kind === 'backoff' ? Math.max(intervalMs, retry.maxMs) : intervalMs;
  const pauseMs =
    retry.kind === 'hours' ? Math.max(intervalMs, refusedMs(failures)) : Math.min(longestMs, intervalMs * 2 ** Math.min(failures, 20));
  return pauseMs * (1 + Math.max(jitter, LEAST_JITTER) * random);
};
