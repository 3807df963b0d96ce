import { HOUR_MS } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';

const REFUSED_H: readonly number[] = [1, 6, 24];

/** How long a refused read is left alone after this many (>= 1) refusals in a row. */
export const refusedMs = (refusals: number): number => (REFUSED_H[Math.min(refusals, REFUSED_H.length) - 1] ?? 1) * HOUR_MS;

/** The refusals in a row after a failure with this code, where there were so many before: any other failure ends the row. */
export const refusalsAfter = (code: string, refusals: number): number => (failureOf(code).retry.kind === 'hours' ? refusals + 1 : 0);

/** At least this share of a pause is random, so that reads which failed together are not tried again together. */
const LEAST_JITTER = 0.1;

/**
 * The pause before the next try after `failures` (>= 1) failed ones in a row: twice as long each time, from the interval up to the longest of
 * the code, or hours where the platform refuses (`failures` are the refusals then), and never shorter than the interval. `random` is in [0, 1).
 */
export const backOffMs = (code: string, failures: number, intervalMs: number, jitter: number, random: number): number => {
  const { retry } = failureOf(code);
  const longestMs = retry.kind === 'backoff' ? Math.max(intervalMs, retry.maxMs) : intervalMs;
  const pauseMs =
    retry.kind === 'hours' ? Math.max(intervalMs, refusedMs(failures)) : Math.min(longestMs, intervalMs * 2 ** Math.min(failures, 20));
  return pauseMs * (1 + Math.max(jitter, LEAST_JITTER) * random);
};
