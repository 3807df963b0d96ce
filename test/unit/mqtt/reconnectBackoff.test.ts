import { describe, expect, test } from 'vitest';
import { type EndCause, ReconnectBackoff } from '../../../src/mqtt/reconnectBackoff.ts';

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

/** The line was cut, with nothing under way, and nobody said why. */
const CUT: EndCause = { takenOver: false, explained: false };
const TAKEN: EndCause = { takenOver: true, explained: false };

describe('the pause before the next attempt', () => {
  test('doubles to ten seconds while the broker is not reached', () => {
    const backoff = new ReconnectBackoff();
    expect(times(7, () => backoff.failed())).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  });

  test('is a second after a good connection', () => {
    const backoff = new ReconnectBackoff();
    times(5, () => backoff.failed());
    expect(backoff.ended(30_000, CUT)).toBe(1000);
    expect(backoff.contested).toBe(false);
  });

  test('does not shrink by a connection that ended at once', () => {
    const backoff = new ReconnectBackoff();
    times(5, () => backoff.failed());
    expect(backoff.ended(10, CUT)).toBe(10_000);
  });

  test('grows to five minutes where connections end again and again', () => {
    const backoff = new ReconnectBackoff();
    const seen = times(10, () => [backoff.ended(500, CUT), backoff.contested]);
    expect(seen.map(([pause]) => pause)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000]);
    expect(seen.map(([, contested]) => contested)).toEqual([false, false, ...times(8, () => true)]);
  });

  test.each<[what: string, durationMs: number, end: EndCause]>([
    ['after 20 s', 20_000, CUT],
    ['after half a second, each time at a message', 500, { ...CUT, explained: true }],
  ])('stays short on a line that falls again and again %s', (_what, durationMs, end) => {
    const backoff = new ReconnectBackoff();
    for (let fall = 0; fall < 100; fall += 1) {
      expect(backoff.ended(durationMs, end)).toBeLessThanOrEqual(durationMs > 1000 ? 1000 : 10_000);
      expect(backoff.contested).toBe(false);
    }
  });

  test('a broker that is not reached meanwhile does not shorten it', () => {
    const backoff = new ReconnectBackoff();
    times(8, () => backoff.ended(500, CUT));
    expect(backoff.failed()).toBe(128_000);
  });

  test('grows from the first time that the broker says another client has come', () => {
    const backoff = new ReconnectBackoff();
    expect(backoff.ended(500, TAKEN)).toBe(1000);
    expect(backoff.contested).toBe(true);
    expect(backoff.ended(3_600_000, TAKEN)).toBe(1000);
    expect(backoff.contested).toBe(true);
  });
});

test('two that take the place from each other wait longer and longer, and each thinks it contested until one is gone', () => {
  const both = [new ReconnectBackoff(), new ReconnectBackoff()];
  let durationMs = 100;
  for (let round = 0; round < 40; round += 1) {
    const loser = both[round % 2];
    if (!loser) throw new Error('nobody');
    // Who came lives until the other has waited.
    durationMs = loser.ended(durationMs, CUT);
    if (round > 6) expect([round, loser.contested]).toEqual([round, true]);
  }
  expect(durationMs).toBe(300_000);
  expect(both[0]?.ended(3_600_000, CUT)).toBe(1000);
  expect(both[0]?.contested).toBe(false);
});
