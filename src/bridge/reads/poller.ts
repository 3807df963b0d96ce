import { paceEn } from '../../language/answers/pace.ts';
import { type Clock, DAY_MS } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import { deviceKey } from '../state/deviceState.ts';
import { type AskResult, devicesOf, type ReadTarget, readKey } from '../state/readTarget.ts';
import { CircuitBreaker } from './circuitBreaker.ts';
import type { FeatureReader } from './featureReader.ts';
import type { Plan } from './pollBudget.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { backOffMs, refusalsAfter } from './retryPolicy.ts';

export type PollSettings = { readonly seconds: 'auto' | number; readonly jitter: number };

const SHORTEST_AUTO_S = 60;
/** How often a poller that may not read now looks whether it may again. */
const WAIT_FOR_QUOTA_MS = 5000;
/** A long interval is no reason to learn late that an outage is over: probes begin at most this far apart. */
const FIRST_PROBE_MS = 15_000;

/** However large the allowance, a read is asked for by hand at most so often. */
const ASKED_APART_MS = 60_000;

/**
 * `failures`: how often it failed in a row, the last times (`refusals`) by being refused; `tried`: since the start; `isAsked`: it does not wait
 * for the pace; `askedMs`: when it was last asked for by `bridge/poll/set`.
 */
type ScheduledRead = {
  read: ReadTarget;
  dueMs: number;
  failures: number;
  refusals: number;
  tried: boolean;
  isAsked: boolean;
  askedMs?: number;
};

const NEW = { failures: 0, refusals: 0, tried: false, isAsked: false };

