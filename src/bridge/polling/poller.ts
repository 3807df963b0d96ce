import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { deviceKey } from '../devices/deviceState.ts';
import type { Plan } from '../quota/pollBudget.ts';
import type { RateLimiter } from '../quota/rateLimiter.ts';
import { CircuitBreaker } from './circuitBreaker.ts';
import type { FeatureReader } from './featureReader.ts';
import { devicesOf, type ReadTarget, readKey } from './readTarget.ts';
import { backOffMs } from './retryPolicy.ts';

export type PollSettings = { readonly seconds: 'auto' | number; readonly jitter: number };

const SHORTEST_AUTO_S = 60;
/** How often a poller that may not read now looks whether it may again. */
const WAIT_FOR_QUOTA_MS = 5000;
/** A long interval is no reason to learn late that an outage is over: probes begin at most this far apart. */
const FIRST_PROBE_MS = 15_000;

/** However large the allowance, a read is asked for by hand at most so often. */
const ASKED_APART_MS = 60_000;

/**
 * `failures`: how often it failed in a row; `tried`: since the start; `isAsked`: it does not wait for the pace; `askedMs`: when it was last
 * asked for by `bridge/poll/set`.
 */
type ScheduledRead = { read: ReadTarget; dueMs: number; failures: number; tried: boolean; isAsked: boolean; askedMs?: number };

const NEW = { failures: 0, tried: false, isAsked: false };

/** What became of a poll that was asked for: `lately` where every read of it was asked for a moment ago, `nothing` where there is none. */
export type AskResult = { readonly kind: 'due' | 'nothing' } | { readonly kind: 'lately'; readonly againMs: number };

/** Reads everything chosen round and round, spread over the interval, within the allowance. */
export class Poller {
  #reads: readonly ScheduledRead[];
  readonly #settings: PollSettings;
  readonly #reader: FeatureReader;
  readonly #quota: RateLimiter;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #breaker = new CircuitBreaker();
  /** Not before then the next read goes, however many are due. */
  #paceMs = 0;
  #toldStretched = false;
  #firstRound = true;
  #wake = new AbortController();

  constructor(
    reads: readonly ReadTarget[],
    settings: PollSettings,
    reader: FeatureReader,
    quota: RateLimiter,
    clock: Clock,
    log: Log,
    lastReadMs: (read: ReadTarget) => number | undefined = () => undefined,
  ) {
    this.#reader = reader;
    this.#quota = quota;
    this.#clock = clock;
    this.#log = log;
    this.#settings = settings;
    const now = clock.elapsedMs();
    this.#reads = reads.map((read) => ({ ...NEW, read, dueMs: now }));
    const { roundSeconds, gapMs } = this.#plan();
    for (const slot of this.#reads) {
      slot.dueMs = Math.max(now, (lastReadMs(slot.read) ?? Number.NEGATIVE_INFINITY) + roundSeconds * 1000);
      // What an earlier run has read lately belongs to no first round.
      slot.tried = slot.dueMs > now;
    }
    // Where restarts have used up what is meant for first rounds, this one goes on in the pace of the last run.
    this.#paceMs = (quota.lastCallMs() ?? Number.NEGATIVE_INFINITY) + gapMs;
  }

  /** The interval in force and the time from one read to the next, in seconds, and why they are these. */
  get interval(): { readonly seconds: number; readonly gapSeconds: number; readonly reason: string } {
    const { roundSeconds, gapMs, reason } = this.#plan();
    return { seconds: roundSeconds, gapSeconds: gapMs / 1000, reason };
  }

