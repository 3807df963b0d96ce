import { type Clock, DAY_MS, growingMs, HOUR_MS } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';

/**
 * Reads an address each hour, ±10 % at random so that not all bridges ask at the same moment. After failures
 * it waits 1, 2, 4 … 24 hours; a day where the server says that the resource does not exist. `what` names it
 * in the log; `failed` is called for each failure. Resolves when the signal is aborted.
 */
export const followAddress = async (
  what: { readonly calendar: string } | { readonly prices: string },
  read: () => Promise<void>,
  { clock, log }: { readonly clock: Clock; readonly log: Pick<Log, 'info' | 'warn'> },
  signal: AbortSignal,
  failed: (why: string) => void = () => undefined,
  chance = Math.random,
): Promise<void> => {
  let failures = 0;
  while (!signal.aborted) {
    let waitMs = HOUR_MS * (0.9 + 0.2 * chance());
    try {
      await read();
      if (failures > 0) log.info(what, 'the address can be read again');
      failures = 0;
    } catch (cause) {
      if (signal.aborted) return;
      const isGone = cause instanceof Error && 'isGone' in cause && cause.isGone === true;
      const why = cause instanceof Error ? cause.message : 'unknown';
      if (failures === 0) log.warn({ ...what, why }, 'the address cannot be read; it is tried again later');
      failed(why);
      waitMs = isGone ? DAY_MS : growingMs(HOUR_MS, failures, DAY_MS);
      failures += 1;
    }
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
};
