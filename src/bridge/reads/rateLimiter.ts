import { type Clock, DAY_MS, HOUR_MS, systemClock } from '../../shared/clock.ts';
import type { CallCause, CallFailure, CallHistory, CallRecord } from '../ports.ts';
import { type Allowance, HORIZONS_H, type Plan, planPolling, readsOfTen, TEN_MINUTES_MS } from './pollBudget.ts';
import { rateLimitOf } from './rateLimitResponse.ts';
import {
  type Call,
  expectedOfOthers,
  FOREIGN_COUNTS_MS,
  type Foreign,
  firstAfter,
  onWall,
  placed,
  type Recalled,
  recordsOf,
  unplacedCalls,
} from './recalledCalls.ts';

/** By the platform client's call kind, for calls that are no polls; all others are reads. */
const CAUSES: Readonly<Record<string, CallCause>> = { command: 'command', discovery: 'discovery', identity: 'identity', events: 'events' };
type Windows = { readonly per_10_minutes: number; readonly per_day: number };

/** A larger difference between the machine's clock and elapsed time means that the clock was set. */
const JUMP_MS = 2000;

const NOTHING_KEPT: CallHistory = { kept: [], lost: 0, append: () => undefined, rewrite: () => undefined, holds: () => undefined };

/**
 * Owns the count of all calls, in sliding windows: in memory by a monotonic clock, on disk by the wall clock.
 * `isClockRight`: the time since the previous run is known without an answer of the platform.
 */
