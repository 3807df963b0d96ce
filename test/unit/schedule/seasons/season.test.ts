import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  changed,
  outsideMean,
  type Season,
  type SeasonRule,
  type SeasonState,
  seasonBy,
  stepSeason,
} from '../../../../src/schedule/seasons/season.ts';
import { runs } from '../../../support/chance.ts';

const ZONE = 'Europe/Berlin';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const at = (instant: string): number => Date.parse(instant);

test('the mean is that of 7, 14 and twice 22 o’clock of the last three whole days, in local time, also over a change of the clock', () => {
  // The clock goes back on 25 October 2026: 22:00 is 21:00 UTC from then on.
  const points = [
    { at: at('2026-10-23T04:00:00Z'), value: 8 },
    { at: at('2026-10-23T11:59:00Z'), value: 16 },
    { at: at('2026-10-23T20:00:00Z'), value: 4 },
    { at: at('2026-10-25T20:30:00Z'), value: 12 },
  ];
  const mean = (8 + 16 + 2 * 4) / 4 + 4 + (4 + 4 + 2 * 12) / 4;
  expect(outsideMean(points, at('2026-10-25T21:00:00Z'), ZONE)).toBeCloseTo(mean / 3, 10);
  expect(outsideMean(points, at('2026-10-26T20:59:00Z'), ZONE)).toBeCloseTo(mean / 3, 10);
  // At 21:59 the day has no reading of 22:00, and before the first point there is none.
  expect(outsideMean(points, at('2026-10-25T20:59:00Z'), ZONE)).toBeUndefined();
  expect(
    outsideMean(
      [...points, { at: at('2026-10-24T00:00:00Z'), value: null }].sort((a, b) => a.at - b.at),
      at('2026-10-25T22:00:00Z'),
      ZONE,
    ),
  ).toBeUndefined();
});

test.each<
  readonly [
    rule: Parameters<typeof seasonBy>[0],
    now: string,
    meanC: number | undefined,
    present: Season | undefined,
    wanted: Season | undefined,
  ]
>([
  [{ by: 'dates', from: '05-01', to: '09-30' }, '2027-04-29T12:00:00Z', undefined, 'winter', 'winter'],
  [{ by: 'dates', from: '05-01', to: '09-30' }, '2027-04-29T22:00:00Z', undefined, 'winter', 'summer'],
  [{ by: 'dates', from: '05-01', to: '09-30' }, '2027-09-29T12:00:00Z', undefined, 'summer', 'summer'],
  [{ by: 'dates', from: '05-01', to: '09-30' }, '2027-09-30T12:00:00Z', undefined, 'summer', 'winter'],
  // South of the equator.
  [{ by: 'dates', from: '11-01', to: '03-31' }, '2027-12-31T12:00:00Z', undefined, 'winter', 'summer'],
  [{ by: 'outside', limitC: 16 }, '2027-05-01T12:00:00Z', 17, 'winter', 'summer'],
  [{ by: 'outside', limitC: 16 }, '2027-05-01T12:00:00Z', 16.9, 'winter', 'winter'],
  [{ by: 'outside', limitC: 16 }, '2027-05-01T12:00:00Z', 15.1, 'summer', 'summer'],
  [{ by: 'outside', limitC: 16 }, '2027-05-01T12:00:00Z', 15, 'summer', 'winter'],
  [{ by: 'outside', limitC: 16 }, '2027-05-01T12:00:00Z', undefined, 'winter', undefined],
])('%j at %s with %s °C, now %s: %s', (rule, now, meanC, present, wanted) => {
  expect(seasonBy(rule, { nowMs: at(now), zone: ZONE, meanC, present })).toBe(wanted);
});

test('whatever the weather does, each change is told a day before, and two are a week apart', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom<Season>('summer', 'winter'), { minLength: 100, maxLength: 400 }), (wishes) => {
      let state: SeasonState = {};
      const changes: number[] = [];
      let told = 0;
      for (const [hour, wanted] of wishes.flatMap((wish) => Array<Season>(7).fill(wish)).entries()) {
        const nowMs = hour * HOUR_MS;
        const next = stepSeason(state, wanted, nowMs);
        if (next.state.announced && next.state.announced !== state.announced) told = nowMs;
        state = next.state;
        if (!next.isDue) continue;
        expect([state.announced?.season, nowMs - told >= DAY_MS]).toEqual([wanted, true]);
        expect(nowMs - (changes.at(-1) ?? Number.NEGATIVE_INFINITY)).toBeGreaterThanOrEqual(7 * DAY_MS);
        changes.push(nowMs);
        state = changed(wanted, nowMs);
      }
    }),
    { numRuns: runs(100) },
  );
});

test('a change that is not wanted any more is taken back, and one that lasts comes', () => {
  const winter = changed('winter', 0);
  const told = stepSeason(winter, 'summer', 30 * DAY_MS).state;
  expect(told.announced).toEqual({ season: 'summer', atMs: 31 * DAY_MS });
  expect(stepSeason(told, 'winter', 30.5 * DAY_MS)).toEqual({ state: winter, isDue: false });
  // While the temperature is not known, as after a kill, it waits.
  expect(stepSeason(told, undefined, 31 * DAY_MS)).toEqual({ state: told, isDue: false });
  expect(stepSeason(told, 'summer', 31 * DAY_MS)).toEqual({ state: told, isDue: true });
});

test('the first change is taken back where it is as warm as at neither season', () => {
  const rule: SeasonRule = { by: 'outside', limitC: 16 };
  const wanted = (meanC: number | undefined) =>
    seasonBy(rule, { nowMs: at('2027-05-01T12:00:00Z'), zone: ZONE, meanC, present: undefined });
  const told = stepSeason({}, wanted(17), 0).state;
  expect(told.announced?.season).toBe('summer');
  expect(stepSeason(told, wanted(undefined), DAY_MS)).toEqual({ state: told, isDue: false });
  expect(stepSeason(told, wanted(16), DAY_MS)).toEqual({ state: {}, isDue: false });
});
