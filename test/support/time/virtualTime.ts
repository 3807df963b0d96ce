import type { Clock } from '../../../src/shared/clock.ts';

export type VirtualTime = {
  /** Milliseconds since the beginning, which nothing can set. */
  elapsedMs(): number;
  /** What the wall shows, epoch milliseconds. */
  now(): number;
  /** Sets the wall's clock on (or back) without any time passing. */
  setWall(byMs: number): void;
  /** A clock for a new process, whose spans begin at 0; after `kill` nobody who sleeps by it wakes again. */
  process(): { readonly clock: Clock; kill(): void; sleepers(): number };
  /** Time does not pass while this is under way: work that real sockets and files do takes none. */
  busy<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass, waking each sleeper at its moment, and all come as far as they can before the next. */
  pass(ms: number): Promise<void>;
};

type Sleeper = { readonly atMs: number; readonly order: number; readonly run: object; readonly wake: () => void };

const START = Date.parse('2026-11-21T06:00:00Z');

/** The earliest first; of the same moment the one that lay down first. */
const before = (a: Sleeper, b: Sleeper): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** Time that passes only when it is told to, for several processes one after the other. */
export const virtualTime = (start = START): VirtualTime => {
  let [elapsed, offset, working, order] = [0, 0, 0, 0];
  const sleepers = new Set<Sleeper>();
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const settled = async (): Promise<void> => {
    do await turn();
    while (working > 0);
    await turn();
    if (working > 0) await settled();
  };
  const next = (): Sleeper | undefined => {
    let first: Sleeper | undefined;
    for (const sleeper of sleepers) if (!first || before(sleeper, first)) first = sleeper;
    return first;
  };
  const sleep = (run: object, ms: number, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const done = (): void => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      order += 1;
      // As a machine's timer: whole milliseconds, one at least.
      const sleeper = { atMs: elapsed + Math.max(1, Math.ceil(ms)), order, run, wake: done };
      const abort = (): void => {
        sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      sleepers.add(sleeper);
      signal?.addEventListener('abort', abort, { once: true });
    });
  return {
    elapsedMs: () => elapsed,
    now: () => start + offset + Math.floor(elapsed),
    setWall: (byMs) => {
      offset += byMs;
    },
    process: () => {
      const run = {};
      const begun = elapsed;
      let dead = false;
      return {
        clock: {
          now: () => start + offset + Math.floor(elapsed),
          elapsedMs: () => elapsed - begun,
          sleep: (ms, signal) => (dead ? new Promise<void>(() => undefined) : sleep(run, ms, signal)),
        },
        kill: () => {
          dead = true;
          for (const sleeper of sleepers) if (sleeper.run === run) sleepers.delete(sleeper);
        },
        sleepers: () => [...sleepers].filter((sleeper) => sleeper.run === run).length,
      };
    },
    busy: async (work) => {
      working += 1;
      try {
        return await work;
      } finally {
        working -= 1;
      }
    },
    pass: async (ms) => {
      const end = elapsed + ms;
      await settled();
      for (let first = next(); first && first.atMs <= end; first = next()) {
        elapsed = Math.max(elapsed, first.atMs);
        sleepers.delete(first);
        first.wake();
        await settled();
      }
      elapsed = end;
    },
  };
};
