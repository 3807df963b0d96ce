import * as z from 'zod/mini';
import type { Json } from '../../features/feature.ts';
import { DAY_MS, isWaiting } from '../../shared/clock.ts';
import { isRecord } from '../../shared/json.ts';

/** What writes weeks by itself, and who goes before whom. A hand goes before all of them (`decide`). */
const PLANNERS = ['calendar', 'price'] as const;
export type Planner = (typeof PLANNERS)[number];
/** Whose values a schedule has now. `hand`: of a person, by whichever way. */
export type Owner = 'hand' | Planner;

export const isPlanner = (kind: string | undefined): kind is Planner => PLANNERS.some((one) => one === kind);

/** The command of a wish, as a client would send it. */
const COMMAND = z.object({
  /** The last level of the topic behind the feature: `profile`, a property. */
  leaf: z.optional(z.string()),
  /** A command of the platform by its name, with its parameters as the value: `schedule` of a holiday. */
  call: z.optional(z.string()),
  value: z.custom<Json>((value) => value !== undefined),
  /** The device ends it by itself; this command of it ends it early. */
  cancel: z.optional(z.string()),
});
export type PlanCommand = Readonly<z.infer<typeof COMMAND>>;

/** What a planner wants on a feature of a device from one moment (epoch milliseconds) up to another. */
export type Wish = {
  readonly owner: Planner;
  /** The name of the device in topics. */
  readonly device: string;
  readonly feature: string;
  readonly beginMs: number;
  readonly untilMs: number;
  /** After this it is not written any more. */
  readonly writeByMs?: number;
  readonly command: PlanCommand;
  /** For people: the title of the event, or why the price plan writes. */
  readonly reason: string;
};

/** The last wish that was carried out on a feature, as it is kept over restarts. */
export const BEGUN = z.object({
  owner: z.enum(PLANNERS),
  beginMs: z.number(),
  command: COMMAND,
  reason: z.string(),
  /** The ends that it may have: two while the end is moved. */
  untils: z.readonly(z.array(z.number()).check(z.minLength(1))),
  /** So many writes were sent for this wish; tries of what is to be done now that failed. */
  writes: z.number(),
  tries: z.number(),
  /**
   * `asked`: not answered yet. `written`: a temporary write that ends by itself. `deviceEnds`: the device ends it. `unchanged`: the feature had
   * these values already. `ended`: it was ended early, as the wish went. `failed`: after a refusal or an outage.
   */
  state: z.enum(['asked', 'written', 'deviceEnds', 'unchanged', 'ended', 'failed']),
  /** Before that it is not tried again. */
  retryMs: z.optional(z.number()),
});
export type Begun = Readonly<z.infer<typeof BEGUN>>;

/** The temporary write in force, and whether a person has changed something of it. */
export type InForce = { readonly by: Owner; readonly untilMs: number; readonly isContested: boolean };

export type Situation = {
  readonly nowMs: number;
  /** All wishes for the feature. */
  readonly wishes: readonly Wish[];
  readonly inForce: InForce | undefined;
  /** When a person last wrote to the feature. */
  readonly handMs: number | undefined;
  /** The end that a person was last found to have given to what is in force (epoch milliseconds). */
  readonly handUntilMs?: number | undefined;
  readonly begun: Begun | undefined;
};

/**
 * `owner`: whose values the feature has. `write` the wish; `move` the end of what is in force to that of the wish; `end` what is in force, or
 * `cancel` what the device would end. `isHand`: a person was found to have acted just now.
 */
export type Decision = {
  readonly owner: Owner | undefined;
  readonly act: 'none' | 'write' | 'move' | 'end' | 'cancel';
  readonly wish?: Wish;
  readonly isHand?: true;
};

const MOST_WRITES = 2;
const MOST_TRIES = 8;
/** After a failure it is tried again after this time at the latest. */
export const LONGEST_RETRY_MS = 8 * 3_600_000;
/** True while nothing is tried: after a failure, and for ever after too many. */
export const isResting = ({ tries, retryMs = 0 }: Begun, nowMs: number): boolean =>
  tries >= MOST_TRIES || isWaiting(retryMs, nowMs, LONGEST_RETRY_MS);
/** For less it is not begun. */
const SHORTEST_MS = 10 * 60_000;

const coversNow = ({ beginMs, untilMs }: Wish, nowMs: number): boolean => beginMs <= nowMs && nowMs < untilMs;

/** The wish that counts at a moment: that of the calendar before that of the price plan. */
const wishAt = (wishes: readonly Wish[], nowMs: number): Wish | undefined =>
  PLANNERS.flatMap((planner) => wishes.filter(({ owner }) => owner === planner)).find((wish) => coversNow(wish, nowMs));

const isSame = (one: PlanCommand, other: PlanCommand): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A holiday that runs is not begun anew where only its start is another one: of two that touch, the first has ended. */
const withoutStart = ({ value, ...command }: PlanCommand): PlanCommand => ({
  ...command,
  value: isRecord(value) ? { ...value, start: null } : value,
});

