import * as z from 'zod/mini';
import { RUNNING_TOTAL, type RunningTotal } from './runningTotal.ts';

const MAYBE = z.optional(z.number());

/**
 * The running total of a feature whose amount another feature also reports (list and summary). One of them
 * may stand still for days and catch up later, or never.
 */
export const SHARED_TOTAL = z.extend(RUNNING_TOTAL, {
  /** The published total: the larger growth of both. Absent for a single source: then it is `total`. */
  shown: MAYBE,
  /** What the other source counted beyond this one. Late growth up to it is not counted again. */
  owed: MAYBE,
  /** The growth, and the initial `owed`, since the last comparison of both. */
  lately: MAYBE,
  owedBefore: MAYBE,
  /** The value of `turns` when both were first seen together. */
  turnsBefore: MAYBE,
});
export type SharedTotal = Readonly<z.infer<typeof SHARED_TOTAL>>;

/** The growth in kWh or m³ after which both are compared. */
const COMPARED_AFTER = 10;
/** Two sources of one amount differ by a few percent, and by their counting steps. */
const NORMAL_SHARE = 0.05;
const NORMAL_STEP = 0.2;

/** The factor from the unit to kWh or m³. */
export const scaleOf = (unit: string): number => (unit === 'wattHour' ? 0.001 : 1);

export const shownTotal = ({ shown, total }: SharedTotal): number => shown ?? total;

/** The longest period's amount of a source, plus the early growth of its shorter period. */
const reachOf = ({ long, total, sure }: SharedTotal): number => (long.amounts[0] ?? 0) + total - sure;
const turnsOf = ({ turns = 0, turnsBefore = 0 }: SharedTotal): number => turns - turnsBefore;

const isNormal = (one: number, other: number, unit: string): boolean =>
  Math.abs(one - other) * scaleOf(unit) <= Math.max(one, other) * scaleOf(unit) * NORMAL_SHARE + NORMAL_STEP;

const dayOf = ({ long, short = long }: SharedTotal): number | undefined => (short.period === 'day' ? short.amounts[0] : undefined);

/** The initial `owed` of a source that is behind: if both report different amounts for today. */
const initialOwed = (one: SharedTotal, other: SharedTotal): number => {
  const [day, otherDay] = [dayOf(one), dayOf(other)];
  if (day === undefined || otherDay === undefined || one.long.period !== other.long.period || isNormal(day, otherDay, one.unit)) return 0;
  return Math.max(0, reachOf(other) - reachOf(one));
};

const linked = (one: SharedTotal, other: SharedTotal): SharedTotal => {
  const owed = initialOwed(one, other);
  return { ...one, shown: shownTotal(one), owed, lately: 0, owedBefore: owed, turnsBefore: one.turns ?? 0 };
};

/**
 * A new period has begun: the missing amounts of the previous one no longer arrive. `owed` is at most the
 * lead of the other source in the same period.
 */
const afterTurn = (one: SharedTotal, other: SharedTotal): SharedTotal => {
  if (turnsOf(one) < turnsOf(other) || one.long.period !== other.long.period) return one;
  return { ...one, owed: Math.min(one.owed ?? 0, Math.max(0, reachOf(other) - reachOf(one))) };
};

/** A few percent difference is normal, not a delay: `one`, which was behind and grew, then owes no more. */
const compared = (one: SharedTotal, other: SharedTotal): readonly [SharedTotal, SharedTotal] => {
  const [low = 0, high = 0] = [one.lately ?? 0, other.lately ?? 0].sort((a, b) => a - b);
  const scale = scaleOf(one.unit);
  if (high * scale < COMPARED_AFTER) return [one, other];
  const owed = isNormal(low, high, one.unit) ? Math.min(one.owed ?? 0, one.owedBefore ?? 0) : (one.owed ?? 0);
  return [
    { ...one, owed, owedBefore: owed, lately: 0 },
    { ...other, owedBefore: other.owed, lately: 0 },
  ];
};

/**
 * Both sources after `one` counted a record (`before` → `now`). Its growth is added to both, except what the
 * other source already counted. Without another source in the same unit it counts alone.
 */
export const shared = (
  before: SharedTotal | undefined,
  now: RunningTotal,
  other: SharedTotal | undefined,
): readonly [SharedTotal, SharedTotal | undefined] => {
  const isNew = before?.unit !== now.unit || before.total > now.total;
  const kept: SharedTotal = isNew ? now : { ...before, ...now };
  const grown = isNew ? 0 : now.total - before.total;
  const alone = kept.shown === undefined ? kept : { ...kept, shown: kept.shown + grown };
  if (other?.unit !== now.unit) return [alone, other];
  if (kept.owed === undefined || other.owed === undefined)
    return [linked(alone, other), other.owed === undefined || isNew ? linked(other, alone) : other];
  const paid = Math.min(grown, kept.owed);
  const news = grown - paid;
  const add = (to: SharedTotal, owed: number): SharedTotal => ({ ...to, shown: shownTotal(to) + news, owed: (to.owed ?? 0) + owed });
  const one = { ...add(kept, -paid), lately: (kept.lately ?? 0) + grown };
  const next = add(other, news);
  const isTurn = (now.turns ?? 0) > (before?.turns ?? 0);
  const [a, b] = isTurn ? [afterTurn(one, next), afterTurn(next, one)] : [one, next];
  return kept.owed > 0 && grown > 0 ? compared(a, b) : [a, b];
};
