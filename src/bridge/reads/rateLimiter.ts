import { type Clock, DAY_MS, HOUR_MS, systemClock } from '../../shared/clock.ts';
import type { CallCause, CallFailure, CallHistory, CallRecord } from '../ports.ts';
import { type Allowance, HORIZONS_H, type Plan, planPolling, readsOfTen, TEN_MINUTES_MS } from './pollBudget.ts';
import { rateLimitOf } from './rateLimitResponse.ts';
import {
  type Call,
  callRecord,
  expectedOfOthers,
  FOREIGN_COUNTS_MS,
  type Foreign,
  firstAfter,
  foreignRecord,
  pauseRecord,
  placed,
  type Recalled,
  recordsOf,
  unplacedCalls,
} from './recalledCalls.ts';

/** By the platform client's word for a call that is no poll; others are reads. */
const CAUSES: Readonly<Record<string, CallCause>> = { command: 'command', discovery: 'discovery', identity: 'identity', events: 'events' };
type Windows = { readonly per_10_minutes: number; readonly per_day: number };

/** The machine's clock was set where it differs by more than this from what elapsed. */
const JUMP_MS = 2000;

const NOTHING_KEPT: CallHistory = { kept: [], lost: 0, append: () => undefined, rewrite: () => undefined };

/** The one owner of all calls: counts them in sliding windows, in memory by a clock that cannot jump and on disk by the wall's. */
export class RateLimiter {
  /** What the platform client reports and asks for each call that the platform counts. */
  readonly calls = {
    onCall: (kind = 'read'): void => this.count(this.#clock.elapsedMs(), this.#polling > 0, CAUSES[kind]),
    mayRepeat: (kind: string): boolean => this.#mayRepeat(this.#clock.elapsedMs(), kind),
    onClock: (offsetMs: number): void => {
      this.#platformZeroMs = this.#clock.now() + offsetMs - this.#clock.elapsedMs();
      this.#isClockKnown = true;
      this.#settle();
      if (this.#hasJumped && !this.#unplaced) this.#rewrite();
    },
  };
  #allowance: Allowance;
  readonly #clock: Pick<Clock, 'now' | 'elapsedMs'>;
  readonly #memory: CallHistory;
  #calls: Call[] = [];
  #foreign: Foreign[] = [];
  #pausedUntilMs = 0;
  /** Calls refused (429) since the last one that worked. */
  #refusals = 0;
  #polling = 0;
  #open = 0;
  #wallMs: number;
  /** What the platform's clock showed at the begin of this run, by its last answer, however ours was set since; undefined before the first one. */
  #platformZeroMs: number | undefined;
  #isClockKnown: boolean;
  #unplaced: ReturnType<typeof unplacedCalls> | undefined;
  /** What was written while the clock was wrong would be read anew at each start. */
  #isToRewrite = false;

  /** `isClockRight`: no answer of the platform is needed to know how much time has passed since the run before. */
  constructor(allowance: Allowance, clock: Pick<Clock, 'now' | 'elapsedMs'> = systemClock, memory = NOTHING_KEPT, isClockRight = true) {
    this.#allowance = allowance;
    this.#clock = clock;
    this.#memory = memory;
    this.#isClockKnown = isClockRight;
    this.#wallMs = this.platformMs() - clock.elapsedMs();
    const [nowMs, records] = [clock.elapsedMs(), memory.kept];
    const last = Math.max(...records.map(({ at }) => at ?? 0));
    if (records.length > 0) this.#unplaced = unplacedCalls(records, last, nowMs, this.#place(records, last));
    for (let lost = 0; lost < memory.lost; lost += 1) this.#calls.push({ atMs: nowMs, poll: false, cause: 'earlier' });
    this.#isToRewrite = memory.lost > 0 || records.some(({ at }) => (at ?? 0) > this.platformMs());
    if (!this.#unplaced && this.#isToRewrite) this.#rewrite();
    this.#settle();
  }

  /** A call goes out at `atMs` (`Clock.elapsedMs`), within `poll` or not. */
  count(atMs: number, poll = this.#polling > 0, cause: CallCause = poll ? 'poll' : 'confirm'): void {
    this.#calls.push({ atMs, poll, cause });
    this.#unplaced?.called();
    this.#keep(callRecord({ atMs, poll, cause }, this.#unplaced?.wallMs(this.#wallMs, atMs) ?? this.#wallMs));
  }

  /** The time as the platform has it, as far as that is known (epoch milliseconds). */
  platformMs(): number {
    return this.#platformZeroMs === undefined ? this.#clock.now() : this.#platformZeroMs + this.#clock.elapsedMs();
  }

  /** As `platformMs`, by the platform alone: undefined until an answer of it in this run has told the time. */
  knownMs(): number | undefined {
    return this.#isClockKnown ? this.platformMs() : undefined;
  }

  #place(records: readonly CallRecord[], wallMs: number): Recalled {
    const recalled = placed(records, wallMs, this.#clock.elapsedMs());
    this.#calls = [...recalled.calls, ...this.#calls].sort((a, b) => a.atMs - b.atMs);
    this.#foreign = [...recalled.foreign, ...this.#foreign];
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, recalled.pausedUntilMs);
    return recalled;
  }

  /** An answer of the platform has said what time it is: what earlier runs kept finds its place. */
  #settle(): void {
    const unplaced = this.#unplaced;
    if (!unplaced || !this.#isClockKnown) return;
    this.#unplaced = undefined;
    const { calls, foreign, pausedUntilMs } = unplaced.meanwhile;
    const old = new Set<object>([...calls, ...foreign]);
    this.#calls = this.#calls.filter((call) => !old.has(call));
    this.#foreign = this.#foreign.filter((one) => !old.has(one));
    if (this.#pausedUntilMs === pausedUntilMs) this.#pausedUntilMs = 0;
    this.#place(unplaced.records, this.platformMs());
    if (this.#isToRewrite) this.#rewrite();
  }

  get #mayProbe(): boolean {
    return this.#unplaced?.mayProbe(this.platformMs(), this.#clock.elapsedMs(), this.#allowance) === true;
  }

  /** Calls that go out while `work` is under way are polls. */
  poll<T>(work: () => Promise<T>): Promise<T> {
    this.#polling += 1;
    return work().finally(() => {
      this.#polling -= 1;
    });
  }

  /** Holds one call until what this gives is called, so that the last call is not given out twice. */
  hold(): () => void {
    this.#open += 1;
    return () => {
      this.#open -= 1;
    };
  }

  /**
   * The platform answered 429: nothing goes out for a while; true where the last call before had worked. Calls that this bridge did not
   * count were made by other programs.
   */
  refused(failure: CallFailure, nowMs: number, random = Math.random()): boolean {
    // A call that was on its way together with the first refused one is no second try.
    if (this.pausedForMs(nowMs) === 0) this.#refusals += 1;
    const isNew = this.#refusals === 1 && this.pausedForMs(nowMs) === 0;
    const clocks = { oursMs: this.#clock.now(), platformMs: this.platformMs() };
    const { window, pauseMs } = rateLimitOf(failure, clocks, Math.max(1, this.#refusals), random);
    const untilMs = nowMs + pauseMs;
    const calls = this.#allowance.per_day - this.used(nowMs).per_day;
    if (window === 'day' && calls > 0) this.#fill({ atMs: nowMs, untilMs, calls }, isNew);
    if (untilMs > this.#pausedUntilMs) {
      this.#pausedUntilMs = untilMs;
      this.#keep(pauseRecord(untilMs, nowMs, this.#wallMs));
    }
    return isNew;
  }

  /** The platform has told its limit of a day. One below the reserve would end all reads: it is not believed. */
  allow(perDay: number): void {
    if (perDay > this.#allowance.reserve_for_commands) this.#allowance = { ...this.#allowance, per_day: perDay };
  }

  /** A call worked; true where it is the first one after a 429. */
  worked(): boolean {
    const wasRefused = this.#refusals > 0;
    this.#refusals = 0;
    return wasRefused;
  }

  /** The calls that the platform allows in 24 hours. */
  get perDay(): number {
    return this.#allowance.per_day;
  }

  pausedForMs(nowMs: number): number {
    if (this.#mayProbe) return 0;
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  /** The calls in the windows, with those of others that have filled the day. */
  used(nowMs: number): Windows {
    this.#forget(nowMs);
    return { per_10_minutes: this.#since(nowMs - TEN_MINUTES_MS), per_day: this.#calls.length + this.#foreignAt(nowMs) };
  }

  /** How many calls may go out now; none while the platform refuses them. */
  left(nowMs: number): Windows {
    const { per_10_minutes, per_day } = this.used(nowMs);
    const isPaused = this.pausedForMs(nowMs) > 0;
    return {
      per_10_minutes: isPaused ? 0 : Math.max(0, this.#allowance.per_10_minutes - per_10_minutes),
      per_day: Math.max(0, this.#allowance.per_day - per_day),
    };
  }

  /** The calls of the last 24 hours by what they were for; `others` are those of other programs with this account. */
  causes(nowMs: number): Readonly<Partial<Record<CallCause | 'others', number>>> {
    this.#forget(nowMs);
    const counts: Partial<Record<CallCause | 'others', number>> = {};
    for (const { cause } of this.#calls) counts[cause] = (counts[cause] ?? 0) + 1;
    const others = this.#foreignAt(nowMs);
    return others > 0 ? { ...counts, others } : counts;
  }

  /** True where a read would leave the reserve for commands untouched. */
  mayRead(nowMs: number): boolean {
    const left = this.left(nowMs);
    const isFree =
      left.per_10_minutes - this.#open > this.#allowance.per_10_minutes - readsOfTen(this.#allowance) &&
      left.per_day - this.#open > this.#allowance.reserve_for_commands;
    return isFree || this.#mayProbe;
  }

  /** True where a command, or a read that one needs, may go out: also from the reserve. */
  mayCommand(nowMs: number): boolean {
    return this.commandWaitMs(nowMs) === 0;
  }

  /**
   * True where a call that was let go may be made once more, as after a renewed token; for a command, with the call that it holds. A poll
   * or a read of events leaves the reserve untouched here too.
   */
  #mayRepeat(nowMs: number, kind: string): boolean {
    if (kind === 'events' || (kind !== 'command' && this.#polling > 0)) return this.mayRead(nowMs);
    return this.#waitMs(nowMs, Math.max(0, this.#open - (kind === 'command' ? 1 : 0))) === 0;
  }

  /** How long until a command may go out, with a read before it where `calls` is 2, as far as is known; 0 where it may now. */
  commandWaitMs(nowMs: number, calls = 1): number {
    return this.#waitMs(nowMs, this.#open + calls - 1);
  }

  #waitMs(nowMs: number, open: number): number {
    this.#forget(nowMs);
    if (this.#mayProbe) return 0;
    const { per_day, per_10_minutes } = this.#allowance;
    const day = this.#opensMs(DAY_MS, per_day - open, nowMs);
    const ten = this.#opensMs(TEN_MINUTES_MS, per_10_minutes - open, nowMs);
    return Math.max(this.pausedForMs(nowMs), day, ten);
  }

  /** The pace of polling as things stand. */
  plan(nowMs: number, reads: number, wantedSeconds: number): Plan {
    this.#forget(nowMs);
    const day = this.#calls.length;
    const leaving = HORIZONS_H.map((hours) => day - this.#since(nowMs - DAY_MS + hours * HOUR_MS));
    const others = this.#calls.filter(({ poll }) => !poll).length;
    const spent = { hour: this.#since(nowMs - HOUR_MS), day, otherDay: others + expectedOfOthers(this.#foreign, nowMs), leaving };
    return planPolling(this.#allowance, spent, reads, wantedSeconds);
  }

  /** When the last call went out (`Clock.elapsedMs`), also one of an earlier run. */
  lastCallMs(): number | undefined {
    const last = this.#calls.at(-1)?.atMs;
    return last === undefined ? undefined : (this.#unplaced?.lastCallMs(this.platformMs(), this.#clock.elapsedMs()) ?? last);
  }

  /** How long until a window that takes so many calls has room: 0 where it has now, else its oldest call has to leave it. */
  #opensMs(lengthMs: number, most: number, nowMs: number): number {
    if (this.#since(nowMs - lengthMs) < most) return 0;
    const oldest = this.#calls[firstAfter(this.#calls, nowMs - lengthMs)];
    // With nothing counted the window is only held by calls that are under way.
    return oldest ? Math.max(1, oldest.atMs + lengthMs - nowMs) : 1000;
  }

  /** Others have filled the window of the day; where that is not new, it is still the same calls. */
  #fill(foreign: Foreign, isNew: boolean): void {
    const last = isNew ? undefined : this.#foreign.at(-1);
    const now = last ? { ...last, untilMs: foreign.untilMs, calls: Math.max(last.calls, foreign.calls) } : foreign;
    if (last) this.#foreign = this.#foreign.filter((one) => one !== last);
    this.#foreign.push(now);
    this.#keep(foreignRecord(now, this.#wallMs));
  }

  #foreignAt(ms: number): number {
    return this.#foreign.reduce((sum, { untilMs, calls }) => (untilMs > ms ? sum + calls : sum), 0);
  }

  #since(fromMs: number): number {
    return this.#calls.length - firstAfter(this.#calls, fromMs);
  }

  #forget(nowMs: number): void {
    if (this.#foreign.length > 0) this.#foreign = this.#foreign.filter(({ atMs }) => atMs > nowMs - FOREIGN_COUNTS_MS);
    this.#calls.splice(0, firstAfter(this.#calls, nowMs - DAY_MS));
  }

  #keep(line: CallRecord): void {
    // After the machine's clock was set, the instants on disk are those of the old one.
    if (this.#hasJumped && !this.#unplaced) this.#rewrite();
    else this.#memory.append(line);
  }

  get #hasJumped(): boolean {
    return Math.abs(this.platformMs() - this.#clock.elapsedMs() - this.#wallMs) > JUMP_MS;
  }

  #rewrite(): void {
    this.#wallMs = this.platformMs() - this.#clock.elapsedMs();
    const all = { calls: this.#calls, foreign: this.#foreign, pausedUntilMs: this.#pausedUntilMs };
    this.#memory.rewrite(recordsOf(all, this.#wallMs, this.#clock.elapsedMs()));
  }
}