export const rateLimiter = (
  limits: Allowance,
  clock: Pick<Clock, 'now' | 'elapsedMs'> = systemClock,
  memory = NOTHING_KEPT,
  isClockRight = true,
) => {
  let allowance = limits;
  let made: Call[] = [];
  let ofOthers: Foreign[] = [];
  let pausedUntil = 0;
  /** Calls refused (429) since the last one that worked. */
  let refusals = 0;
  let polling = 0;
  let open = 0;
  /** The platform's clock at the start of this run, from its last answer; undefined before the first one. */
  let platformZeroMs: number | undefined;
  let isClockKnown = isClockRight;
  let unplaced: ReturnType<typeof unplacedCalls> | undefined;

  /** A call is sent now, inside `poll` or not. */
  const count = (poll = polling > 0, cause: CallCause = poll ? 'poll' : 'confirm'): void => {
    const call: Call = { kind: 'call', at: clock.elapsedMs(), poll, cause };
    made.push(call);
    unplaced?.called();
    keep(onWall(call, unplaced?.wallMs(wallMs, call.at) ?? wallMs));
  };

  /** The platform's time if known, else ours (epoch milliseconds). */
  const platformMs = (): number => (platformZeroMs === undefined ? clock.now() : platformZeroMs + clock.elapsedMs());

  /** Like `platformMs`, but undefined until an answer of the platform in this run has told the time. */
  const knownMs = (): number | undefined => (isClockKnown ? platformMs() : undefined);

  const place = (records: readonly CallRecord[], nowOnWallMs: number): Recalled => {
    const recalled = placed(records, nowOnWallMs, clock.elapsedMs());
    made = [...recalled.calls, ...made].sort((a, b) => a.at - b.at);
    ofOthers = [...recalled.foreign, ...ofOthers];
    pausedUntil = Math.max(pausedUntil, recalled.pausedUntilMs);
    return recalled;
  };

  /** The platform has told the time: the records of earlier runs can be placed. */
  const settle = (): void => {
    const before = unplaced;
    if (!before || !isClockKnown) return;
    unplaced = undefined;
    const { calls, foreign, pausedUntilMs } = before.meanwhile;
    const old = new Set<object>([...calls, ...foreign]);
    made = made.filter((call) => !old.has(call));
    ofOthers = ofOthers.filter((one) => !old.has(one));
    if (pausedUntil === pausedUntilMs) pausedUntil = 0;
    place(before.records, platformMs());
    if (isToRewrite) rewrite();
  };

  const mayProbe = (): boolean => unplaced?.mayProbe(platformMs(), clock.elapsedMs(), allowance) === true;

  /** Calls made while `work` runs are polls. */
  const poll = <T>(work: () => Promise<T>): Promise<T> => {
    polling += 1;
    return work().finally(() => {
      polling -= 1;
    });
  };

  /** Reserves one call until the returned function is called, so that the last call is used only once. */
  const hold = (): (() => void) => {
    open += 1;
    return () => {
      open -= 1;
    };
  };

  /**
   * The platform answered 429: pauses all calls; true if the previous call worked. Calls that this bridge did
   * not count were made by other programs.
   */
  const refused = (failure: CallFailure, random = Math.random()): boolean => {
    const nowMs = clock.elapsedMs();
    // A call sent together with the first refused one is not a second try.
    if (pausedForMs() === 0) refusals += 1;
    const isNew = refusals === 1 && pausedForMs() === 0;
    const clocks = { oursMs: clock.now(), platformMs: platformMs() };
    const { window, pauseMs } = rateLimitOf(failure, clocks, Math.max(1, refusals), random);
    const untilMs = nowMs + pauseMs;
    const calls = allowance.per_day - used().per_day;
    if (window === 'day' && calls > 0) fill({ kind: 'foreign', at: nowMs, until: untilMs, calls }, isNew);
    if (untilMs > pausedUntil) {
      pausedUntil = untilMs;
      keep(onWall({ kind: 'pause', until: untilMs, at: nowMs }, wallMs));
    }
    return isNew;
  };

  /** The platform reported its daily limit. A limit below the reserve would stop all reads and is ignored. */
  const allow = (perDay: number): void => {
    if (perDay > allowance.reserve_for_commands) allowance = { ...allowance, per_day: perDay };
  };

  /** A call worked; true if it is the first after a 429. */
  const worked = (): boolean => {
    const wasRefused = refusals > 0;
    refusals = 0;
    return wasRefused;
  };

  /** How long the platform still refuses all calls (milliseconds); 0 if it does not. */
  const pausedForMs = (): number => (mayProbe() ? 0 : Math.max(0, pausedUntil - clock.elapsedMs()));

  /** The calls in the windows, including those of others that filled the day. */
  const used = (): Windows => {
    forget();
    return { per_10_minutes: lately(TEN_MINUTES_MS), per_day: made.length + foreign() };
  };

  /** How many calls may be made now; 0 while the platform refuses them. */
  const left = (): Windows => {
    const { per_10_minutes, per_day } = used();
    return {
      per_10_minutes: pausedForMs() > 0 ? 0 : Math.max(0, allowance.per_10_minutes - per_10_minutes),
      per_day: Math.max(0, allowance.per_day - per_day),
    };
  };

  /** The calls of the last 24 hours by cause; `others`: other programs with this account. */
  const causes = (): Readonly<Partial<Record<CallCause | 'others', number>>> => {
    forget();
    const counts: Partial<Record<CallCause | 'others', number>> = {};
    for (const { cause } of made) counts[cause] = (counts[cause] ?? 0) + 1;
    const others = foreign();
    return others > 0 ? { ...counts, others } : counts;
  };

  /** True if a read leaves the command reserve untouched. */
  const mayRead = (): boolean => {
    const { per_10_minutes, per_day } = left();
    const isFree =
      per_10_minutes - open > allowance.per_10_minutes - readsOfTen(allowance) && per_day - open > allowance.reserve_for_commands;
    return isFree || mayProbe();
  };

  /** True if a command, or a read for it, may be sent, even from the reserve. */
  const mayCommand = (): boolean => commandWaitMs() === 0;

  /**
   * True if a permitted call may be repeated, for example with a renewed token; a command counts its reserved
   * call. A poll or a read of events must leave the reserve untouched here too.
   */
  const mayRepeat = (kind: string): boolean => {
    if (kind === 'events' || (kind !== 'command' && polling > 0)) return mayRead();
    return waitMs(Math.max(0, open - (kind === 'command' ? 1 : 0))) === 0;
  };

  /** Estimated wait before a command (`calls` = 2: and a read before it) may be sent; 0 if now. */
  const commandWaitMs = (calls = 1): number => waitMs(open + calls - 1);

  const waitMs = (held: number): number => {
    forget();
    if (mayProbe()) return 0;
    const { per_day, per_10_minutes } = allowance;
    return Math.max(pausedForMs(), opensMs(DAY_MS, per_day - held), opensMs(TEN_MINUTES_MS, per_10_minutes - held));
  };

  /** The current polling pace. */
  const plan = (reads: number, wantedSeconds: number): Plan => {
    forget();
    const day = made.length;
    const leaving = HORIZONS_H.map((hours) => day - lately(DAY_MS - hours * HOUR_MS));
    const others = made.filter(({ poll }) => !poll).length;
    const spent = { hour: lately(HOUR_MS), day, otherDay: others + expectedOfOthers(ofOthers, clock.elapsedMs()), leaving };
    return planPolling(allowance, spent, reads, wantedSeconds);
  };

  /** When the last call was made (`Clock.elapsedMs`), by this run or an earlier one. */
  const lastCallMs = (): number | undefined => {
    const last = made.at(-1)?.at;
    return last === undefined ? undefined : (unplaced?.lastCallMs(platformMs(), clock.elapsedMs()) ?? last);
  };

  /** Time until a window of this size has room: 0 if now, else when its oldest call leaves it. */
  const opensMs = (lengthMs: number, most: number): number => {
    const count = lately(lengthMs);
    if (count < most) return 0;
    const oldest = made[made.length - count];
    // With no counted call, only calls in progress fill the window.
    return oldest ? Math.max(1, oldest.at + lengthMs - clock.elapsedMs()) : 1000;
  };

  /** Other programs filled the daily window; if this is not new, these are the same calls. */
  const fill = (came: Foreign, isNew: boolean): void => {
    const last = isNew ? undefined : ofOthers.at(-1);
    const now = last ? { ...last, until: came.until, calls: Math.max(last.calls, came.calls) } : came;
    if (last) ofOthers = ofOthers.filter((one) => one !== last);
    ofOthers.push(now);
    keep(onWall(now, wallMs));
  };

  const foreign = (): number => ofOthers.reduce((sum, { until, calls }) => (until > clock.elapsedMs() ? sum + calls : sum), 0);

  /** The calls within the last `lengthMs` milliseconds. */
  const lately = (lengthMs: number): number => made.length - firstAfter(made, clock.elapsedMs() - lengthMs);

  const forget = (): void => {
    const nowMs = clock.elapsedMs();
    if (ofOthers.length > 0) ofOthers = ofOthers.filter(({ at }) => at > nowMs - FOREIGN_COUNTS_MS);
    made.splice(0, firstAfter(made, nowMs - DAY_MS));
  };

  const keep = (line: CallRecord): void => {
    // After the machine's clock was set, the times on disk follow the old clock.
    if (hasJumped() && !unplaced) rewrite();
    else memory.append(line);
  };

  const hasJumped = (): boolean => Math.abs(platformMs() - clock.elapsedMs() - wallMs) > JUMP_MS;

  const rewrite = (): void => {
    wallMs = platformMs() - clock.elapsedMs();
    memory.rewrite(lines());
  };

  const lines = (): readonly CallRecord[] =>
    recordsOf({ calls: made, foreign: ofOthers, pausedUntilMs: pausedUntil }, wallMs, clock.elapsedMs());

  let wallMs = platformMs() - clock.elapsedMs();
  const { kept, lost } = memory;
  const last = Math.max(0, ...kept.map(({ at }) => at ?? 0));
  if (kept.length > 0 || lost > 0) unplaced = unplacedCalls(kept, last, clock.elapsedMs(), place(kept, last));
  for (let n = 0; n < lost; n += 1) made.push({ kind: 'call', at: clock.elapsedMs(), poll: false, cause: 'earlier' });
  /** Wrong times would be read again at each start; lost calls are written once the time is known. */
  const isToRewrite = lost > 0 || kept.some(({ at }) => (at ?? 0) > platformMs());
  settle();
  memory.holds(lines);

  return {
    /** The platform client's callbacks for each call that the platform counts. */
    calls: {
      onCall: (kind: string): void => count(polling > 0, CAUSES[kind]),
      mayRepeat,
      onClock: (offsetMs: number): void => {
        platformZeroMs = clock.now() + offsetMs - clock.elapsedMs();
        isClockKnown = true;
        settle();
        if (hasJumped() && !unplaced) rewrite();
      },
    },
    /** The calls allowed in 24 hours. */
    get perDay(): number {
      return allowance.per_day;
    },
    ...{ count, platformMs, knownMs, poll, hold, refused, allow, worked, pausedForMs, used, left, causes },
    ...{ mayRead, mayCommand, commandWaitMs, plan, lastCallMs },
  };
};

export type RateLimiter = ReturnType<typeof rateLimiter>;
