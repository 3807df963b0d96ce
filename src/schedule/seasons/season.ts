import * as z from 'zod/mini';
import { DAY_MS } from '../../shared/clock.ts';
import { addDays, dateText, instantOf, type LocalDate, localAt } from '../zone.ts';
import { HALF_BAND_K } from './halfBand.ts';

const SEASON = z.enum(['summer', 'winter']);
export type Season = z.infer<typeof SEASON>;

/** Summer: between two days of the year (`05-01`, inclusive), or by the mean outside temperature. */
export type SeasonRule =
  | { readonly by: 'dates'; readonly from: string; readonly to: string }
  | { readonly by: 'outside'; readonly limitC: number };

/**
 * The stored season of a schedule. `announced`: the next change and its time (epoch milliseconds); `tries`:
 * the attempts to write it, with the earliest time of the next one.
 */
export const SEASON_STATE = z.object({
  season: z.optional(SEASON),
  changedMs: z.optional(z.number()),
  announced: z.optional(
    z.object({ season: SEASON, atMs: z.number(), tries: z.optional(z.object({ count: z.number(), retryMs: z.number() })) }),
  ),
});
export type SeasonState = Readonly<z.infer<typeof SEASON_STATE>>;

/** A value at a moment (epoch milliseconds), valid until the next one; no number: no value. */
type Point = { readonly at: number; readonly value: number | string | null };

const WEEK_MS = 7 * DAY_MS;
const DAYS_OF_MEAN = 3;
/** Hours of the Mannheim mean, with their weights. */
const READINGS = [
  [7, 1],
  [14, 1],
  [22, 2],
] as const;

const valueAt = (points: readonly Point[], atMs: number): number | undefined => {
  const value = points.findLast(({ at }) => at <= atMs)?.value;
  return typeof value === 'number' ? value : undefined;
};

/** Mannheim mean of a day: (T7 + T14 + 2·T22) / 4, local time; undefined without all. Oldest first. */
const meanOfDay = (points: readonly Point[], date: LocalDate, zone: string): number | undefined => {
  let sum = 0;
  for (const [hour, weight] of READINGS) {
    const value = valueAt(points, instantOf({ ...date, hour, minute: 0 }, zone));
    if (value === undefined) return undefined;
    sum += weight * value;
  }
  return sum / 4;
};

/** The mean of the last three days with a reading at 22:00; undefined if one of nine readings is missing. */
export const outsideMean = (points: readonly Point[], nowMs: number, zone: string): number | undefined => {
  const now = localAt(nowMs, zone);
  const last = now.hour < 22 ? -1 : 0;
  const means = Array.from({ length: DAYS_OF_MEAN }, (_, back) => meanOfDay(points, addDays(now, last - back), zone));
  const known = means.filter((mean) => mean !== undefined);
  return known.length === DAYS_OF_MEAN ? known.reduce((sum, mean) => sum + mean, 0) / DAYS_OF_MEAN : undefined;
};

/**
 * The season by the rule one day ahead, so that a change can be announced. Within the hysteresis the present
 * one, or null if there is none yet; undefined while the mean is unknown.
 */
export const seasonBy = (
  rule: SeasonRule,
  {
    nowMs,
    zone,
    meanC,
    present,
  }: { readonly nowMs: number; readonly zone: string; readonly meanC: number | undefined; readonly present: Season | undefined },
): Season | null | undefined => {
  if (rule.by === 'outside') {
    if (meanC === undefined) return undefined;
    if (meanC >= rule.limitC + HALF_BAND_K) return 'summer';
    return meanC <= rule.limitC - HALF_BAND_K ? 'winter' : (present ?? null);
  }
  const date = dateText(addDays(localAt(nowMs, zone), 1)).slice('2026-'.length);
  const { from, to } = rule;
  const isSummer = from <= to ? from <= date && date <= to : from <= date || date <= to;
  return isSummer ? 'summer' : 'winter';
};

/**
 * The next state of a season. A change is announced a day before, and comes at least a week after the last
 * one; it is withdrawn if no longer wanted. While the wanted season is unknown (after a kill, until the
 * outside temperature is read), the state stays. `isDue`: the week of the announced season has to be written
 * now; `changed` gives the state after that.
 */
export const stepSeason = (
  state: SeasonState,
  wanted: Season | null | undefined,
  nowMs: number,
): { readonly state: SeasonState; readonly isDue: boolean } => {
  const { announced, ...rest } = state;
  if (wanted === undefined) return { state, isDue: false };
  if (wanted === null || wanted === state.season) return { state: rest, isDue: false };
  // A time further ahead, or a change in the future, was stored by a wrong clock.
  if (announced?.season === wanted && announced.atMs <= nowMs + WEEK_MS) return { state, isDue: announced.atMs <= nowMs };
  const atMs = Math.max(nowMs + DAY_MS, Math.min(nowMs, state.changedMs ?? Number.NEGATIVE_INFINITY) + WEEK_MS);
  return { state: { ...rest, announced: { season: wanted, atMs } }, isDue: false };
};

/** The state after the week of a season was written. */
export const changed = (season: Season, nowMs: number): SeasonState => ({ season, changedMs: nowMs });
