import { type Clock, systemClock } from '../../shared/clock.ts';
import type { CallCause, CallFailure, CallHistory, CallRecord } from '../ports.ts';
import { type Allowance, DAY_MS, HORIZONS_H, HOUR_MS, type Plan, planPolling, readsOfTen, TEN_MINUTES_MS } from './pollBudget.ts';
import { rateLimitOf } from './rateLimitResponse.ts';

type Call = { readonly atMs: number; readonly poll: boolean; readonly cause: CallCause };
/** Calls that other programs made with this account: they fill a window until the platform opens the next. */
type Foreign = { readonly atMs: number; readonly untilMs: number; readonly window: 'day' | 'ten'; readonly calls: number };
/** By the platform client's word for a call that is no poll; others are reads. */
const CAUSES: Readonly<Record<string, CallCause>> = { command: 'command', discovery: 'discovery', identity: 'identity' };
type Windows = { readonly per_10_minutes: number; readonly per_day: number };

/** What others spent in a day is expected of them again, each day half as much, for so long. */
const FOREIGN_COUNTS_MS = 7 * DAY_MS;
/** One day on which the window was full says nothing of the next; two that lie at least so far apart do. */
const ANOTHER_DAY_MS = DAY_MS / 2;
/** The machine's clock was set where it differs by more than this from what elapsed. */
const JUMP_MS = 2000;

const NOTHING_KEPT: CallHistory = { kept: [], lost: 0, append: () => undefined, rewrite: () => undefined };

