import * as z from 'zod/mini';
import type { Json } from '../../features/feature.ts';
import { DAY_MS, isWaiting } from '../../shared/clock.ts';
import { isRecord } from '../../shared/json.ts';

/** The planners that write weeks, in order of precedence. A person precedes all of them (`decide`). */
const PLANNERS = ['calendar', 'price'] as const;
export type Planner = (typeof PLANNERS)[number];
/** The owner of a schedule's present values. `hand`: a person, by any means. */
export type Owner = 'hand' | Planner;

export const isPlanner = (kind: string | undefined): kind is Planner => PLANNERS.some((one) => one === kind);

/** The command of a wish, as a client would send it. */
const COMMAND = z.object({
  /** The last topic level after the feature: `profile`, or a property. */
  leaf: z.optional(z.string()),
  /** A platform command by name, with its parameters as the value: `schedule` of a holiday. */
  call: z.optional(z.string()),
  value: z.custom<Json>((value) => value !== undefined),
  /** The device ends it itself; this command ends it early. */
  cancel: z.optional(z.string()),
});
export type PlanCommand = Readonly<z.infer<typeof COMMAND>>;

/** What a planner wants for a feature of a device between two moments (epoch milliseconds). */
export type Wish = {
  readonly owner: Planner;
  /** The name of the device in topics. */
  readonly device: string;
  readonly feature: string;
  readonly beginMs: number;
  readonly untilMs: number;
  /** After this it is no longer written (epoch milliseconds). */
  readonly writeByMs?: number;
  readonly command: PlanCommand;
  /** For people: the title of the event, or the reason of the price plan. */
  readonly reason: string;
};

/** The last wish that was carried out on a feature, kept over restarts. */
export const BEGUN = z.object({
  owner: z.enum(PLANNERS),
  beginMs: z.number(),
  command: COMMAND,
  reason: z.string(),
  /** Its possible ends: two while the end is being moved. */
  untils: z.readonly(z.array(z.number()).check(z.minLength(1))),
  /** Number of writes for this wish, and of failed attempts at the present action. */
  writes: z.number(),
  tries: z.number(),
  /**
   * `asked`: not answered yet. `written`: a temporary write. `deviceEnds`: the device ends it. `unchanged`:
   * the feature already had these values. `ended`: ended early, as the wish was withdrawn. `failed`: after a
   * refusal or an outage, or the device ignored it.
   */
  state: z.enum(['asked', 'written', 'deviceEnds', 'unchanged', 'ended', 'failed']),
  /** The earliest time of the next attempt (epoch milliseconds). */
  retryMs: z.optional(z.number()),
});
export type Begun = Readonly<z.infer<typeof BEGUN>>;

/** The temporary write in force; `isContested`: some of its values were changed elsewhere. */
export type InForce = { readonly by: Owner; readonly untilMs: number; readonly isContested: boolean };

export type Situation = {
  readonly nowMs: number;
  /** All wishes for the feature. */
  readonly wishes: readonly Wish[];
  readonly inForce: InForce | undefined;
  /** When a person last wrote to the feature. */
  readonly handMs: number | undefined;
  /** The end that a person was last found to have set (epoch milliseconds). */
  readonly handUntilMs?: number | undefined;
  readonly begun: Begun | undefined;
};

/**
 * `owner`: the owner of the feature's values. `write` the wish, `move` the end in force to that of the wish,
 * `end` what is in force, or `cancel` what the device would end. `isHand`: a person has just acted.
 */
export type Decision = {
  readonly owner: Owner | undefined;
  readonly act: 'none' | 'write' | 'move' | 'end' | 'cancel';
  readonly wish?: Wish;
  readonly isHand?: true;
};

const MOST_WRITES = 2;
const MOST_TRIES = 8;
/** The longest wait before the next attempt. */
export const LONGEST_RETRY_MS = 8 * 3_600_000;
/** True while no attempt is made: after a failure, and permanently after too many. */
export const isResting = ({ tries, retryMs = 0 }: Begun, nowMs: number): boolean =>
  tries >= MOST_TRIES || isWaiting(retryMs, nowMs, LONGEST_RETRY_MS);
/** A wish with less time left is not begun. */
const SHORTEST_MS = 10 * 60_000;

const coversNow = ({ beginMs, untilMs }: Wish, nowMs: number): boolean => beginMs <= nowMs && nowMs < untilMs;

const isLate = ({ untilMs, writeByMs = untilMs }: Wish, nowMs: number): boolean => nowMs + SHORTEST_MS > untilMs || nowMs >= writeByMs;

/** The wish that counts at a moment; the calendar precedes the price plan. */
const wishAt = (wishes: readonly Wish[], nowMs: number): Wish | undefined =>
  PLANNERS.flatMap((planner) => wishes.filter(({ owner }) => owner === planner)).find((wish) => coversNow(wish, nowMs));

const isSame = (one: PlanCommand, other: PlanCommand): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A running holiday is not begun again if only its start differs: of two touching ones, the first ended. */
const withoutStart = ({ value, ...command }: PlanCommand): PlanCommand => ({
  ...command,
  value: isRecord(value) ? { ...value, start: null } : value,
});

const lastUntil = ({ untils }: Begun): number => Math.max(...untils);

/**
 * The wish with the begin that it first had. The begin can change when touching events of one wish, or an
 * event that preceded it, are forgotten some days after their end. An ended wish keeps no begin, as the clock
 * may have been set back.
 */
