import { expect, test } from 'vitest';
import { concerns, readRule } from '../../../../src/schedule/calendar/rules.ts';

test.each([
  ['Away -> holiday-at-home', { effect: { kind: 'holidayAtHome' }, isAllDay: true }],
  ['Away -> holidayAtHome', { effect: { kind: 'holidayAtHome' }, isAllDay: true }],
  ['Away -> program comfort; all-day', { effect: { kind: 'program', name: 'comfort' }, isAllDay: true }],
  ['Away -> holiday; lead 7d; gap 1d;', { leadMs: 7 * 86_400_000, gapMs: 86_400_000 }],
  ['Away -> holiday; on a b; on c', { on: ['a', 'b', 'c'] }],
])('%s is a rule', (text, expected) => {
  expect(readRule(text)).toMatchObject(expected);
});

test.each([
  'Away -> holiday -> holiday',
  'Away -> week comfort',
  'Away -> away',
  'Away -> holiday; on',
  'Away -> holiday; all-day long',
  'Away -> holiday; lead 8d',
  'Away -> holiday; gap 2d',
])('%s is no rule', (text) => {
  expect(readRule(text)).toBeTypeOf('string');
});

test.each([
  [['heating.*'], true],
  [['boiler/heating.*'], true],
  [['attic/heating.*'], false],
  [['ventilation'], false],
  [[], true],
])('%j concerns a feature: %s', (on, expected) => {
  expect(concerns({ on }, 'boiler', 'heating.dhw')).toBe(expected);
});
