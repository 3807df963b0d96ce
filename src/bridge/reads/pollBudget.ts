import type { Pace } from '../../language/answers/pace.ts';
import { HOUR_MS } from '../../shared/clock.ts';

/** The platform's allowance: calls in any ten minutes and any 24 hours. */
export type Allowance = { readonly per_10_minutes: number; readonly per_day: number; readonly reserve_for_commands: number };

export const TEN_MINUTES_MS = 600_000;

/** Hours ahead for which polling looks whether calls will be left. */
export const HORIZONS_H: readonly number[] = [2, 4, 8, 16, 24];

/**
 * What went out lately: all calls, and those of the day that were no polls (commands, their reads, what others spend). `leaving`: how many
 * calls will have left the window of the day after each of HORIZONS_H.
 */
export type Spent = { readonly hour: number; readonly day: number; readonly otherDay: number; readonly leaving: readonly number[] };

export type Plan = {
  /** Pause from one read to the next. */
  readonly gapMs: number;
  /** How long until each record has been read once. */
  readonly roundSeconds: number;
  /** True while a first round may go at once instead of in this pace. */
  readonly burst: boolean;
  readonly pace: Pace;
};

/** Reads take at most this share of any ten minutes: 100 of 120. */
const SHARE_OF_READS = { of: 120, take: 100 };
/** Of the day's reads this share is left to first rounds after restarts and to commands that come in bursts. */
const SLACK = 0.02;
/** However much commands take, polling tries to keep this share of the day. */
const SMALLEST_SHARE = 0.1;

/** How many calls of any ten minutes are for reads; the others are left to commands. */
export const readsOfTen = ({ per_10_minutes }: Allowance): number =>
  Math.max(1, Math.floor((per_10_minutes * SHARE_OF_READS.take) / SHARE_OF_READS.of));

/**
 * The pace of polling: evenly over the time to come what commands and others leave of it, never faster than `wantedSeconds` a round. What
 * others than polls took in the past day they are expected to take in the next. Pure: the caller knows the time.
 */
export const planPolling = (allowance: Allowance, spent: Spent, reads: number, wantedSeconds: number): Plan => {
  const count = Math.max(1, reads);
  const most = Math.max(1, allowance.per_day - allowance.reserve_for_commands);
  const aim = most * (1 - SLACK);
  const perHour = HORIZONS_H.map((hours, index) => (aim - spent.day + (spent.leaving[index] ?? 0)) / hours - spent.otherDay / 24);
  const evenly = (aim - spent.otherDay) / 24;
  const leastPerHour = (most * SMALLEST_SHARE) / 24;
  const dayGapMs = HOUR_MS / Math.max(leastPerHour, Math.min(evenly, ...perHour));
  const tenGapMs = TEN_MINUTES_MS / readsOfTen(allowance);
  const wantedGapMs = (wantedSeconds * 1000) / count;
  const gapMs = Math.max(wantedGapMs, dayGapMs, tenGapMs);
  const roundSeconds = gapMs === wantedGapMs ? wantedSeconds : Math.ceil((gapMs * count) / 1000);
  const slowed = Math.min(...perHour) < 0.9 * evenly;
  // A crash loop would else spend the day's calls on first rounds, within an hour or in the course of the day.
  const burst = spent.hour < aim / 24 + 2 * count && !slowed;
  const dayPace: Pace = { kind: slowed ? 'slowed' : 'day', reads, others: spent.otherDay };
  const pace: Pace = gapMs === wantedGapMs ? { kind: 'wanted' } : gapMs === dayGapMs ? dayPace : { kind: 'ten', reads };
  return { gapMs, roundSeconds, burst, pace };
};
