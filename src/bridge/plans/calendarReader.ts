import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { CalendarSource } from '../ports.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const AHEAD_MS = 15 * DAY_MS;

/** Where the events go. `heard`: they are as they were. */
type Planner = {
  put(name: string, read: Awaited<ReturnType<CalendarSource['read']>> & object): void;
  heard(name: string): void;
};

/**
 * Reads a calendar by its address, each hour (a tenth earlier or later, so that not all bridges ask at the same moment); after failures after 1,
 * 2, 4 … 24 hours, and daily where the server says that it has no such calendar. Resolves when the signal is aborted.
 */
export const followCalendar = async (
  source: CalendarSource,
  planner: Planner,
  clock: Clock,
  log: Pick<Log, 'info' | 'warn'>,
  chance: () => number,
  signal: AbortSignal,
): Promise<void> => {
  let failures = 0;
  while (!signal.aborted) {
    let waitMs = HOUR_MS * (0.9 + 0.2 * chance());
    try {
      const nowMs = clock.now();
      const read = await source.read({ fromMs: nowMs - 2 * DAY_MS, toMs: nowMs + AHEAD_MS }, signal);
      if (failures > 0) log.info({ calendar: source.name }, 'the calendar is read again');
      failures = 0;
      if (read) planner.put(source.name, read);
      else planner.heard(source.name);
    } catch (cause) {
      if (signal.aborted) return;
      const isGone = cause instanceof Error && 'isGone' in cause && cause.isGone === true;
      if (failures === 0)
        log.warn(
          { calendar: source.name, why: cause instanceof Error ? cause.message : 'unknown' },
          'the calendar cannot be read; it is tried again later',
        );
      waitMs = isGone ? DAY_MS : Math.min(DAY_MS, HOUR_MS * 2 ** failures);
      failures += 1;
    }
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
};
