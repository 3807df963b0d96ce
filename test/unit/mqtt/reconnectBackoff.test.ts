import { describe, expect, test } from 'vitest';
import { type End, Patience } from '../../../src/mqtt/reconnectBackoff.ts';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** The line was cut, with nothing under way, and nobody said why. */
const CUT: End = { takenOver: false, explained: false };
const TAKEN: End = { takenOver: true, explained: false };

describe('the pause before the next attempt', () => {
  test('doubles to ten seconds while the broker is not reached', () => {
    const patience = new Patience();
    expect(times(7, () => patience.failed())).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });

  test('is a second after a good connection', () => {
    const patience = new Patience();
    times(5, () => patience.failed());
    expect(patience.ended(30_000, CUT)).toBe(1000);
    expect(patience.contested).toBe(false);
  });

  test('does not shrink by a connection that ended at once', () => {
    const patience = new Patience();
    times(5, () => patience.failed());
    expect(patience.ended(10, CUT)).toBe(10_000);
  });

  test('grows to five minutes where connections end again and again', () => {
    const patience = new Patience();
    const seen = times(10, () => [patience.ended(500, CUT), patience.contested]);
    expect(seen.map(([pause]) => pause)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000]);
    expect(seen.map(([, contested]) => contested)).toEqual([false, false, ...times(8, () => true)]);
  });

  test.each<[what: string, lifeMs: number, end: End]>([
    ['after 20 s', 20_000, CUT],
    ['after half a second, each time at a message', 500, { ...CUT, explained: true }],
  ])('stays short on a line that falls again and again %s', (_what, lifeMs, end) => {
    const patience = new Patience();
    for (let fall = 0; fall < 100; fall += 1) {
      expect(patience.ended(lifeMs, end)).toBeLessThanOrEqual(lifeMs > 1000 ? 1000 : 10_000);
      expect(patience.contested).toBe(false);
    }
  });

  test('a broker that is not reached meanwhile does not shorten it', () => {
    const patience = new Patience();
    times(8, () => patience.ended(500, CUT));
    expect(patience.failed()).toBe(128_000);
  });

  test('grows from the first time that the broker says another client has come', () => {
    const patience = new Patience();
    expect(patience.ended(500, TAKEN)).toBe(1000);
    expect(patience.contested).toBe(true);
    expect(patience.ended(3_600_000, TAKEN)).toBe(1000);
    expect(patience.contested).toBe(true);
  });
});

test('two that take the place from each other wait longer and longer, and each thinks it contested until one is gone', () => {
  const both = [new Patience(), new Patience()];
  let lifeMs = 100;
  for (let round = 0; round < 40; round += 1) {
    const loser = both[round % 2];
    if (!loser) throw new Error('nobody');
    // Who came lives until the other has waited.
    lifeMs = loser.ended(lifeMs, CUT);
    if (round > 6) expect([round, loser.contested]).toEqual([round, true]);
  }
  expect(lifeMs).toBe(300_000);
  expect(both[0]?.ended(3_600_000, CUT)).toBe(1000);
  expect(both[0]?.contested).toBe(false);
});
