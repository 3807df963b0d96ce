import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../src/shared/clock.ts';

export type VirtualTime = {
  /** Milliseconds since the beginning, which nothing can set. */
  elapsedMs(): number;
  /** What the wall shows, epoch milliseconds. */
  now(): number;
  /** What the wall would show had nobody set it. */
  trueMs(): number;
  /** Sets the wall's clock on (or back) without any time passing. */
  setWall(byMs: number): void;
  /** A clock for a new process, whose spans begin at 0; after `kill` nobody who sleeps by it wakes again. */
  process(): { readonly clock: Clock; kill(): void; sleepers(): number };
  /** Time does not pass while this is under way: work that real sockets and files do takes none. */
  busy<T>(work: Promise<T>): Promise<T>;
  /** Time passes again while this is under way, which is a part of such work. */
  idle<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass, waking each sleeper at its moment, and all come as far as they can before the next. */
  pass(ms: number): Promise<void>;
  /** The machine is suspended: nobody wakes before its end, then all whose moment has come. Many times cheaper than `pass`. */
  suspend(ms: number): Promise<void>;
  /** Lets time pass sleeper by sleeper until it is so; rejects after `withinMs`, or where nobody sleeps. Several may wait at once. */
  until(isSo: () => boolean, withinMs: number): Promise<void>;
};

type Sleeper = { readonly atMs: number; readonly order: number; readonly run: object; readonly wake: () => void };

const PATIENT_TURNS = 1000;

const START = Date.parse('2026-11-21T06:00:00Z');

/** True where something is to be done in the next turn of the loop, such as sending what waits. */
const hasTurns = (): boolean => process.getActiveResourcesInfo().includes('Immediate');

/** The earliest first; of the same moment the one that lay down first. */
const before = (a: Sleeper, b: Sleeper): boolean => a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);

/** Time that passes only when it is told to, for several processes one after the other. */
export const virtualTime = (start = START): VirtualTime => {
  let [elapsed, offset, working, order] = [0, 0, 0, 0];
  const sleepers = new Set<Sleeper>();
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const settled = async (): Promise<void> => {
    await turn();
    // Work of this process is done within some turns; where it waits for more, the processor is left to others.
    for (let turns = 0; working > 0 || hasTurns(); turns += 1) await (turns < PATIENT_TURNS ? turn() : pause(1));
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
  /** Wakes the first sleeper; false where there is none until then. */
  const wakeNext = (endMs: number): boolean => {
    const first = next();
    if (!first || first.atMs > endMs) return false;
    elapsed = Math.max(elapsed, first.atMs);
    sleepers.delete(first);
    first.wake();
    return true;
  };
  const counted = async <T>(by: number, work: Promise<T>): Promise<T> => {
    working += by;
    try {
      return await work;
    } finally {
      working -= by;
    }
  };
  let steps: Promise<unknown> = Promise.resolve();
  return {
    elapsedMs: () => elapsed,
    now: () => start + offset + Math.floor(elapsed),
    trueMs: () => start + Math.floor(elapsed),
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
    busy: (work) => counted(1, work),
    idle: (work) => counted(-1, work),
    pass: async (ms) => {
      const end = elapsed + ms;
      do await settled();
      while (wakeNext(end));
      elapsed = Math.max(elapsed, end);
    },
    suspend: async (ms) => {
      await settled();
      elapsed += ms;
      do await settled();
      while (wakeNext(elapsed));
    },
    until: async (isSo, withinMs) => {
      const end = elapsed + withinMs;
      const step = async (): Promise<boolean> => {
        if (!isSo()) await settled();
        if (isSo()) return true;
        if (!wakeNext(end)) throw new Error(`not within ${withinMs} ms: ${isSo}`);
        return false;
      };
      for (let done = false; !done; ) {
        const mine = steps.then(step);
        steps = mine.catch(() => undefined);
        done = await mine;
      }
    },
  };
};
