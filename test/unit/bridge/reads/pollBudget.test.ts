import { describe, expect, test } from 'vitest';
import type { Allowance } from '../../../../src/bridge/reads/pollBudget.ts';
import { planPolling } from '../../../../src/bridge/reads/pollBudget.ts';
import { paceEn } from '../../../../src/language/answers/pace.ts';
import { IS_LONG } from '../../../support/chance.ts';
import { bestConstant, type Month, simulate } from '../../../support/system/month.ts';

const ALLOWANCE: Allowance = { per_10_minutes: 120, per_day: 1450, reserve_for_commands: 50 };
const QUIET = { hour: 0, day: 0, otherDay: 0, leaving: [0, 0, 0, 0, 0] };

describe('the pace of polling', () => {
  test.each([
    [1, QUIET, 60, 63],
    [10, QUIET, 60, 630],
    [20, QUIET, 60, 1260],
    [1, QUIET, 300, 300],
    [10, { ...QUIET, otherDay: 672 }, 60, 1235],
    [1, { ...QUIET, otherDay: 100_000 }, 60, 618],
    [1, { ...QUIET, day: 1400, leaving: [117, 233, 467, 933, 1400] }, 60, 81],
  ])('%i reads after %o, wished every %i s, one round in %i s', (reads, spent, wish, seconds) => {
    expect(planPolling(ALLOWANCE, spent, reads, wish).roundSeconds).toBe(seconds);
  });

  test('a large day is held back by the ten minutes', () => {
    const plan = planPolling({ ...ALLOWANCE, per_day: 1_000_000 }, QUIET, 100, 1);
    expect(plan.roundSeconds).toBe(600);
    expect(plan.pace).toEqual({ kind: 'ten', reads: 100 });
    expect(paceEn(plan.pace)).toContain('ten minutes');
  });

  test('a crash loop goes on in the pace of one run', () => {
    expect(planPolling(ALLOWANCE, { ...QUIET, hour: 60 }, 20, 60).burst).toBe(true);
    expect(planPolling(ALLOWANCE, { ...QUIET, hour: 98 }, 20, 60).burst).toBe(false);
  });
});

/** In `npm test` two of them, for ten days. */
const MONTHS: readonly Month[] = [1, 2, 3, 5, 8, 12, 16, 20]
  .map((reads, index) => ({ days: IS_LONG ? 30 : 10, reads, seed: index + 1, allowance: ALLOWANCE }))
  .filter(({ reads }) => IS_LONG || reads === 5 || reads === 20);

describe('a month of 200 commands a day in bursts, restarts and outages', () => {
  test.each(MONTHS)('$reads reads', (month) => {
    const lived = simulate(month);
    expect(lived).toMatchObject({ refusedByPlatform: 0, refusedCommands: 0 });
    expect(lived.commands).toBe(200 * month.days);
    expect(lived.meanAgeS).toBeLessThanOrEqual(bestConstant(month, lived) * 1.1);
  });
});
