import * as z from 'zod/mini';
import { type Amounts, type Counted, isLonger, sum } from './periods.ts';

const AMOUNTS = z.readonly(z.array(z.number()));

/** The state of counting for a period. */
const MARK = z.object({
  period: z.enum(['year', 'month', 'week', 'day']),
  amounts: AMOUNTS,
  /** Lower amounts than counted, perhaps a temporary fault. Nothing is counted until this is clear. */
  fallen: z.optional(AMOUNTS),
  /** A longer period has counted the growth since `fallen`. */
  isCounted: z.optional(z.boolean()),
  /** The amounts before the last period change: the platform may return them again. */
  turned: z.optional(AMOUNTS),
});
type Mark = Readonly<z.infer<typeof MARK>>;

/** A feature's total since it was first seen, in its own unit, and the state to continue counting. */
export const RUNNING_TOTAL = z.object({
  unit: z.string(),
  /** Never falls. */
  total: z.number(),
  /** The total from the longest period alone, which misses nothing. */
  sure: z.number(),
  /** The growth of the shortest period since the longest one last grew. */
  ahead: z.number(),
  long: MARK,
  short: z.optional(MARK),
  /** How often the longest period restarted: it ended, or the counter was reset. Absent: never. */
  turns: z.optional(z.number()),
});
export type RunningTotal = Readonly<z.infer<typeof RUNNING_TOTAL>>;

/** The platform's sums have floating-point noise. */
const NOISE = 1e-6;
/** A smaller fall is a correction (as in Home Assistant); a larger one is a restarted counter. */
const CORRECTION = 0.1;

const isSame = (a: number | undefined, b: number | undefined): boolean => a !== undefined && b !== undefined && Math.abs(a - b) < NOISE;

/** The earlier periods in both lists, as pairs, if `by` periods have ended between them. */
const pairs = (old: readonly number[], now: readonly number[], by: number): readonly (readonly [number, number])[] =>
  old.slice(1).flatMap((one, index) => {
    const other = now[index + 1 + by];
    return other === undefined ? [] : [[one, other] as const];
  });

const isUnchanged = (all: readonly (readonly [number, number])[]): boolean => all.every(([a, b]) => isSame(a, b));

/** True if earlier periods differ only by corrections. */
const isCorrected = (all: readonly (readonly [number, number])[]): boolean =>
  sum(all.map(([a, b]) => Math.abs(a - b))) <= CORRECTION * sum(all.map(([a, b]) => Math.max(a, b))) + NOISE;

/**
 * How many periods ended between two lists, from the amounts alone: wrong clocks, zones or summer time of
 * bridge, gateway and platform cannot cause counts. Undefined if the lists do not match.
 */
const ended = (old: readonly number[], now: readonly number[]): number | undefined => {
  const [before = 0, , ...earlier] = old;
  const [running = 0, last] = now;
  const hasGrown = running >= before - NOISE;
  const standing = pairs(old, now, 0);
  if (hasGrown && isUnchanged(standing)) return 0;
  // If all earlier periods are equal, a fall is an older record, a correction, or all values are equal.
  const isAlike = standing.length > 0 && isUnchanged(standing);
  // The last period is often completed after its end. Where earlier ones resemble each other, this looks like several ended periods.
  const isCompleted = hasGrown && standing.length > 2 && isUnchanged(standing.slice(1)) && isCorrected(standing);
  const usual = isCompleted ? 1 : now.length - 1;
  const most = isAlike ? Number(running < before * (1 - CORRECTION)) : usual;
  for (let by = 1; by <= most; by += 1) {
    const comparable = pairs(old, now, by);
    if ((now[by] ?? 0) >= before - NOISE && comparable.length > 0 && isUnchanged(comparable)) return by;
  }
  // With only the last period, the only evidence is that it differs from before.
  const isNew = earlier.length === 0 && last !== undefined && last >= before - NOISE && (!isSame(last, old[1]) || isSame(last, before));
  if (!hasGrown && isNew) return 1;
  return hasGrown && isCorrected(standing) ? 0 : undefined;
};