const lastUntil = ({ untils }: Begun): number => Math.max(...untils);

/**
 * Of events that touch, and are one wish, the first ones are forgotten some days after their end, and so is an event that went before this one
 * at its begin: the wish still has the begin that it had. One that has ended has none: the clock may have been set back since.
 */
const sinceItsBegin = (wish: Wish, begun: Begun | undefined, nowMs: number): Wish => {
  if (begun?.owner !== wish.owner || !isSame(withoutStart(wish.command), withoutStart(begun.command))) return wish;
  const isLater = begun.beginMs < wish.beginMs && wish.beginMs <= Math.min(lastUntil(begun), nowMs - DAY_MS);
  const isEarlier = wish.beginMs < begun.beginMs && begun.beginMs <= nowMs && nowMs < lastUntil(begun) && begun.state !== 'ended';
  return isLater || isEarlier ? { ...wish, beginMs: begun.beginMs } : wish;
};

/**
 * The one rule of precedence: a hand wins, then the calendar, then the price plan. A hand that acts while a wish runs keeps the feature until
 * the next wish begins; a temporary write of a hand keeps it until it ends. Of a plan at most one write is in force: it ends before another
 * one begins, so that the week before comes back in between.
 */
export const decide = (situation: Situation): Decision => {
  const { nowMs, wishes, inForce, begun } = situation;
  const found = wishAt(wishes, nowMs);
  const wish = found && sinceItsBegin(found, begun, nowMs);
  if (!inForce) return free(situation, wish);
  return inForce.by === 'hand' ? { owner: 'hand', act: 'none' } : running(situation, { ...inForce, by: inForce.by }, wish);
};

const hasHand = (handMs: number | undefined, beginMs: number): boolean => handMs !== undefined && handMs >= beginMs;

/** A write of a planner is in force. */
const running = (situation: Situation, inForce: InForce & { readonly by: Planner }, wish: Wish | undefined): Decision => {
  const { nowMs, handMs, handUntilMs, begun } = situation;
  const { by, untilMs, isContested } = inForce;
  // It was written by a run whose notes are lost: it ends at its own end.
  if (begun?.owner !== by) return { owner: by, act: 'none' };
  const isTouched = hasHand(handMs, begun.beginMs);
  // What has come to its end is on its way back, also where the platform has ignored that and it is tried again.
  const isMoved = nowMs < untilMs && !begun.untils.includes(untilMs);
  const isNew = isMoved ? untilMs !== handUntilMs : !isTouched;
  // The next wish begins: what a person has changed of this one meanwhile, as in the heating's own app, stays behind its end.
  if (isContested && !isMoved && isTouched && nowMs < untilMs && wish && !hasHand(handMs, wish.beginMs))
    return { owner: 'hand', act: 'end' };
  if (isContested || isMoved) return { owner: 'hand', act: 'none', ...(isNew ? { isHand: true } : {}) };
  const owner = isTouched ? 'hand' : by;
  // The return is on its way.
  if (untilMs <= nowMs) return { owner, act: 'none' };
  if (wish?.owner !== by || !isSame(wish.command, begun.command)) return { owner, act: 'end' };
  // The clock was set back to an event that a hand has.
  if (!isTouched && hasHand(handMs, wish.beginMs)) return { owner: 'hand', act: 'end' };
  if (isTouched || (wish.untilMs === untilMs && wish.beginMs === begun.beginMs)) return { owner, act: 'none' };
  return { owner, act: 'move', wish };
};

/** No temporary write is in force. */
const free = ({ nowMs, handMs, begun }: Situation, wish: Wish | undefined): Decision => {
  const isOther = !wish || wish.owner !== begun?.owner || wish.beginMs !== begun.beginMs;
  if (begun?.state === 'deviceEnds' && isOther && nowMs < lastUntil(begun) && !hasHand(handMs, begun.beginMs)) {
    if (wish?.owner !== begun.owner || !isSame(withoutStart(wish.command), withoutStart(begun.command)))
      return { owner: begun.owner, act: 'cancel' };
    return { owner: begun.owner, act: 'none' };
  }
  if (!wish) return { owner: undefined, act: 'none' };
  if (hasHand(handMs, wish.beginMs)) return { owner: 'hand', act: 'none' };
  const decision: Decision = begun && !isOther ? again(begun, wish, nowMs) : { owner: undefined, act: 'write', wish };
  const isLate = nowMs + SHORTEST_MS > wish.untilMs || nowMs >= (wish.writeByMs ?? wish.untilMs);
  return decision.act === 'write' && isLate ? { owner: undefined, act: 'none' } : decision;
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
      // It ended at its end, and the event goes on after all; else a person has ended it, or written over all of it.
      return lastUntil(begun) <= nowMs ? write : { owner: 'hand', act: 'none', isHand: true };
    default:
      return begun.state satisfies never;
  }
};
