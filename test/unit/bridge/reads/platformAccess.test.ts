import { describe, expect, test } from 'vitest';
import type { AuthReport } from '../../../../src/bridge/ports.ts';
import { platformAccess } from '../../../../src/bridge/reads/platformAccess.ts';
import { rateLimiter } from '../../../../src/bridge/reads/rateLimiter.ts';
import type { ReadTarget } from '../../../../src/bridge/state/readTarget.ts';
import { recordingLog } from '../../../support/system/testSystem.ts';
import { fakeClock } from '../../../support/time/fakeClock.ts';

const failure = (code: string) => Object.assign(new Error(`why ${code}`), { code, executed: 'no' as const });
const read = (feature: string): ReadTarget => ({
  device: { name: 'home', installation: '1', gateway: '2', device: '0', features: [feature], exclude: [] },
  target: { installation: '1', gateway: '2', device: '0', feature },
});
const ALL = [read('a'), read('b')];
const [A, B] = [read('a'), read('b')];
const OK: AuthReport = { state: 'ok', since: 'long ago', message: 'Logged in.' };

const setUp = () => {
  const clock = fakeClock();
  const tokens = { report: OK };
  const quota = rateLimiter({ per_10_minutes: 120, per_day: 1450, reserve_for_commands: 100 }, clock);
  const logged: { level: string; facts: object; sentence: string }[] = [];
  const changes: unknown[] = [];
  const access = platformAccess(() => tokens.report, quota, clock, recordingLog(logged));
  access.on('changed', () => void changes.push('changed'));
  /** What this changes. */
  const emitted = (work: () => void): readonly unknown[] => {
    changes.splice(0);
    work();
    return [...changes];
  };
  return { access, tokens, quota, logged, emitted };
};

describe('access', () => {
  test('is refused when every read was refused since one worked', () => {
    const { access, emitted } = setUp();
    const refuse = (one: ReadTarget) => emitted(() => access.readFailed(one, failure('forbidden'), ALL));
    expect(refuse(A)).toEqual([]);
    expect(emitted(() => access.readWorked())).toEqual([]);
    expect(refuse(B)).toEqual([]);
    expect(access.report()).toEqual(OK);
    expect(refuse(A)).toEqual(['changed']);
    expect(refuse(B)).toEqual([]);
    expect(access.report()).toMatchObject({ state: 'failing', since: '2026-11-21T06:00:00.000Z', message: 'why forbidden' });
    expect(emitted(() => access.readWorked())).toEqual(['changed']);
    expect(access.report()).toEqual(OK);
  });

  test('is refused too when some reads were refused for want of rights and all others for want of a plan', () => {
    const { access, emitted } = setUp();
    const refuse = (one: ReadTarget, code: 'forbidden' | 'not_paid') => emitted(() => access.readFailed(one, failure(code), ALL));
    expect(refuse(A, 'not_paid')).toEqual([]);
    expect(refuse(B, 'not_paid')).toEqual([]);
    expect(refuse(A, 'forbidden')).toEqual(['changed']);
    expect(refuse(B, 'not_paid')).toEqual([]);
    expect(access.report()).toMatchObject({ state: 'failing', message: 'why forbidden' });
  });

  test('is refused by one call whose renewed token was refused, and by nothing else that fails', () => {
    const { access, tokens, emitted } = setUp();
    for (const code of ['forbidden', 'not_paid', 'login_needed', 'unreachable'])
      expect(emitted(() => access.callFailed(failure(code)))).toEqual([]);
    for (const code of ['not_paid', 'not_found']) expect(emitted(() => access.readFailed(A, failure(code), [A]))).toEqual([]);
    expect(emitted(() => access.callFailed(failure('token_expired')))).toEqual(['changed']);
    expect(emitted(() => access.callFailed(failure('token_expired')))).toEqual([]);
    tokens.report = { ...OK, state: 'refreshing' };
    expect(access.report().state).toBe('failing');
    tokens.report = { ...OK, state: 'login_needed' };
    expect(access.report()).toEqual(tokens.report);
  });

  test('tells a new login from tokens that were renewed', () => {
    const { access, tokens } = setUp();
    access.start();
    expect(access.tokensChanged()).toBe(false);
    tokens.report = { ...OK, consent_expires_at: '2027-01-01T00:00:00.000Z' };
    expect(access.tokensChanged()).toBe(true);
    expect(access.tokensChanged()).toBe(false);
  });

  test('says once that the platform refuses all calls, and once that it takes them again', () => {
    const { access, quota, logged } = setUp();
    access.callFailed(failure('rate_limited'));
    access.callFailed(failure('rate_limited'));
    expect(quota.mayRead()).toBe(false);
    access.readWorked();
    access.readWorked();
    expect(logged.map(({ level }) => level)).toEqual(['warn', 'info']);
  });
});
