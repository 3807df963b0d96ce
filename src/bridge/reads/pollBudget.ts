import type { Pace } from '../../language/answers/pace.ts';
import { HOUR_MS } from '../../shared/clock.ts';

/** The platform's allowance: calls in any ten minutes and any 24 hours. */
export type Allowance = { readonly per_10_minutes: number; readonly per_day: number; readonly reserve_for_commands: number };

export const TEN_MINUTES_MS = 600_000;

/** The hours ahead for which polling checks that calls will be left. */
export const HORIZONS_H: readonly number[] = [2, 4, 8, 16, 24];

/**
 * Recent calls: all, and those of the day that were no polls (commands, their reads, other programs).
 * `leaving`: how many calls will have left the daily window after each of HORIZONS_H.
 */
export type Spent = { readonly hour: number; readonly day: number; readonly otherDay: number; readonly leaving: readonly number[] };

export type Plan = {
  /** Pause from one read to the next. */
  readonly gapMs: number;
  /** Time to read each record once. */
  readonly roundSeconds: number;
  /** True while a first round may run at once, without this pace. */
  readonly burst: boolean;
  readonly pace: Pace;
};

/** Reads take at most this share of each ten minutes: 100 of 120. */
const SHARE_OF_READS = { of: 120, take: 100 };
/** This share of the daily reads is reserved for first rounds after restarts and bursts of commands. */
const SLACK = 0.02;
/** Polling tries to keep this share of the day, however many calls commands take. */
const SMALLEST_SHARE = 0.1;

/** The calls of each ten minutes for reads; the rest is left to commands. */
export const readsOfTen = ({ per_10_minutes }: Allowance): number =>
  Math.max(1, Math.floor((per_10_minutes * SHARE_OF_READS.take) / SHARE_OF_READS.of));

/**
 * The polling pace: spreads evenly what commands and others leave, never faster than `wantedSeconds` a round.
 * It assumes that non-poll calls repeat those of the last day. Pure: the caller passes the time.
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
  // Otherwise a crash loop would spend the day's calls on first rounds, within an hour or over the day.
  const burst = spent.hour < aim / 24 + 2 * count && !slowed;
  const dayPace: Pace = { kind: slowed ? 'slowed' : 'day', reads, others: spent.otherDay };
  const pace: Pace = gapMs === wantedGapMs ? { kind: 'wanted' } : gapMs === dayGapMs ? dayPace : { kind: 'ten', reads };
  return { gapMs, roundSeconds, burst, pace };
};
