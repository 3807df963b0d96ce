import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/features/feature.ts';
import { payloadOf, plainNumber } from '../../../src/topics/valuePayload.ts';
import { expectTable } from '../../support/golden.ts';

describe('a payload', () => {
  test('is plain text of a value', () => expectTable('payloads', 17, (value: Json) => payloadOf(value)));

  test('of what is no value is empty', () =>
    expect([undefined, Number.NaN, Number.POSITIVE_INFINITY, -0].map(payloadOf)).toEqual(['', '', '', '0']));
});

describe('a number', () => {
  test('is written as plain decimals from which it comes back', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = plainNumber(value);
        expect(text).toMatch(/^-?\d+(?:\.\d+)?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
    );
  });
});
