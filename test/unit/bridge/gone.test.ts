import { describe, expect, test } from 'vitest';
import { Gone } from '../../../src/bridge/gone.ts';

const HOUR = 3_600_000;

describe('a feature that is no longer listed is gone', () => {
  test('after three complete reads in a row over at least 24 h', () => {
    const gone = new Gone(24);
    expect(gone.note(['a'], 0)).toEqual([]);
    expect(gone.note(['a'], 12 * HOUR)).toEqual([]);
    expect(gone.note(['a'], 24 * HOUR - 1)).toEqual([]);
    expect(gone.note(['a'], 24 * HOUR)).toEqual(['a']);
    expect(gone.note([], 25 * HOUR)).toEqual([]);
  });

  test('not after two reads, however far apart', () => {
    const gone = new Gone(24);
    gone.note(['a'], 0);
    expect(gone.note(['a'], 100 * HOUR)).toEqual([]);
    expect(gone.note(['a'], 100 * HOUR + 1)).toEqual(['a']);
  });

  test('and the count begins anew when it shows itself between', () => {
    const gone = new Gone(24);
    gone.note(['a', 'b'], 0);
    gone.note(['a', 'b'], 20 * HOUR);
    gone.note(['b'], 21 * HOUR);
    expect(gone.note(['a', 'b'], 24 * HOUR)).toEqual(['b']);
    gone.note(['a'], 25 * HOUR);
    expect(gone.note(['a'], 48 * HOUR)).toEqual(['a']);
  });

  test('at the third read where no time is asked for', () => {
    const gone = new Gone(0);
    expect([gone.note(['a'], 0), gone.note(['a'], 1), gone.note(['a'], 2)]).toEqual([[], [], ['a']]);
  });
});
