import { describe, expect, test } from 'vitest';
import { PlatformAccess } from '../../../../src/bridge/polling/platformAccess.ts';
import type { ReadTarget } from '../../../../src/bridge/polling/readTarget.ts';
import { fakeClock } from '../../../support/time/fakeClock.ts';

const failure = (code: string) => Object.assign(new Error(`why ${code}`), { code, executed: 'no' as const });
const read = (feature: string): ReadTarget => ({
  device: { name: 'home', installation: '1', gateway: '2', device: '0', features: [feature], exclude: [] },
  target: { installation: '1', gateway: '2', device: '0', feature },
});
const ALL = [read('a'), read('b')];
const [A, B] = [read('a'), read('b')];
const OK = { state: 'ok', since: 'long ago', message: 'Logged in.' } as const;

describe('access', () => {
  test('is refused when every read was refused since one worked', () => {
    const access = new PlatformAccess(fakeClock());
    expect(access.readFailed(A, failure('forbidden'), ALL)).toBe(false);
    expect(access.worked()).toBe(false);
    expect(access.readFailed(B, failure('forbidden'), ALL)).toBe(false);
    expect(access.report(OK)).toEqual(OK);
    expect(access.readFailed(A, failure('forbidden'), ALL)).toBe(true);
    expect(access.readFailed(B, failure('forbidden'), ALL)).toBe(false);
    expect(access.report(OK)).toMatchObject({ state: 'failing', since: '2026-11-21T06:00:00.000Z', message: 'why forbidden' });
    expect(access.worked()).toBe(true);
    expect(access.report(OK)).toEqual(OK);
  });

  test('is refused by one call whose renewed token was refused, and by nothing else that fails', () => {
    const access = new PlatformAccess(fakeClock());
    for (const code of ['forbidden', 'not_paid', 'login_needed', 'unreachable']) expect(access.callFailed(failure(code))).toBe(false);
    for (const code of ['not_paid', 'not_found', 'token_expired']) expect(access.readFailed(A, failure(code), [A])).toBe(false);
    expect([access.callFailed(failure('token_expired')), access.callFailed(failure('token_expired'))]).toEqual([true, false]);
    expect(access.report({ ...OK, state: 'refreshing' }).state).toBe('failing');
    expect(access.report({ ...OK, state: 'login_needed' })).toEqual({ ...OK, state: 'login_needed' });
  });
});
