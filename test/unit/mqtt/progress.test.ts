import fc from 'fast-check';
import { expect, test } from 'vitest';
import { progressBy } from '../../../src/mqtt/progress.ts';

test('a step is overdue from the moment at which it had to be made, until one is made', () => {
  const steps = fc.array(fc.record({ afterMs: fc.nat(1e6), nextInMs: fc.nat(1e6) }));
  fc.assert(
    fc.property(steps, fc.nat(1e7), (made, laterMs) => {
      let nowMs = 0;
      const progress = progressBy({ elapsedMs: () => nowMs });
      for (const { afterMs, nextInMs } of made) {
        nowMs += afterMs;
        progress.made(nextInMs);
        expect(progress.stalledMs()).toBe(0);
      }
      nowMs += laterMs;
      expect(progress.stalledMs()).toBe(Math.max(0, laterMs - (made.at(-1)?.nextInMs ?? 0)));
    }),
  );
});
