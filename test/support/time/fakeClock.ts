import type { Clock } from '../../../src/shared/clock.ts';

export type FakeClock = Clock & {
  /** What was asked of `sleep`, in milliseconds, in the order of asking. */
  readonly asked: readonly number[];
  /** Lets time pass, waking sleepers one by one at their moments, and gives each the turns of the loop that it needs. */
  pass(ms: number): Promise<void>;
};

const START = Date.parse('2026-11-21T06:00:00Z');

/** Lets work that nobody waits for come as far as it can. */
export const settled = async (turns = 10): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A clock that stands still unless it is told to go on. */
export const fakeClock = (start = START): FakeClock => {
  let elapsed = 0;
  const asked: number[] = [];
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  return {
    asked,
    now: () => start + Math.floor(elapsed),
    elapsedMs: () => elapsed,
    sleep: (ms, signal) => {
      asked.push(ms);
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const sleeper = { at: elapsed + ms, wake: () => resolve() };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      });
    },
    pass: async (ms) => {
      const end = elapsed + ms;
      await settled();
      for (;;) {
        const [next] = [...sleepers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (!next) break;
        elapsed = Math.max(elapsed, next.at);
        sleepers.delete(next);
        next.wake();
        await settled(3);
      }
      elapsed = end;
      await settled();
    },
  };
};