  /** Other reads from now on: those that stay keep their time, new ones and those that show a device more are due now. */
  setReads(reads: readonly ReadTarget[]): void {
    const dueMs = this.#clock.elapsedMs();
    const before = new Map(this.#reads.map((slot) => [readKey(slot.read.target), slot]));
    this.#reads = reads.map((read) => {
      const slot = before.get(readKey(read.target));
      if (!slot) return { ...NEW, read, dueMs };
      const known = new Set(devicesOf(slot.read).map(deviceKey));
      if (devicesOf(read).some((device) => !known.has(deviceKey(device)))) {
        slot.dueMs = dueMs;
        slot.tried = false;
      }
      // The same slot, as its read may be under way.
      slot.read = read;
      return slot;
    });
    this.#warnStretched();
    this.#wake.abort();
  }

  /** Polls until the signal is aborted. The first round goes at once where the allowance is fresh enough; `afterFirst` is called after it. */
  async run(signal: AbortSignal, afterFirst: () => void): Promise<void> {
    this.#warnStretched();
    while (!signal.aborted) {
      if (this.#firstRound && this.#firstRoundOver()) {
        this.#firstRound = false;
        afterFirst();
      }
      const slot = this.#next();
      const now = this.#clock.elapsedMs();
      const atMs = slot ? this.#startMs(slot) : Number.POSITIVE_INFINITY;
      if (!slot || atMs > now) await this.#sleep(atMs - now, signal);
      else if (this.#quota.mayRead(now)) await this.#poll(slot);
      else await this.#sleep(Math.max(this.#quota.pausedForMs(now), WAIT_FOR_QUOTA_MS), signal);
    }
  }

  /** Makes all reads due now. */
  pollNow(): void {
    for (const slot of this.#reads) slot.isAsked = true;
    this.#wake.abort();
  }

  /** Makes the reads of one device, or all of them, due now, but for those that were asked for within a minute. */
  ask(device?: string): AskResult {
    const now = this.#clock.elapsedMs();
    const asked = this.#reads.filter(({ read }) => device === undefined || devicesOf(read).some(({ name }) => name === device));
    if (asked.length === 0) return { kind: 'nothing' };
    // An allowance that carries more is no reason to wait a minute.
    const apartMs = Math.min(ASKED_APART_MS, this.#quota.carriesEveryMs * this.#reads.length);
    const waitMs = ({ askedMs = Number.NEGATIVE_INFINITY }: ScheduledRead): number => askedMs + apartMs - now;
    const free = asked.filter((slot) => waitMs(slot) <= 0);
    for (const slot of free) {
      slot.askedMs = now;
      slot.isAsked = true;
    }
    this.#wake.abort();
    return free.length > 0 ? { kind: 'due' } : { kind: 'lately', againMs: Math.min(...asked.map(waitMs)) };
  }

  /** A read made for a command counts as this round's. */
  counted(read: ReadTarget): void {
    const slot = this.#slotOf(read);
    // What was refused for good is not asked for sooner because a command tries it.
    if (slot) slot.dueMs = Math.max(slot.failures > 0 ? slot.dueMs : 0, this.#roundFromNowMs());
  }

  /** A read of any origin worked: one that was left alone for hours goes on as before. */
  worked(read: ReadTarget): void {
    const slot = this.#slotOf(read);
    if (!slot || slot.failures === 0 || slot.dueMs <= this.#roundFromNowMs()) return;
    slot.failures = 0;
    slot.dueMs = this.#roundFromNowMs();
    this.#wake.abort();
  }

  #slotOf({ target }: ReadTarget): ScheduledRead | undefined {
    return this.#reads.find(({ read }) => readKey(read.target) === readKey(target));
  }

  #roundFromNowMs(): number {
    return this.#clock.elapsedMs() + this.#plan().roundSeconds * 1000;
  }

  #plan(): Plan {
    const wantedSeconds = this.#settings.seconds === 'auto' ? SHORTEST_AUTO_S : this.#settings.seconds;
    return this.#quota.plan(this.#clock.elapsedMs(), this.#reads.length, wantedSeconds);
  }

  #warnStretched(): void {
    const { seconds, reason } = this.interval;
    const wanted = this.#settings.seconds;
    if (this.#toldStretched || wanted === 'auto' || seconds <= wanted) return;
    this.#toldStretched = true;
    this.#log.warn({ wanted_s: wanted, poll_s: seconds }, `poll.seconds is stretched: ${reason}`);
  }

  /** Every read was tried, or there is no use in trying the rest now. */
  #firstRoundOver(): boolean {
    if (this.#breaker.platform || !this.#quota.mayRead(this.#clock.elapsedMs())) return true;
    return this.#reads.every(({ tried, read }) => tried || this.#breaker.heldUntilMs(read.target) > 0);
  }

  /** When this read may go: due, not held by an outage, and in the pace of all. */
  #startMs(slot: ScheduledRead): number {
    const dueMs = this.#dueMs(slot);
    // Probes have a pace of their own.
    const free = slot.isAsked || this.#breaker.heldUntilMs(slot.read.target) > 0 || (!slot.tried && this.#plan().burst);
    return free ? dueMs : Math.max(dueMs, this.#paceMs);
  }

  #dueMs(slot: ScheduledRead): number {
    return slot.isAsked ? 0 : Math.max(slot.dueMs, this.#breaker.heldUntilMs(slot.read.target));
  }

  #next(): ScheduledRead | undefined {
    // Of those that an outage holds until the same moment, the one that waits longest is the probe.
    return this.#reads.toSorted((a, b) => this.#dueMs(a) - this.#dueMs(b) || a.dueMs - b.dueMs)[0];
  }

  async #poll(slot: ScheduledRead): Promise<void> {
    const { target } = slot.read;
    const { tried, dueMs } = slot;
    const early = slot.isAsked;
    slot.isAsked = false;
    const startedMs = this.#clock.elapsedMs();
    slot.tried = true;
    const result = await this.#quota.poll(() => this.#reader.read(slot.read));
    const plan = this.#plan();
    const now = this.#clock.elapsedMs();
    // Counted from the read's beginning, so that the time which reads take does not slow the pace.
    this.#paceMs = startedMs + plan.gapMs * (1 + this.#settings.jitter * (2 * Math.random() - 1));
    if (!result.ok) {
      this.#failed(slot, result.failure.code, plan.roundSeconds * 1000, now);
      return;
    }
    slot.failures = 0;
    this.#breaker.worked(target);
    // Another read has changed it while this one was under way.
    if (slot.dueMs === dueMs) slot.dueMs = now + this.#pauseMs(plan, early, tried, Math.max(0, this.#reads.indexOf(slot)));
  }

  /** The pause after a good read: a whole round; what was read together in the first round is spread over the second. */
  #pauseMs({ roundSeconds, gapMs }: Plan, early: boolean, tried: boolean, index: number): number {
    const roundMs = roundSeconds * 1000;
    if (!tried) return this.#firstRound ? roundMs + index * gapMs : roundMs;
    // The pace makes it a whole round; due a little earlier, no read waits for another that is late.
    return early ? roundMs : roundMs - gapMs / 2;
  }

  #failed(slot: ScheduledRead, code: string, intervalMs: number, nowMs: number): void {
    const { target } = slot.read;
    const pause = (afterMs: number) => (failures: number) => backOffMs(code, failures, afterMs, this.#settings.jitter, Math.random());
    slot.failures += 1;
    this.#breaker.failed(target, code, this.#reads.length, nowMs, pause(Math.min(intervalMs, FIRST_PROBE_MS)));
    const held = this.#breaker.heldUntilMs(target);
    slot.dueMs = held > nowMs ? held : nowMs + pause(intervalMs)(slot.failures);
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.#wake = new AbortController();
    await this.#clock.sleep(ms, AbortSignal.any([signal, this.#wake.signal])).catch(() => undefined);
  }
}