/** Reads everything chosen round and round, spread over the interval, within the allowance. */
export const makePoller = (
  reads: readonly ReadTarget[],
  settings: PollSettings,
  reader: FeatureReader,
  quota: RateLimiter,
  clock: Clock,
  log: Log,
  lastReadMs: (read: ReadTarget) => number = () => Number.NEGATIVE_INFINITY,
) => {
  const breaker = new CircuitBreaker();
  let slots: readonly ScheduledRead[] = reads.map((read) => ({ ...NEW, read, dueMs: clock.elapsedMs() }));
  let isFirstRound = true;
  let isStretchLogged = false;
  let wake = new AbortController();

  const plan = (): Plan => quota.plan(slots.length, settings.seconds === 'auto' ? SHORTEST_AUTO_S : settings.seconds);
  const roundFromNowMs = (): number => clock.elapsedMs() + plan().roundSeconds * 1000;
  const slotOf = ({ target }: ReadTarget) => slots.find(({ read }) => readKey(read.target) === readKey(target));
  const dueMs = (slot: ScheduledRead): number => (slot.isAsked ? 0 : Math.max(slot.dueMs, breaker.heldUntilMs(slot.read.target)));
  // Of those that an outage holds until the same moment, the one that waits longest is the probe.
  const next = () => slots.toSorted((a, b) => dueMs(a) - dueMs(b) || a.dueMs - b.dueMs)[0];

  const { roundSeconds, gapMs } = plan();
  for (const slot of slots) {
    const againMs = lastReadMs(slot.read) + roundSeconds * 1000;
    // What an earlier run has read lately belongs to no first round.
    slot.tried = againMs > slot.dueMs;
    slot.dueMs = Math.max(againMs, slot.dueMs);
  }
  /** Not before then the next read goes, however many are due. After many restarts the first round has the pace of the last run. */
  let paceMs = (quota.lastCallMs() ?? Number.NEGATIVE_INFINITY) + gapMs;

  /** Other reads from now on: those that stay keep their time, new ones and those that show a device more are due now. */
  const setReads = (others: readonly ReadTarget[]): void => {
    const nowMs = clock.elapsedMs();
    const before = new Map(slots.map((slot) => [readKey(slot.read.target), slot]));
    slots = others.map((read) => {
      const slot = before.get(readKey(read.target));
      if (!slot) return { ...NEW, read, dueMs: nowMs };
      const known = new Set(devicesOf(slot.read).map(deviceKey));
      if (devicesOf(read).some((device) => !known.has(deviceKey(device)))) {
        slot.dueMs = nowMs;
        slot.tried = false;
      }
      // The same slot, as its read may be under way.
      slot.read = read;
      return slot;
    });
    warnStretched();
    wake.abort();
  };

  /** Polls until the signal is aborted. The first round goes at once where the allowance is fresh enough; `afterFirst` is called after it. */
  const run = async (signal: AbortSignal, afterFirst: () => void): Promise<void> => {
    warnStretched();
    while (!signal.aborted) {
      if (isFirstRound && isFirstRoundOver()) {
        isFirstRound = false;
        afterFirst();
      }
      const slot = next();
      const now = clock.elapsedMs();
      const atMs = slot ? startMs(slot) : Number.POSITIVE_INFINITY;
      if (!slot || atMs > now) await sleep(atMs - now, signal);
      else if (quota.mayRead()) await poll(slot);
      else await sleep(Math.max(quota.pausedForMs(), WAIT_FOR_QUOTA_MS), signal);
    }
  };

  /** Makes all reads due now. */
  const pollNow = (): void => {
    for (const slot of slots) slot.isAsked = true;
    wake.abort();
  };

  /** Makes the reads of one device, or all of them, due now, but for those that were asked for within a minute. */
  const ask = (device?: string): AskResult => {
    const now = clock.elapsedMs();
    const asked = slots.filter(({ read }) => device === undefined || devicesOf(read).some(({ name }) => name === device));
    if (asked.length === 0) return { kind: 'nothing' };
    // An allowance that carries more is no reason to wait a minute.
    const apartMs = Math.min(ASKED_APART_MS, (DAY_MS / quota.perDay) * slots.length);
    const waitMs = ({ askedMs = Number.NEGATIVE_INFINITY }: ScheduledRead): number => askedMs + apartMs - now;
    const free = asked.filter((slot) => waitMs(slot) <= 0);
    for (const slot of free) {
      slot.askedMs = now;
      slot.isAsked = true;
    }
    // Without a reason an error is made, with its stack.
    wake.abort('asked');
    return free.length > 0 ? { kind: 'due' } : { kind: 'lately', againMs: Math.min(...asked.map(waitMs)) };
  };

  /** A read made for a command counts as this round's. */
  const counted = (read: ReadTarget): void => {
    const slot = slotOf(read);
    // What was refused for good is not asked for sooner because a command tries it.
    if (slot) slot.dueMs = Math.max(slot.failures > 0 ? slot.dueMs : 0, roundFromNowMs());
  };

  /** A read of any origin worked: one that was left alone for hours goes on as before. */
  const worked = (read: ReadTarget): void => {
    const slot = slotOf(read);
    if (!slot || slot.failures === 0 || slot.dueMs <= roundFromNowMs()) return;
    slot.failures = 0;
    slot.refusals = 0;
    slot.dueMs = roundFromNowMs();
    wake.abort();
  };

  const warnStretched = (): void => {
    const { roundSeconds: seconds, pace } = plan();
    const wanted = settings.seconds;
    if (isStretchLogged || wanted === 'auto' || seconds <= wanted) return;
    isStretchLogged = true;
    log.warn({ wanted_s: wanted, poll_s: seconds }, `poll.seconds is stretched: ${paceEn(pace)}`);
  };

  /** Every read was tried, or there is no use in trying the rest now. */
  const isFirstRoundOver = (): boolean => {
    if (breaker.platform || !quota.mayRead()) return true;
    return slots.every(({ tried, read }) => tried || breaker.heldUntilMs(read.target) > 0);
  };

  /** When this read may go: due, not held by an outage, and in the pace of all. */
  const startMs = (slot: ScheduledRead): number => {
    // Probes have a pace of their own.
    const free = slot.isAsked || breaker.heldUntilMs(slot.read.target) > 0 || (!slot.tried && plan().burst);
    return free ? dueMs(slot) : Math.max(dueMs(slot), paceMs);
  };

  const poll = async (slot: ScheduledRead): Promise<void> => {
    const { target } = slot.read;
    const { tried, dueMs: wasDueMs } = slot;
    const early = slot.isAsked;
    slot.isAsked = false;
    const startedMs = clock.elapsedMs();
    slot.tried = true;
    const result = await quota.poll(() => reader.read(slot.read));
    const pace = plan();
    const now = clock.elapsedMs();
    // Counted from the read's beginning, so that the time which reads take does not slow the pace.
    paceMs = startedMs + pace.gapMs * (1 + settings.jitter * (2 * Math.random() - 1));
    if (!result.ok) {
      failed(slot, result.failure.code, pace.roundSeconds * 1000, now);
      return;
    }
    slot.failures = 0;
    slot.refusals = 0;
    breaker.worked(target);
    // Another read has changed it while this one was under way.
    if (slot.dueMs === wasDueMs) slot.dueMs = now + pauseMs(pace, early, tried, Math.max(0, slots.indexOf(slot)));
  };

  /** The pause after a good read: a whole round; what was read together in the first round is spread over the second. */
  const pauseMs = ({ roundSeconds, gapMs }: Plan, early: boolean, tried: boolean, index: number): number => {
    const roundMs = roundSeconds * 1000;
    if (!tried) return isFirstRound ? roundMs + index * gapMs : roundMs;
    // The pace makes it a whole round; due a little earlier, no read waits for another that is late.
    return early ? roundMs : roundMs - gapMs / 2;
  };

  const failed = (slot: ScheduledRead, code: string, intervalMs: number, nowMs: number): void => {
    const { target } = slot.read;
    const pause = (afterMs: number) => (failures: number) => backOffMs(code, failures, afterMs, settings.jitter, Math.random());
    slot.failures += 1;
    slot.refusals = refusalsAfter(code, slot.refusals);
    breaker.failed(target, code, slots.length, nowMs, pause(Math.min(intervalMs, FIRST_PROBE_MS)));
    const held = breaker.heldUntilMs(target);
    slot.dueMs = held > nowMs ? held : nowMs + pause(intervalMs)(slot.refusals || slot.failures);
  };

  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    wake = new AbortController();
    await clock.sleep(ms, AbortSignal.any([signal, wake.signal])).catch(() => undefined);
  };

  return {
    /** The interval in force and the time from one read to the next, in seconds, and why they are these. */
    get interval() {
      const now = plan();
      return { seconds: now.roundSeconds, gapSeconds: now.gapMs / 1000, pace: now.pace };
    },
    setReads,
    run,
    pollNow,
    ask,
    counted,
    worked,
  };
};

export type Poller = ReturnType<typeof makePoller>;
