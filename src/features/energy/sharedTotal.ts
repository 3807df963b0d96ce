import * as z from 'zod/mini';
import { RUNNING_TOTAL, type RunningTotal } from './runningTotal.ts';

const MAYBE = z.optional(z.number());

/**
 * The running total of a feature whose amount another feature tells too, as a list and as a summary. One of them may stand for days and
 * catch up later, or never.
 */
export const SHARED_TOTAL = z.extend(RUNNING_TOTAL, {
  /** What is published: the larger growth of both. Absent where the amount has one teller: then `total` is. */
  shown: MAYBE,
  /** What the other one has counted beyond this one: when this one tells it late, it is not counted once more. */
  owed: MAYBE,
  /** What this one has grown, and owed at first, since both were last compared. */
  lately: MAYBE,
  owedBefore: MAYBE,
  /** `turns` when both were first seen together. */
  turnsBefore: MAYBE,
});
export type SharedTotal = Readonly<z.infer<typeof SHARED_TOTAL>>;

/** After so much, in kWh or m³, both are compared. */
const COMPARED_AFTER = 10;
/** Two tellers of one amount differ by some percent, and by the steps in which they count. */
const NORMAL_SHARE = 0.05;
const NORMAL_STEP = 0.2;

/** How many kWh or m³ one unit of an amount is. */
export const scaleOf = (unit: string): number => (unit === 'wattHour' ? 0.001 : 1);

export const shownTotal = ({ shown, total }: SharedTotal): number => shown ?? total;

/** What a teller shows of its longest period, with what its shorter ones have counted ahead of it. */
const reachOf = ({ long, total, sure }: SharedTotal): number => (long.amounts[0] ?? 0) + total - sure;
const turnsOf = ({ turns = 0, turnsBefore = 0 }: SharedTotal): number => turns - turnsBefore;

const isNormal = (one: number, other: number, unit: string): boolean =>
  Math.abs(one - other) * scaleOf(unit) <= Math.max(one, other) * scaleOf(unit) * NORMAL_SHARE + NORMAL_STEP;

const dayOf = ({ long, short = long }: SharedTotal): number | undefined => (short.period === 'day' ? short.amounts[0] : undefined);

/** What a teller that is behind when both are first seen may tell late: where they do not say the same of today. */
const owedAtFirst = (one: SharedTotal, other: SharedTotal): number => {
  const [day, otherDay] = [dayOf(one), dayOf(other)];
  if (day === undefined || otherDay === undefined || one.long.period !== other.long.period || isNormal(day, otherDay, one.unit)) return 0;
  return Math.max(0, reachOf(other) - reachOf(one));
};

const linked = (one: SharedTotal, other: SharedTotal): SharedTotal => {
  const owed = owedAtFirst(one, other);
  return { ...one, shown: shownTotal(one), owed, lately: 0, owedBefore: owed, turnsBefore: one.turns ?? 0 };
};

/**
 * A new period has begun: what was missing in the one before is not told any more. What is owed is at most what the other one shows more of
 * the same period.
 */
const afterTurn = (one: SharedTotal, other: SharedTotal): SharedTotal => {
  if (turnsOf(one) < turnsOf(other) || one.long.period !== other.long.period) return one;
  return { ...one, owed: Math.min(one.owed ?? 0, Math.max(0, reachOf(other) - reachOf(one))) };
};

/** A difference of some percent since they were last compared is normal, and no delay: `one`, which was behind and has just grown, owes it not. */
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
 * Both tellers after `one` has counted a record: it was `before` and is `now`. What it grew is added to both, but for what the other one has
 * counted already. Without another teller of the same unit it counts alone.
 */
export const shared = (
  before: SharedTotal | undefined,
  now: RunningTotal,
  other: SharedTotal | undefined,
): readonly [SharedTotal, SharedTotal | undefined] => {
  const isNew = before?.unit !== now.unit || before.total > now.total;
  const kept: SharedTotal = isNew ? now : { ...before, ...now };
  const grown = isNew ? 0 : now.total - before.total;
  if (other?.unit !== now.unit) return [kept.shown === undefined ? kept : { ...kept, shown: kept.shown + grown }, other];
  if (kept.owed === undefined || other.owed === undefined) {
    const alone = kept.shown === undefined ? kept : { ...kept, shown: kept.shown + grown };
    return [linked(alone, other), other.owed === undefined || isNew ? linked(other, alone) : other];
  }
  const paid = Math.min(grown, kept.owed);
  const news = grown - paid;
  const add = (to: SharedTotal, owed: number): SharedTotal => ({ ...to, shown: shownTotal(to) + news, owed: (to.owed ?? 0) + owed });
  const one = { ...add(kept, -paid), lately: (kept.lately ?? 0) + grown };
  const next = add(other, news);
  const isTurn = (now.turns ?? 0) > (before?.turns ?? 0);
  const [a, b] = isTurn ? [afterTurn(one, next), afterTurn(next, one)] : [one, next];
  return kept.owed > 0 && grown > 0 ? compared(a, b) : [a, b];
};
