import { type FaultEvent, parseEvents } from '../../../features/faults/faultEvent.ts';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, wakeLoop } from '../../../shared/clock.ts';
import { failureOf } from '../../../shared/failures.ts';
import type { Log } from '../../../shared/log.ts';
import { type CallFailure, type EventHistory, isCallFailure } from '../../ports.ts';
import type { FaultStore } from '../../state/faults/faultStore.ts';
import type { Quota } from '../../state/readTarget.ts';
import { invalidAnswer } from '../featureReader.ts';
import { backOffMs, refusalsAfter } from '../retryPolicy.ts';

/** The range of the first read, and the maximum after a long pause. */
const FIRST_DAYS = 7;
const MOST_DAYS = 30;
/** The platform stores events up to 10 min late: a new event may be older than the last read. */
const OVERLAP_MS = HOUR_MS;
/** The event is stored this long after a list shows a fault or a gateway is back. */
const LATE_MS = 10 * MINUTE_MS;
const MOST_PAGES = 3;
/** The maximum of additional reads a day. */
const MOST_EXTRA = 10;
const WAIT_FOR_QUOTA_MS = 30_000;

/** `hintedMs`: when the event to which something pointed last is stored. */
type Schedule = { dueMs: number; hintedMs: number; failures: number; refusals: number; logged: string; extra: number[] };

/**
 * Reads each installation's events after all other reads; `callFailed` gets call limits, `together` batches
 * writes.
 */
export const eventReader = (
  history: EventHistory,
  minutes: number,
  faults: FaultStore,
  installations: () => ReadonlySet<string>,
  quota: Pick<Quota, 'mayRead' | 'pausedForMs'>,
  callFailed: (failure: CallFailure) => void,
  together: (work: () => void) => unknown,
  clock: Clock,
  log: Log,
) => {
  const intervalMs = minutes * MINUTE_MS;
  const schedules = new Map<string, Schedule>();
  const loop = wakeLoop(clock);

  const scheduleOf = (installation: string): Schedule => {
    const known = schedules.get(installation);
    if (known) return known;
    const readAt = faults.readAt(installation);
    const waitMs = readAt === undefined ? 0 : Math.max(0, readAt + intervalMs - clock.now());
    const dueMs = clock.elapsedMs() + Math.min(waitMs, intervalMs);
    const schedule: Schedule = { dueMs, hintedMs: 0, failures: 0, refusals: 0, logged: '', extra: [] };
    schedules.set(installation, schedule);
    return schedule;
  };

  /** The additional reads of the last day. */
  const extraOf = (schedule: Schedule, now: number): number[] => schedule.extra.filter((at) => at > now - DAY_MS);

  /** Something points to a new event: read it once it is stored, if the day has a read left. */
  const soon = (installation: string): void => {
    const schedule = scheduleOf(installation);
    if (schedule.failures > 0) return;
    schedule.hintedMs = clock.elapsedMs() + LATE_MS;
    followHint(schedule);
    loop.wake();
  };

  /** A read that is due sooner cannot have the event yet: it is followed by one that can. */
  const followHint = (schedule: Schedule): void => {
    const now = clock.elapsedMs();
    schedule.extra = extraOf(schedule, now);
    const { hintedMs, dueMs, extra } = schedule;
    if (hintedMs <= now || dueMs <= hintedMs || extra.length >= MOST_EXTRA) return;
    extra.push(now);
    schedule.dueMs = hintedMs;
  };

  /** Pages after the first are additional calls. `isWhole`: they reach back to the last read. */
  const pagesOf = async (installation: string, schedule: Schedule, signal: AbortSignal) => {
    const readAt = faults.readAt(installation);
    schedule.extra = extraOf(schedule, clock.elapsedMs());
    const days = readAt === undefined ? FIRST_DAYS : Math.ceil(Math.max(0, clock.now() - readAt + OVERLAP_MS) / DAY_MS);
    const events: FaultEvent[] = [];
    let cursor: string | undefined;
    for (let page = 1; ; page += 1) {
      const from = cursor === undefined ? { lastNDays: Math.min(Math.max(days, 1), MOST_DAYS) } : { cursor };
      const parsed = parseEvents(await history.readEvents(installation, from, signal), clock.now());
      if (!parsed) throw invalidAnswer('the list of events is invalid');
      events.push(...parsed.events);
      const { oldestMs } = parsed;
      // A cursor that refers to itself ends the list.
      const next = parsed.next === cursor ? undefined : parsed.next;
      const isWhole = readAt === undefined || oldestMs <= readAt - OVERLAP_MS || (next === undefined && days <= MOST_DAYS);
      const isLast = isWhole || page === MOST_PAGES;
      if (isLast || next === undefined || schedule.extra.length >= MOST_EXTRA || !quota.mayRead()) return { events, isWhole };
      schedule.extra.push(clock.elapsedMs());
      cursor = next;
    }
  };

  const read = async (installation: string, schedule: Schedule, signal: AbortSignal): Promise<void> => {
    // Before the wait, so that a sign of a new event during it makes the read due again.
    schedule.dueMs = clock.elapsedMs() + intervalMs;
    followHint(schedule);
    try {
      const { events, isWhole } = await pagesOf(installation, schedule, signal);
      if (schedule.logged !== '') log.info({ installation }, 'the events of the installation can be read again');
      schedule.failures = 0;
      schedule.refusals = 0;
      schedule.logged = '';
      together(() => {
        faults.learnEvents(installation, events, isWhole);
        faults.eventsRead(installation);
      });
    } catch (error) {
      // An answer of an unexpected form must not end the process.
      failed(installation, schedule, isCallFailure(error) ? error : invalidAnswer(`the list of events is invalid (${String(error)})`));
    }
  };

  const failed = (installation: string, schedule: Schedule, failure: CallFailure): void => {
    const { code, message } = failure;
    if (code === 'aborted') return;
    schedule.failures += 1;
    schedule.refusals = refusalsAfter(code, schedule.refusals);
    schedule.dueMs = clock.elapsedMs() + backOffMs(code, schedule.refusals || schedule.failures, intervalMs, 0, Math.random());
    const { log: level } = failureOf(code);
    // A refusal of events says nothing about other reads or the login; a call limit applies to the account.
    if (code === 'rate_limited') callFailed(failure);
    if (code !== schedule.logged && level !== 'none')
      log[level](
        { installation, code, why: message },
        'the events of the installation cannot be read; faults come only from the lists of the devices',
      );
    schedule.logged = code;
    faults.eventsRead(installation, failure);
  };

  /** Reads until the signal is aborted. */
  const run = (signal: AbortSignal): Promise<void> =>
    loop.run(signal, async () => {
      const now = clock.elapsedMs();
      const due = [...installations()].map((id) => ({ id, schedule: scheduleOf(id) })).sort((a, b) => a.schedule.dueMs - b.schedule.dueMs);
      const [next] = due;
      const waitMs = Math.min((next?.schedule.dueMs ?? Number.POSITIVE_INFINITY) - now, intervalMs);
      if (waitMs > 0) return waitMs;
      if (!next || !quota.mayRead()) return Math.max(quota.pausedForMs(), WAIT_FOR_QUOTA_MS);
      await read(next.id, next.schedule, signal);
      return 0;
    });

  return {
    run,
    soon,
    /** The installations may have changed. */
    look: loop.wake,
  };
};
