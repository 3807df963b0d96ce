import { expect, test } from 'vitest';
import { factsText } from '../../../src/shared/log.ts';

test.each([
  [{}, ''],
  [{ device: 'home', code: 'timeout' }, 'device: home, code: timeout'],
  [{ calls: 3, isNew: true, of: { a: 1 }, left: undefined }, 'calls: 3, isNew: true, of: {"a":1}'],
  [{ devices: ['a', 'b'] }, 'devices: [a, b]'],
  [{ devices: Array.from({ length: 12 }, (_, index) => index) }, 'devices: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2 more]'],
])('%j reads as: %s', (facts, text) => {
  expect(factsText(facts)).toBe(text);
});
