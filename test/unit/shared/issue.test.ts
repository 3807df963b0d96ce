import { expect, test } from 'vitest';
import { broken, listed, shown } from '../../../src/shared/issue.ts';
import { matchesPattern } from '../../../src/shared/pattern.ts';

test('an issue holds only what it says', () => {
  expect(broken('time', '/mon/0/end', '25:00 is no time')).toEqual({ path: '/mon/0/end', rule: 'time', message: '25:00 is no time' });
  expect(broken('mode', '', 'm', { got: 'x'.repeat(70_000), nearest: [] })).toEqual({
    path: '',
    rule: 'mode',
    message: 'm',
    got: `${'x'.repeat(60)} (and 69940 characters more)`,
  });
});

test.each([
  ['text', 'text'],
  [21.5, '21.5'],
  [null, 'null'],
  [undefined, 'nothing'],
  [[1], 'a list'],
  [{ a: 1 }, 'an object'],
])('%j is shown as %s', (value, text) => expect(shown(value)).toBe(text));

test('a list of issues is cut at a hundred', () => {
  const issues = Array.from({ length: 103 }, () => broken('time', '', ''));
  expect(listed(issues.slice(0, 100))).toHaveLength(100);
  expect(listed(issues).at(-1)?.message).toBe('3 more rules are broken; only the first 100 are listed');
});

test.each([
  ['2026-01-01', '^[\\d]{4}-[\\d]{2}-[\\d]{2}$', true],
  ['Schlafzimmer ü', '^[\\p{L}0-9]+( [\\p{L}0-9]+)*$', true],
  ['a', '^b$', false],
  ['a', '(', undefined],
  [`${'a'.repeat(60)}b`, '^(a+)+$', undefined],
])('%s against %s is %j', (text, pattern, answer) => expect(matchesPattern(text, pattern)).toBe(answer));