const sinceItsBegin = (wish: Wish, begun: Begun | undefined, nowMs: number): Wish => {
  if (begun?.owner !== wish.owner || !isSame(withoutStart(wish.command), withoutStart(begun.command))) return wish;
  const isLater = begun.beginMs < wish.beginMs && wish.beginMs <= Math.min(lastUntil(begun), nowMs - DAY_MS);
  const isEarlier = wish.beginMs < begun.beginMs && begun.beginMs <= nowMs && nowMs < lastUntil(begun) && begun.state !== 'ended';
  return isLater || isEarlier ? { ...wish, beginMs: begun.beginMs } : wish;
};

/**
 * The rule of precedence: a person, then the calendar, then the price plan. A person who acts during a wish
 * keeps the feature until the next wish begins; a person's temporary write keeps it until it ends. At most
 * one write of a plan is in force: it ends before another begins, so that the former week returns in between.
 */
export const decide = (situation: Situation): Decision => {
  const { nowMs, wishes, inForce, handUntilMs, begun } = situation;
  const found = wishAt(wishes, nowMs);
  const wish = found && sinceItsBegin(found, begun, nowMs);
  if (!inForce) return free(situation, wish);
  if (inForce.by !== 'hand') return running(situation, { ...inForce, by: inForce.by }, wish);
  // A change in the app over a person's temporary write is noted once.
  const isNew = inForce.isContested && inForce.untilMs !== handUntilMs;
  return { owner: 'hand', act: 'none', ...(isNew ? { isHand: true } : {}) };
};

const isManualSince = (handMs: number | undefined, beginMs: number): boolean => handMs !== undefined && handMs >= beginMs;

/** A write of a planner is in force. */
const running = (situation: Situation, inForce: InForce & { readonly by: Planner }, wish: Wish | undefined): Decision => {
  const { nowMs, handMs, handUntilMs, begun } = situation;
  const { by, untilMs, isContested } = inForce;
  // An earlier run wrote it, and its notes are lost: it ends at its own end.
  if (begun?.owner !== by) return { owner: by, act: 'none' };
  const isTouched = isManualSince(handMs, begun.beginMs);
  // After its end the revert is under way, even if the platform ignored it and it is tried again.
  const isMoved = nowMs < untilMs && !begun.untils.includes(untilMs);
  const isNew = isMoved ? untilMs !== handUntilMs : !isTouched;
  // The next wish begins: changes made by the app during this one stay after its end.
  if (isContested && !isMoved && isTouched && nowMs < untilMs && wish && !isManualSince(handMs, wish.beginMs))
    return { owner: 'hand', act: 'end' };
  if (isContested || isMoved) return { owner: 'hand', act: 'none', ...(isNew ? { isHand: true } : {}) };
  const owner = isTouched ? 'hand' : by;
  // The revert is under way.
  if (untilMs <= nowMs) return { owner, act: 'none' };
  if (wish?.owner !== by || !isSame(wish.command, begun.command)) return { owner, act: 'end' };
  // The clock was set back into an event that a person has taken over.
  if (!isTouched && isManualSince(handMs, wish.beginMs)) return { owner: 'hand', act: 'end' };
  if (isTouched) return { owner, act: 'none' };
  if (wish.untilMs !== untilMs || wish.beginMs !== begun.beginMs) return { owner, act: 'move', wish };
  const isIgnored = begun.state === 'failed' && !isResting(begun, nowMs);
  return isIgnored && !isLate(wish, nowMs) ? { owner, act: 'write', wish } : { owner, act: 'none' };
};

/** No temporary write is in force. */
const free = ({ nowMs, handMs, begun }: Situation, wish: Wish | undefined): Decision => {
  const isOther = !wish || wish.owner !== begun?.owner || wish.beginMs !== begun.beginMs;
  if (begun?.state === 'deviceEnds' && isOther && nowMs < lastUntil(begun) && !isManualSince(handMs, begun.beginMs)) {
    if (wish?.owner !== begun.owner || !isSame(withoutStart(wish.command), withoutStart(begun.command)))
      return { owner: begun.owner, act: 'cancel' };
    return { owner: begun.owner, act: 'none' };
  }
  if (!wish) return { owner: undefined, act: 'none' };
  if (isManualSince(handMs, wish.beginMs)) return { owner: 'hand', act: 'none' };
  const decision: Decision = begun && !isOther ? again(begun, wish, nowMs) : { owner: undefined, act: 'write', wish };
  return decision.act === 'write' && isLate(wish, nowMs) ? { owner: undefined, act: 'none' } : decision;
};

/** The wish was begun already, and nothing of it is in force. */
const again = (begun: Begun, wish: Wish, nowMs: number): Decision => {
  const { owner } = wish;
  const isDone = isSame(withoutStart(begun.command), withoutStart(wish.command));
  const write: Decision = begun.writes < MOST_WRITES ? { owner: undefined, act: 'write', wish } : { owner: undefined, act: 'none' };
  switch (begun.state) {
    case 'asked':
      return { owner, act: 'none' };
    case 'unchanged':
    case 'deviceEnds':
      return isDone ? { owner, act: 'none' } : write;
    case 'ended':
      return write;
    case 'failed':
      return isResting(begun, nowMs) ? { owner: undefined, act: 'none' } : write;
    case 'written':
      // It reached its end but the event continues; otherwise a person ended or overwrote all of it.
      return lastUntil(begun) <= nowMs ? write : { owner: 'hand', act: 'none', isHand: true };
    default:
      return begun.state satisfies never;
  }
};
