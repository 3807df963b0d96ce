import { setTimeout as timerPromise } from 'node:timers/promises';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Waits for an instant look again after this time, so that a changed clock, or a sleep of the machine, is noticed. */
export const CLOCK_CHECK_MS = MINUTE_MS;

/** The source of time, passed as an argument. Only this file reads the machine's clock. */
export interface Clock {
  /** Epoch milliseconds. Can jump; use `elapsedMs` for durations. */
  now(): number;
  /** Milliseconds since a fixed instant; never jumps. */
  elapsedMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  // The global `performance` loads a Node module on first use.
  elapsedMs: () => Number(process.hrtime.bigint()) / 1e6,
  // A Node timer may fire up to 1 ms early: its loop counts whole milliseconds.
  sleep: (ms, signal) => timerPromise(ms > 0 ? Math.min(Math.ceil(ms) + 1, 2 ** 31 - 1) : 0, undefined, signal ? { signal } : {}),
};

/** True before `endMs`. An end after `nowMs + mostMs` is invalid: the clock was set back since. */
export const isWaiting = (endMs: number, nowMs: number, mostMs: number): boolean => endMs > nowMs && endMs <= nowMs + mostMs;

/** The delay after a failed attempt: doubles with each failure (`before`), up to `longestMs`. */
export const growingMs = (firstMs: number, before: number, longestMs: number): number => Math.min(firstMs * 2 ** before, longestMs);

/** The result of the work, or undefined after `ms` or an abort. The work itself continues. */
export const within = async <T>(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<T>,
  signal?: AbortSignal,
): Promise<T | undefined> => {
  const done = new AbortController();
  const nothing = (): undefined => undefined;
  const enough = clock.sleep(ms, signal ? AbortSignal.any([signal, done.signal]) : done.signal).then(nothing, nothing);
  try {
    return await Promise.race([work, enough]);
  } finally {
    // Without a reason, abort creates an Error with a stack.
    done.abort('done');
  }
};

/** Calls `act` after `ms`, unless the signal is aborted first. */
export const later = (clock: Pick<Clock, 'sleep'>, ms: number, signal: AbortSignal, act: () => unknown): void =>
  void clock.sleep(ms, signal).then(act, () => undefined);

/** Repeats work until the signal aborts: after the pause (ms) that it returns, or when woken. */
export const wakeLoop = (clock: Pick<Clock, 'sleep'>) => {
  let woken = new AbortController();
  return {
    // Without a reason, abort creates an Error with a stack each time.
    wake: (): void => woken.abort('woken'),
    run: async (signal: AbortSignal, work: () => number | Promise<number>): Promise<void> => {
      while (!signal.aborted) {
        woken = new AbortController();
        const pauseMs = Math.max(0, await work());
        await clock.sleep(pauseMs, AbortSignal.any([signal, woken.signal])).catch(() => undefined);
      }
    },
  };
};

/** Counts events within the last hour, by key. */
export const lastHour = (clock: Pick<Clock, 'elapsedMs'>) => {
  const moments = new Map<string, readonly number[]>();
  const of = (key: string): readonly number[] => {
    const sinceMs = clock.elapsedMs() - HOUR_MS;
    return (moments.get(key) ?? []).filter((atMs) => atMs > sinceMs);
  };
  return {
    count: (key: string): number => of(key).length,
    add: (key: string): unknown => moments.set(key, [...of(key), clock.elapsedMs()]),
  };
};

export type LastHour = ReturnType<typeof lastHour>;
