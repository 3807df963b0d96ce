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
/** How often a poller without allowance checks whether it may read again. */
const WAIT_FOR_QUOTA_MS = 5000;
/** Probes start at most this far apart, so that a long interval does not hide the end of an outage. */
const FIRST_PROBE_MS = 15_000;

/** A read is requested manually at most this often, however large the allowance is. */
const ASKED_APART_MS = 60_000;

/**
 * `failures`: consecutive failures, the last ones (`refusals`) by refusal; `tried`: since the start;
 * `isAsked`: skips the pace; `askedMs`: when `bridge/poll/set` last requested it.
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

/** Reads everything chosen in rounds, spread over the interval, within the allowance. */
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
  // Among reads held until the same time, the longest waiting one is the probe.
  const next = () => slots.toSorted((a, b) => dueMs(a) - dueMs(b) || a.dueMs - b.dueMs)[0];

  const { roundSeconds, gapMs } = plan();
  for (const slot of slots) {
    const againMs = lastReadMs(slot.read) + roundSeconds * 1000;
    // A read made recently by an earlier run is not part of a first round.
    slot.tried = againMs > slot.dueMs;
    slot.dueMs = Math.max(againMs, slot.dueMs);
  }
  /** The earliest time of the next read. Keeps the previous run's pace, even after many restarts. */
  let paceMs = (quota.lastCallMs() ?? Number.NEGATIVE_INFINITY) + gapMs;

  /** Replaces the reads: those that stay keep their time; new ones, also with a new device, are due now. */
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
      // The same slot object: its read may be in progress.
      slot.read = read;
      return slot;
    });
    warnStretched();
    wake.abort();
  };

  /** Polls until aborted. The first round runs at once if the allowance permits; then calls `afterFirst`. */
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

  /** Makes the reads of one device, or all, due now, except those requested within the last minute. */
  const ask = (device?: string): AskResult => {
    const now = clock.elapsedMs();
    const asked = slots.filter(({ read }) => device === undefined || devicesOf(read).some(({ name }) => name === device));
    if (asked.length === 0) return { kind: 'nothing' };
    // A large allowance permits a wait below one minute.
    const apartMs = Math.min(ASKED_APART_MS, (DAY_MS / quota.perDay) * slots.length);
    const waitMs = ({ askedMs = Number.NEGATIVE_INFINITY }: ScheduledRead): number => askedMs + apartMs - now;
    const free = asked.filter((slot) => waitMs(slot) <= 0);
    for (const slot of free) {
      slot.askedMs = now;
      slot.isAsked = true;
    }
    // Without a reason, `abort` creates an error with its stack.
    wake.abort('asked');
    return free.length > 0 ? { kind: 'due' } : { kind: 'lately', againMs: Math.min(...asked.map(waitMs)) };
  };

  /** A read made for a command counts for this round. */
  const counted = (read: ReadTarget): void => {
    const slot = slotOf(read);
    // A command does not make a refused read due earlier.
    if (slot) slot.dueMs = Math.max(slot.failures > 0 ? slot.dueMs : 0, roundFromNowMs());
  };

  /** A read from any source worked: one that was paused for hours resumes. */
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
    log.warn({ wanted_s: wanted, poll_s: seconds }, `polls are less frequent than poll.seconds: ${paceEn(pace)}`);
  };

  /** Every read was tried, or trying the rest now is useless. */
  const isFirstRoundOver = (): boolean => {
    if (breaker.platform || !quota.mayRead()) return true;
    return slots.every(({ tried, read }) => tried || breaker.heldUntilMs(read.target) > 0);
  };

  /** When this read may start: due, not held by an outage, and within the common pace. */
  const startMs = (slot: ScheduledRead): number => {
    // Probes have their own pace.
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
    // Counted from the start of the read, so that its duration does not slow the pace.
    paceMs = startedMs + pace.gapMs * (1 + settings.jitter * (2 * Math.random() - 1));
    if (!result.ok) {
      failed(slot, result.failure.code, pace.roundSeconds * 1000, now);
      return;
    }
    slot.failures = 0;
    slot.refusals = 0;
    breaker.worked(target);
    // Another read changed it while this one was in progress.
    if (slot.dueMs === wasDueMs) slot.dueMs = now + pauseMs(pace, early, tried, Math.max(0, slots.indexOf(slot)));
  };

  /** The pause after a good read: one round. Reads made together in round one are spread over round two. */
  const pauseMs = ({ roundSeconds, gapMs }: Plan, early: boolean, tried: boolean, index: number): number => {
    const roundMs = roundSeconds * 1000;
    if (!tried) return isFirstRound ? roundMs + index * gapMs : roundMs;
    // The pace completes the round; slightly earlier due times avoid waiting for a late read.
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
    /** The current interval and the time between reads, in seconds, with the reason. */
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
