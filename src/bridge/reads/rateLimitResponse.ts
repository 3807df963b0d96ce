import { DAY_MS, HOUR_MS } from '../../shared/clock.ts';
import type { CallFailure } from '../ports.ts';
import { TEN_MINUTES_MS } from './pollBudget.ts';

const SHORTEST_MS = 60_000;
/** No window is longer than a day; a little more, as clocks differ. */
const LONGEST_MS = DAY_MS + TEN_MINUTES_MS;
const DAY_NAME = /\bda(?:y|ily)\b/i;
/** Added to every pause, so that bridges that were stopped together don't come back together. */
export const MOST_JITTER_MS = 30_000;

/** True where the refusal names the limit of a day. */
export const isOfDay = ({ limitName }: Pick<CallFailure, 'limitName'>): boolean => limitName !== undefined && DAY_NAME.test(limitName);

/**
 * Which window is full after the `refusals`th (>= 1) 429 in a row, and for how long nothing goes out; `random` is in [0, 1). `oursMs` and
 * `platformMs` are the same moment by two clocks, either of which may be wrong: the machine's, and the platform's by its last answer.
 * An end that lies within a day by one of the clocks is waited for, the nearer of two: a call too early is refused and costs less than a day
 * of silence. Without such an end a single call is tried after ten minutes, or at midnight UTC where the limit is named after the day
 * (daily resets were seen there). Each refusal doubles the least pause, from a minute up to an hour.
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
