import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/features/feature.ts';
import { payloadOf, plainNumber } from '../../../src/topics/valuePayload.ts';

describe('a payload', () => {
  test.each<[value: Json | undefined, payload: string]>([
    [undefined, ''],
    [null, ''],
    [true, 'true'],
    [false, 'false'],
    ['', ''],
    ['standby', 'standby'],
    ['"quoted"', '"quoted"'],
    [0, '0'],
    [-0, '0'],
    [21.5, '21.5'],
    [875.0999999999999, '875.0999999999999'],
    [1e-7, '0.0000001'],
    [-1.25e-9, '-0.00000000125'],
    [1e21, '1000000000000000000000'],
    [1.5e300, `15${'0'.repeat(299)}`],
    [Number.NaN, ''],
    [Number.POSITIVE_INFINITY, ''],
    [[], '[]'],
    [{}, '{}'],
    [['a', 1], '["a",1]'],
    [{ a: { b: [null] } }, '{"a":{"b":[null]}}'],
  ])('%j is %j', (value, payload) => expect(payloadOf(value)).toBe(payload));
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
