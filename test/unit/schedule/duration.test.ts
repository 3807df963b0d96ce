import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDuration } from '../../../src/schedule/duration.ts';
import { expectTable } from '../../support/golden.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('durations', () => {
  test('are read in many forms', () => expectTable('durations', 17, readDuration));

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
