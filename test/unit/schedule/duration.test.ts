import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDuration } from '../../../src/schedule/duration.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('durations', () => {
  test.each([
    ['2h', 0, 2 * HOUR],
    ['90m', 0, 90 * MINUTE],
    ['90 min', 0, 90 * MINUTE],
    ['1h30m', 0, 90 * MINUTE],
    ['1 h 30 min.', 0, 90 * MINUTE],
    ['1.5h', 0, 90 * MINUTE],
    ['1,5 Stunden', 0, 90 * MINUTE],
    ['PT90M', 0, 90 * MINUTE],
    ['pt1h30m', 0, 90 * MINUTE],
    ['PT45S', 0, 45_000],
    ['P1D', 1, 0],
    ['P1DT12H', 1, 12 * HOUR],
    ['P2W', 14, 0],
    ['2 days', 2, 0],
    ['1w 2d', 9, 0],
    ['0.5d', 0, 12 * HOUR],
    ['0m', 0, 0],
  ])('%s', (text, days, ms) => {
    expect(readDuration(text)).toEqual({ days, ms });
  });

  test.each(['', '90', 'h', 'P', 'PT', 'P1M', 'P1Y', '1h1h', '1h30', '-2h', '2x', '1:30', '2027-01-03', '22:00', `${'1'.repeat(80)}h`])(
    '%j is none',
    (text) => expect(readDuration(text)).toBeUndefined(),
  );

  test('every count of hours, minutes and seconds is read as it was written', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.nat(59), fc.nat(59), (h, m, s) => {
        const ms = h * HOUR + m * MINUTE + s * 1000;
        expect(readDuration(`${h}h${m}m${s}s`)).toEqual({ days: 0, ms });
        expect(readDuration(`PT${h}H${m}M${s}S`)).toEqual({ days: 0, ms });
      }),
    );
  });
});
