import { DAY_MS, HOUR_MS } from '../../shared/clock.ts';
import type { CallFailure } from '../ports.ts';
import { TEN_MINUTES_MS } from './pollBudget.ts';

const SHORTEST_MS = 60_000;
/** No window exceeds a day; the margin is for clock differences. */
const LONGEST_MS = DAY_MS + TEN_MINUTES_MS;
const DAY_NAME = /\bda(?:y|ily)\b/i;
/** Added to every pause, so that bridges stopped together do not resume together. */
export const MOST_JITTER_MS = 30_000;

/** True if the refusal names a daily limit. */
export const isOfDay = ({ limitName }: Pick<CallFailure, 'limitName'>): boolean => limitName !== undefined && DAY_NAME.test(limitName);

/**
 * Which window is full after the `refusals`th (>= 1) consecutive 429, and for how long no call is made;
 * `random` is in [0, 1). `oursMs` and `platformMs` are the same moment by the machine's clock and by the
 * platform's last answer; either may be wrong. If the stated end lies within a day by a clock, it applies; of
 * two, the nearer: a premature call costs less than a silent day. Without one, a single call is tried after
 * ten minutes, or at midnight UTC for a limit named after the day (daily resets were seen there). Each
 * refusal doubles the minimum pause, from a minute up to an hour.
 */
export const rateLimitOf = (
  { limitReset, limitName }: Pick<CallFailure, 'limitReset' | 'limitName'>,
  { oursMs, platformMs }: { readonly oursMs: number; readonly platformMs: number },
  refusals: number,
  random: number,
): { readonly window: 'day' | 'ten'; readonly pauseMs: number } => {
  const byName = isOfDay({ limitName });
  const leastMs = Math.min(HOUR_MS, SHORTEST_MS * 2 ** (refusals - 1));
  const toldMs = limitReset === undefined ? [] : [limitReset - platformMs, limitReset - oursMs];
  const ahead = toldMs.filter((ms) => ms > 0 && ms <= LONGEST_MS);
  const isOver = ahead.length === 0 && toldMs.some((ms) => ms <= 0);
  const midnights = byName ? [platformMs, oursMs].map((ms) => DAY_MS - (ms % DAY_MS)) : [];
  const guessMs = Math.min(Math.max(TEN_MINUTES_MS, leastMs), ...midnights);
  const endMs = ahead.length > 0 ? Math.min(...ahead) : isOver ? 0 : guessMs;
  const pauseMs = Math.max(leastMs, endMs) + random * MOST_JITTER_MS;
  return { window: byName || endMs > 2 * TEN_MINUTES_MS ? 'day' : 'ten', pauseMs };
};
