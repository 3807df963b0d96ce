import { describe, expect, test } from 'vitest';
import { type Absences, missingFeatures } from '../../../../src/bridge/devices/missingFeatures.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-21T06:00:00Z');

/** A counter on a clock that stands where each note says. */
const counter = (hours: number, before: Absences = {}) => {
  let now = 0;
  const clock = { now: () => START + now, elapsedMs: () => now };
  const gone = missingFeatures(hours, clock, before);
  return {
    note: (missing: readonly string[], nowMs: number): string[] => {
      now = nowMs;
      return gone.note(missing);
    },
    kept: (): Absences => JSON.parse(JSON.stringify(gone.absences())),
  };
};

describe('a feature that is no longer listed is gone', () => {
  test('after three complete reads in a row over at least 24 h', () => {
    const gone = counter(24);
    expect(gone.note(['a'], 0)).toEqual([]);
    expect(gone.note(['a'], 12 * HOUR)).toEqual([]);
    expect(gone.note(['a'], 24 * HOUR - 1)).toEqual([]);
    expect(gone.note(['a'], 24 * HOUR)).toEqual(['a']);
    expect(gone.note([], 25 * HOUR)).toEqual([]);
  });

  test('not after two reads, however far apart', () => {
    const gone = counter(24);
    gone.note(['a'], 0);
    expect(gone.note(['a'], 100 * HOUR)).toEqual([]);
    expect(gone.note(['a'], 100 * HOUR + 1)).toEqual(['a']);
  });

  test('and the count begins anew when it shows itself between', () => {
    const gone = counter(24);
    gone.note(['a', 'b'], 0);
    gone.note(['a', 'b'], 20 * HOUR);
    gone.note(['b'], 21 * HOUR);
    expect(gone.note(['a', 'b'], 24 * HOUR)).toEqual(['b']);
    gone.note(['a'], 25 * HOUR);
    expect(gone.note(['a'], 48 * HOUR)).toEqual(['a']);
  });

  test('at the third read where no time is asked for', () => {
    const gone = counter(0);
    expect([gone.note(['a'], 0), gone.note(['a'], 1), gone.note(['a'], 2)]).toEqual([[], [], ['a']]);
  });

  test('also where each of the reads was made by another run', () => {
    const first = counter(24);
    first.note(['a', 'b'], 0);
    expect(first.kept()).toEqual({ a: { since_ms: START, reads: 1 }, b: { since_ms: START, reads: 1 } });
    // Each run begins its own clock; what was kept lies so many hours back.
    const later = (hours: number, kept: Absences): Absences =>
      Object.fromEntries(Object.entries(kept).map(([name, { since_ms, reads }]) => [name, { since_ms: since_ms - hours * HOUR, reads }]));
    const second = counter(24, later(12, first.kept()));
    expect(second.note(['a'], 0)).toEqual([]);
    const third = counter(24, later(11, second.kept()));
    expect(third.note(['a'], 0)).toEqual([]);
    expect(third.kept()).toMatchObject({ a: { reads: 3 } });
    expect(counter(24, later(1, third.kept())).note(['a', 'b'], 0)).toEqual(['a']);
  });

  test('and a clock that was wrong only makes it later', () => {
    const gone = counter(24, { a: { since_ms: START + 1000 * HOUR, reads: 3 } });
    expect(gone.note(['a'], 0)).toEqual([]);
    expect(gone.note(['a'], 24 * HOUR)).toEqual(['a']);
  });
});
