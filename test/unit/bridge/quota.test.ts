import { describe, expect, test } from 'vitest';
import { DAY_MS, Quota, TEN_MINUTES_MS } from '../../../src/bridge/quota.ts';

const ALLOWANCE = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };

const counted = (calls: number, atMs = 0): Quota => {
  const quota = new Quota(ALLOWANCE);
  for (let n = 0; n < calls; n += 1) quota.count(atMs);
  return quota;
};

describe('the allowance', () => {
  test('is counted in windows that slide', () => {
    const quota = counted(3);
    quota.count(1000);
    expect(quota.used(1000)).toEqual({ per_10_minutes: 4, per_day: 4 });
    expect(quota.left(1000)).toEqual({ per_10_minutes: 116, per_day: 1446 });
    expect(quota.used(TEN_MINUTES_MS - 1)).toEqual({ per_10_minutes: 4, per_day: 4 });
    expect(quota.used(TEN_MINUTES_MS)).toEqual({ per_10_minutes: 1, per_day: 4 });
    expect(quota.used(TEN_MINUTES_MS + 1000)).toEqual({ per_10_minutes: 0, per_day: 4 });
    expect(quota.used(DAY_MS)).toEqual({ per_10_minutes: 0, per_day: 1 });
    expect(quota.used(DAY_MS + 1000)).toEqual({ per_10_minutes: 0, per_day: 0 });
    expect(quota.left(DAY_MS + 1000)).toEqual({ per_10_minutes: 120, per_day: 1450 });
  });

  test('never has less than nothing left', () => {
    expect(counted(2000).left(0)).toEqual({ per_10_minutes: 0, per_day: 0 });
  });

  test.each([
    [99, true, true],
    [100, false, true],
    [119, false, true],
    [120, false, false],
  ])('with %i calls in ten minutes: a read may go out %s, a command %s', (calls, read, command) => {
    expect([counted(calls).mayRead(0), counted(calls).mayCommand(0)]).toEqual([read, command]);
  });

  test.each([
    [1399, true, true],
    [1400, false, true],
    [1449, false, true],
    [1450, false, false],
  ])('with %i calls in a day: a read may go out %s, a command %s', (calls, read, command) => {
    const quota = counted(calls);
    expect([quota.mayRead(TEN_MINUTES_MS), quota.mayCommand(TEN_MINUTES_MS)]).toEqual([read, command]);
  });

  test('a pause stops both, and is never shortened', () => {
    const quota = counted(0);
    quota.pauseUntil(5000);
    quota.pauseUntil(1000);
    expect(quota.pausedForMs(2000)).toBe(3000);
    expect([quota.mayRead(4999), quota.mayCommand(4999)]).toEqual([false, false]);
    expect([quota.mayRead(5000), quota.mayCommand(5000)]).toEqual([true, true]);
    expect(quota.pausedForMs(6000)).toBe(0);
  });

  test.each([
    [1, 61.7],
    [10, 617.1],
    [100, 6171.4],
  ])('of the specification carries %i reads every %d s', (reads, seconds) => {
    expect(counted(0).shortestInterval(reads)).toBeCloseTo(seconds, 1);
  });

  test('for ten minutes counts where it is the narrower one', () => {
    expect(new Quota({ per_10_minutes: 12, per_day: 1_000_000, reserve_for_commands: 0 }).shortestInterval(20)).toBe(1200);
  });
});