const grownBy = (old: readonly number[], now: readonly number[], by: number): number =>
  Math.max(0, (now[by] ?? 0) - (old[0] ?? 0)) + Math.max(0, sum(now.slice(0, by)));

/** True for amounts of the previous period, which a platform may return again after its end. */
const isOld = ({ period, amounts, turned }: Mark, now: readonly number[]): boolean => {
  if (!turned) return false;
  const [running = 0] = now;
  const [before = 0] = turned;
  const earlier = pairs(turned, now, 0);
  if (earlier.length > 0)
    return !isUnchanged(pairs(amounts, now, 0)) && isUnchanged(earlier) && running <= Math.max(before, amounts[1] ?? 0) + NOISE;
  // No home uses most of last year's amount between two reads.
  const isNear = running <= before + NOISE && running >= before * (1 - CORRECTION);
  return period === 'year' && isNear && running - (amounts[0] ?? 0) > before * CORRECTION;
};

type Step = { readonly grown: number; readonly mark: Mark; readonly isTurn?: boolean };

/** The growth of a period between its mark and these amounts. */
const step = (mark: Mark | undefined, now: Counted): Step => {
  if (mark === undefined || mark.period !== now.period) return { grown: 0, mark: now };
  const { amounts: old, fallen, turned } = mark;
  const by = ended(old, now.amounts);
  if (isOld(mark, now.amounts)) return { grown: 0, mark };
  if (by !== undefined) {
    const grown = grownBy(old, now.amounts, by);
    if (by > 0) return { grown, mark: { ...now, turned: old }, isTurn: true };
    return { grown, mark: { ...now, ...(turned ? { turned } : {}) } };
  }
  const [before = 0, running = 0] = [old[0], now.amounts[0]];
  // A different counter with nothing in common: its amounts were not counted here.
  if (running >= before) return { grown: 0, mark: now, isTurn: true };
  const [low] = fallen ?? [];
  const isRunning = low !== undefined && running > low + NOISE && running < before * (1 - CORRECTION);
  if (!isRunning) return { grown: 0, mark: { ...mark, fallen: low !== undefined && running > low ? fallen : now.amounts } };
  // A period without a previous amount began at zero.
  const grown = now.amounts.length === 1 && !mark.isCounted ? running : running - low;
  return { grown, mark: { ...now, ...(low > before * CORRECTION ? {} : { turned: old }) }, isTurn: true };
};

/**
 * The running total after a record with these amounts. The first record counts nothing.
 * The longest period counts: it misses neither midnight nor days without a read. The growth of the shortest
 * one is shown early, because the platform updates longer ones later or never; it is not counted twice.
 */
export const counted = (before: RunningTotal | undefined, { unit, long, short }: Amounts): RunningTotal => {
  if (before?.unit !== unit) return { unit, total: 0, sure: 0, ahead: 0, long, ...(short ? { short } : {}) };
  const shortest = short ?? long;
  // The longest period is missing, perhaps for one read. Until it returns, the shortest one counts ahead.
  if (isLonger(before.long.period, long.period)) {
    const { grown, mark } = step(before.short, shortest);
    const ahead = before.ahead + grown;
    return { ...before, total: Math.max(before.total, before.sure + ahead), ahead, short: mark };
  }
  const byLong = step(before.long, long);
  const byShort = short && step(before.short, short);
  const sure = before.sure + byLong.grown;
  const ahead = byLong.grown > 0 ? 0 : before.ahead + (byShort?.grown ?? 0);
  const total = Math.max(before.total, sure + ahead);
  const turns = (before.turns ?? 0) + (byLong.isTurn ? 1 : 0);
  const isCounted = byLong.grown > 0 && byShort?.mark.fallen !== undefined;
  const shortMark = byShort && { ...byShort.mark, ...(isCounted ? { isCounted } : {}) };
  return { unit, total, sure, ahead, long: byLong.mark, ...(shortMark ? { short: shortMark } : {}), ...(turns > 0 ? { turns } : {}) };
};
