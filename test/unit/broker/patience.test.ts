import { describe, expect, test } from 'vitest';
import { Patience } from '../../../src/broker/patience.ts';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

describe('the pause before the next attempt', () => {
  test('doubles to ten seconds while the broker is not reached', () => {
    const patience = new Patience();
    expect(times(7, () => patience.failed())).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });

  test('is a second after a good connection', () => {
    const patience = new Patience();
    times(5, () => patience.failed());
    expect(patience.ended(30_000, false)).toBe(1000);
    expect(patience.contested).toBe(false);
  });

  test('does not shrink by a connection that ended at once', () => {
    const patience = new Patience();
    times(5, () => patience.failed());
    expect(patience.ended(10, false)).toBe(10_000);
  });

  test('grows to five minutes where connections end again and again', () => {
    const patience = new Patience();
    const seen = times(10, () => [patience.ended(500, false), patience.contested]);
    expect(seen.map(([pause]) => pause)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000]);
    expect(seen.map(([, contested]) => contested)).toEqual([false, false, ...times(8, () => true)]);
  });

  test('a broker that is not reached meanwhile does not shorten it', () => {
    const patience = new Patience();
    times(8, () => patience.ended(500, false));
    expect(patience.failed()).toBe(128_000);
  });

  test('grows from the first time that the broker says another client has come', () => {
    const patience = new Patience();
    expect(patience.ended(500, true)).toBe(1000);
    expect(patience.contested).toBe(true);
    expect(patience.ended(3_600_000, true)).toBe(1000);
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
    lifeMs = loser.ended(lifeMs, false);
    if (round > 6) expect([round, loser.contested]).toEqual([round, true]);
  }
  expect(lifeMs).toBe(300_000);
  expect(both[0]?.ended(3_600_000, false)).toBe(1000);
  expect(both[0]?.contested).toBe(false);
});
