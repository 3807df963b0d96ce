import { expect, test } from 'vitest';
import { closedBy, failureOf } from '../../../src/shared/failures.ts';

test('a code that is not known is tried again and affects nothing else', () => {
  expect(failureOf('of another version')).toMatchObject({ retry: { kind: 'backoff', maxMs: 900_000 }, scope: 'read', log: 'warn' });
  // A member of every object is no row.
  expect(failureOf('constructor')).toBe(failureOf('of another version'));
});

test.each([
  ['forbidden', 'DEVICE_NOT_FOUND', 'read'],
  ['not_paid', undefined, 'read'],
  ['not_found', undefined, 'read'],
  ['not_found', 'FEATURE_NOT_FOUND', 'read'],
  ['not_found', 'DEVICE_NOT_FOUND', 'no'],
  ['gone', undefined, 'kind'],
  ['timeout', undefined, 'no'],
] as const)('a read that fails with %s (%s) closes: %s', (code, errorType, closes) => {
  expect(closedBy({ code, errorType })).toBe(closes);
});

test('calls that were not made or not answered say nothing of the platform', () => {
  for (const code of ['aborted', 'rate_limited', 'no_quota']) expect(failureOf(code).retry).toEqual({ kind: 'interval' });
});