/** The one owner of all calls: counts them in sliding windows, in memory by a clock that cannot jump and on disk by the wall's. */
export class RateLimiter {
  /** What the platform client reports and asks for each call that the platform counts. */
  readonly calls = {
    onCall: (kind = 'read'): void => this.count(this.#clock.elapsedMs(), this.#polling > 0, CAUSES[kind]),
    mayRepeat: (kind: string): boolean => this.#mayRepeat(this.#clock.elapsedMs(), kind === 'command'),
  };
  readonly #allowance: Allowance;
  readonly #clock: Pick<Clock, 'now' | 'elapsedMs'>;
  readonly #memory: CallHistory;
  readonly #platformOffsetMs: () => number;
  #calls: Call[] = [];
  #foreign: Foreign[] = [];
  #pausedUntilMs = 0;
  /** Calls refused (429) since the last one that worked. */
  #refusals = 0;
  #polling = 0;
  #open = 0;
  #wallMs: number;

  /** `platformOffsetMs`: the platform's clock minus ours. */
  constructor(
    allowance: Allowance,
    clock: Pick<Clock, 'now' | 'elapsedMs'> = systemClock,
    memory: CallHistory = NOTHING_KEPT,
    platformOffsetMs: () => number = () => 0,
  ) {
    this.#allowance = allowance;
    this.#clock = clock;
    this.#memory = memory;
    this.#platformOffsetMs = platformOffsetMs;
    this.#wallMs = clock.now() - clock.elapsedMs();
    for (const line of memory.kept) this.#recall(line);
    for (let lost = 0; lost < memory.lost; lost += 1) this.#calls.push({ atMs: clock.elapsedMs(), poll: false, cause: 'earlier' });
    this.#calls.sort((a, b) => a.atMs - b.atMs);
    // What was written while the clock was wrong would be read anew at each start.
    if (memory.lost > 0 || memory.kept.some(({ at }) => at > clock.now())) this.#rewrite();
  }

  /** A call goes out at `atMs` (`Clock.elapsedMs`), within `poll` or not. */
  count(atMs: number, poll = this.#polling > 0, cause: CallCause = poll ? 'poll' : 'confirm'): void {
    this.#calls.push({ atMs, poll, cause });
    this.#keep({ kind: 'call', at: this.#toWall(atMs), poll, cause });
  }

  /** Calls that go out while `work` is under way are polls. */
  async poll<T>(work: () => Promise<T>): Promise<T> {
    this.#polling += 1;
    try {
      return await work();
    } finally {
      this.#polling -= 1;
    }
  }

  /** Holds one call for `work` until it has ended, so that the last call is not given out twice. */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await work();
    } finally {
      this.#open -= 1;
    }
  }

  /**
   * The platform answered 429: nothing goes out for a while; true where the last call before had worked. Calls that this bridge did not
   * count were made by other programs.
   */
  refused(failure: CallFailure, nowMs: number, random = Math.random()): boolean {
    // A call that was on its way together with the first refused one is no second try.
    if (this.pausedForMs(nowMs) === 0) this.#refusals += 1;
    const isNew = this.#refusals === 1 && this.pausedForMs(nowMs) === 0;
    const oursMs = this.#clock.now();
    const clocks = { oursMs, platformMs: oursMs + this.#platformOffsetMs() };
    const { window, pauseMs } = rateLimitOf(failure, clocks, Math.max(1, this.#refusals), random);
    const untilMs = nowMs + pauseMs;
    const size = window === 'day' ? this.#allowance.per_day : this.#allowance.per_10_minutes;
    const used = this.used(nowMs);
    const calls = size - (window === 'day' ? used.per_day : used.per_10_minutes);
    if (calls > 0) this.#fill({ atMs: nowMs, untilMs, window, calls }, isNew);
    if (untilMs > this.#pausedUntilMs) {
      this.#pausedUntilMs = untilMs;
      this.#keep(this.#pauseLine(nowMs));
    }
    return isNew;
  }

  /** A call worked; true where it is the first one after a 429. */
  worked(): boolean {
    const wasRefused = this.#refusals > 0;
    this.#refusals = 0;
    return wasRefused;
  }

  /** The pace at which calls would just use up the allowance of a day. */
  get carriesEveryMs(): number {
    return DAY_MS / this.#allowance.per_day;
  }

  pausedForMs(nowMs: number): number {
    return Math.max(0, this.#pausedUntilMs - nowMs);
  }

  used(nowMs: number): Windows {
    this.#forget(nowMs);
    return {
      per_10_minutes: this.#since(nowMs - TEN_MINUTES_MS) + this.#foreignAt(nowMs, 'ten'),
      per_day: this.#calls.length + this.#foreignAt(nowMs),
    };
  }

  left(nowMs: number): Windows {
    const used = this.used(nowMs);
    return {
      per_10_minutes: Math.max(0, this.#allowance.per_10_minutes - used.per_10_minutes),
      per_day: Math.max(0, this.#allowance.per_day - used.per_day),
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
    return (
      this.pausedForMs(nowMs) === 0 &&
      left.per_10_minutes - this.#open > this.#allowance.per_10_minutes - readsOfTen(this.#allowance) &&
      left.per_day - this.#open > this.#allowance.reserve_for_commands
    );
  }

  /** True where a command, or a read that one needs, may go out: also from the reserve. */
  mayCommand(nowMs: number): boolean {
    return this.commandWaitMs(nowMs) === 0;
  }

  /**
   * True where a call that was let go may be made once more, as after a renewed token; for a command, with the call that it holds. A poll
   * leaves the reserve untouched here too.
   */
  #mayRepeat(nowMs: number, isCommand: boolean): boolean {
    if (!isCommand && this.#polling > 0) return this.mayRead(nowMs);
    return this.#waitMs(nowMs, Math.max(0, this.#open - (isCommand ? 1 : 0))) === 0;
  }

  /** How long until a command may go out, with a read before it where `calls` is 2, as far as is known; 0 where it may now. */
  commandWaitMs(nowMs: number, calls = 1): number {
    return this.#waitMs(nowMs, this.#open + calls - 1);
  }

  #waitMs(nowMs: number, open: number): number {
    const left = this.left(nowMs);
    const day = left.per_day > open ? 0 : this.#opensMs(DAY_MS, 'day', nowMs);
    const ten = left.per_10_minutes > open ? 0 : this.#opensMs(TEN_MINUTES_MS, 'ten', nowMs);
    return Math.max(this.pausedForMs(nowMs), day, ten);
  }

  /** The pace of polling as things stand. */
  plan(nowMs: number, reads: number, wantedSeconds: number): Plan {
    const { per_day: day } = this.used(nowMs);
    const expected = ({ atMs, calls }: Foreign): number => Math.round(calls * 0.5 ** ((nowMs - atMs) / DAY_MS));
    const full = this.#foreign.filter(({ window }) => window === 'day');
    const isUsual = full.some((one) => full.some((other) => other.atMs - one.atMs >= ANOTHER_DAY_MS));
    const foreign = isUsual ? Math.max(...full.map(expected)) : 0;
    const leaving = HORIZONS_H.map(
      (hours) => day - this.#since(nowMs - DAY_MS + hours * HOUR_MS) - this.#foreignAt(nowMs + hours * HOUR_MS),
    );
    const others = this.#calls.filter(({ poll }) => !poll).length;
    const spent = { hour: this.#since(nowMs - HOUR_MS), day, otherDay: others + foreign, leaving };
    return planPolling(this.#allowance, spent, reads, wantedSeconds);
  }

  /** When the last call went out (`Clock.elapsedMs`), also one of an earlier run. */
  lastCallMs(): number | undefined {
    return this.#calls.at(-1)?.atMs;
  }

  /** When a full window has room again: its oldest call leaves it, or others' calls do. */
  #opensMs(lengthMs: number, window: Foreign['window'], nowMs: number): number {
    const oldest = this.#calls[this.#firstAfter(nowMs - lengthMs)];
    const moments = this.#foreign.filter((one) => one.window === window && one.untilMs > nowMs).map(({ untilMs }) => untilMs);
    if (oldest) moments.push(oldest.atMs + lengthMs);
    // With nothing counted the window is only held by calls that are under way.
    return moments.length === 0 ? 1000 : Math.max(1, Math.min(...moments) - nowMs);
  }

  /** Others have filled a window; where that is not new, it is still the same calls. */
  #fill(foreign: Foreign, isNew: boolean): void {
    const last = isNew ? undefined : this.#foreign.findLast(({ window }) => window === foreign.window);
    const now = last ? { ...last, untilMs: foreign.untilMs, calls: Math.max(last.calls, foreign.calls) } : foreign;
    if (last) this.#foreign = this.#foreign.filter((one) => one !== last);
    this.#foreign.push(now);
    this.#keep(this.#foreignLine(now));
  }

  #foreignAt(ms: number, window: Foreign['window'] = 'day'): number {
    return this.#foreign.reduce((sum, one) => (one.window === window && one.untilMs > ms ? sum + one.calls : sum), 0);
  }

  /** The index of the first call after this moment. The calls are in order, and there are many of them. */
  #firstAfter(ms: number): number {
    let [low, high] = [0, this.#calls.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#calls[middle]?.atMs ?? 0) > ms) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #since(fromMs: number): number {
    return this.#calls.length - this.#firstAfter(fromMs);
  }

  #forget(nowMs: number): void {
    if (this.#foreign.length > 0) this.#foreign = this.#foreign.filter(({ atMs }) => atMs > nowMs - FOREIGN_COUNTS_MS);
    this.#calls.splice(0, this.#firstAfter(nowMs - DAY_MS));
  }

  #recall(line: CallRecord): void {
    const now = this.#clock.elapsedMs();
    // What seems to lie ahead was written while the clock was wrong: the worst is that it was just now.
    const past = (at: number): number => Math.min(now, at - this.#wallMs);
    const ahead = (until: number, at: number): number => Math.min(now + Math.max(0, until - at), until - this.#wallMs);
    if (line.kind === 'call') {
      const call: Call = { atMs: past(line.at), poll: line.poll, cause: line.cause };
      if (call.atMs > now - DAY_MS) this.#calls.push(call);
    } else if (line.kind === 'pause') this.#pausedUntilMs = Math.max(this.#pausedUntilMs, ahead(line.until, line.at));
    else {
      const foreign = { atMs: past(line.at), untilMs: ahead(line.until, line.at), window: line.window, calls: line.calls };
      // A later line of the same calls takes the place of the one before.
      this.#foreign = this.#foreign.filter((one) => one.window !== foreign.window || one.atMs !== foreign.atMs);
      if (foreign.atMs > now - FOREIGN_COUNTS_MS) this.#foreign.push(foreign);
    }
  }

  #keep(line: CallRecord): void {
    const jumped = Math.abs(this.#clock.now() - this.#clock.elapsedMs() - this.#wallMs) > JUMP_MS;
    // After the machine's clock was set, the instants on disk are those of the old one.
    if (jumped) this.#rewrite();
    else this.#memory.append(line);
  }

  #rewrite(): void {
    this.#wallMs = this.#clock.now() - this.#clock.elapsedMs();
    const lines: CallRecord[] = this.#calls.map(({ atMs, poll, cause }) => ({ kind: 'call', at: this.#toWall(atMs), poll, cause }));
    lines.push(...this.#foreign.map((foreign) => this.#foreignLine(foreign)));
    const now = this.#clock.elapsedMs();
    if (this.#pausedUntilMs > now) lines.push(this.#pauseLine(now));
    this.#memory.rewrite(lines);
  }

  #pauseLine(nowMs: number): CallRecord {
    return { kind: 'pause', until: this.#toWall(this.#pausedUntilMs), at: this.#toWall(nowMs) };
  }

  #foreignLine({ atMs, untilMs, window, calls }: Foreign): CallRecord {
    return { kind: 'foreign', at: this.#toWall(atMs), until: this.#toWall(untilMs), window, calls };
  }

  #toWall(atMs: number): number {
    return Math.round(atMs + this.#wallMs);
  }
}
