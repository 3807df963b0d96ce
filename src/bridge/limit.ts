import { DAY_MS, HOUR_MS, TEN_MINUTES_MS } from './plan.ts';
import type { CallFailure } from './ports.ts';

/** What a 429 says: which window is full, and for how long nothing goes out. */
export type Limit = { readonly window: 'day' | 'ten'; readonly pauseMs: number };

const SHORTEST_MS = 60_000;
const LONGEST_MS = 25 * HOUR_MS;
const DAY_NAME = /\bda(?:y|ily)\b/i;
/** Added to every pause, so that bridges that were stopped together don't come back together. */
export const MOST_JITTER_MS = 30_000;

/**
 * Reads a 429; `platformNowMs` is the platform's clock, `random` is in [0, 1). Without `limitReset` a limit that is named after the day
 * ends at the next midnight UTC (daily resets were seen there), any other after ten minutes.
 */
export const limitOf = (failure: Pick<CallFailure, 'limitReset' | 'limitName'>, platformNowMs: number, random: number): Limit => {
  const { limitReset, limitName } = failure;
  const byName = limitName !== undefined && DAY_NAME.test(limitName);
  const midnight = Math.floor(platformNowMs / DAY_MS + 1) * DAY_MS;
  const untilMs = limitReset ?? (byName ? midnight : platformNowMs + TEN_MINUTES_MS);
  const pauseMs = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, untilMs - platformNowMs)) + random * MOST_JITTER_MS;
  return { window: byName || untilMs - platformNowMs > 2 * TEN_MINUTES_MS ? 'day' : 'ten', pauseMs };
};
