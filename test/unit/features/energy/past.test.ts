import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pastOf } from '../../../../src/features/energy/past.ts';
import { importMessage, PAST_FORMATS, type PastSeries } from '../../../../src/features/energy/pastFiles.ts';
import type { Feature } from '../../../../src/features/feature.ts';
import { featureOf } from '../../../support/devices/features.ts';

const unit = 'kilowattHour';
const DAY_MS = 86_400_000;
const dateOf = (iso: string): string => iso.slice(0, 10);
const dayAt = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
/** As in a record of a heat pump, read on a Sunday. */
const DAYS = [7.2, 12.6, 10.5, 8.4, 9.6, 9.4, 6.2, 10];
const MONTHS = [48.3, 121.8, 28.1, 41.7, 31.5, 65.3, 282, 683, 1008.9, 1130.2, 1049.5, 739.1, 337];
const YEARS = [3440.8, 5346.4];
const TODAY = '2025-10-05';

const lists = (of: Readonly<Record<string, readonly number[]>>, readAt: Readonly<Record<string, string>> = {}): Feature =>
  featureOf(
    'heating.power.consumption.total',
    Object.fromEntries(
      Object.entries(of).flatMap(([period, value]) => [
        [period, { value: [...value], unit }],
        [`${period}ValueReadAt`, { value: readAt[period] ?? `${TODAY}T05:14:16Z` }],
      ]),
    ),
  );
const WHOLE = { day: DAYS, week: [63.9], month: MONTHS, year: YEARS };
const told = (feature: Feature, counted = 0, today = TODAY): string =>
  (pastOf(feature, today, counted, dateOf)?.bars ?? []).map(({ from, grain, amount }) => `${from} ${grain[0]} ${amount}`).join(', ');

const OLDER =
  '2024-10-01 m 337, 2024-11-01 m 739.1, 2024-12-01 m 1049.5, 2025-01-01 m 1130.2, 2025-02-01 m 1008.9, 2025-03-01 m 683, 2025-04-01 m 282, 2025-05-01 m 65.3, 2025-06-01 m 31.5, 2025-07-01 m 41.7, 2025-08-01 m 28.1';
const YEAR = '2024-01-01 y 3220.8';
const WITH_DAYS = '2025-09-01 m 96.2, 2025-09-28 d 10, 2025-09-29 d 6.2, 2025-09-30 d 9.4';
const OCTOBER = '2025-10-01 d 9.6, 2025-10-02 d 8.4, 2025-10-03 d 10.5, 2025-10-04 d 12.6';

const FEW = '2025-10-01 m 18, 2025-10-03 d 10.5, 2025-10-04 d 12.6';

describe('the past of lists', () => {
  it.each([
    ['days, the rest of months, the rest of years', lists(WHOLE), `${YEAR}, ${OLDER}, ${WITH_DAYS}, ${OCTOBER}`],
    ['days of yesterday', lists(WHOLE, { day: '2025-10-04T21:00:00Z' }), `${YEAR}, ${OLDER}, 2025-09-01 m 121.8`],
    ['days that are not those of the week', lists({ ...WHOLE, week: [60] }), `${YEAR}, ${OLDER}, 2025-09-01 m 121.8, 2025-10-01 m 41.1`],
    ['months that are not those of the year', lists({ ...WHOLE, year: [3300, 5346.4] }), `${WITH_DAYS.slice(19)}, ${OCTOBER}`],
    ['months of the last month', lists(WHOLE, { month: '2025-09-30T21:00:00Z' }), `${WITH_DAYS.slice(19)}, ${OCTOBER}`],
    ['a year that is less than its months', lists({ ...WHOLE, year: [3440.8, 2000] }), `${OLDER}, ${WITH_DAYS}, ${OCTOBER}`],
    ['days that do not go back to Monday', lists({ ...WHOLE, day: DAYS.slice(0, 3) }), `${YEAR}, ${OLDER}, 2025-09-01 m 121.8, ${FEW}`],
    ['lists that all hold the same', lists({ day: DAYS, week: DAYS, month: DAYS, year: DAYS }), ''],
    ['nothing used', lists({ day: [0, 0], week: [0], month: [0, 0], year: [0, 0] }), ''],
  ])('%s', (_, feature, bars) => expect(told(feature)).toBe(bars));

  it('tells a summary by month and year, where it was reported today', () => {
    const amounts = { currentDay: 9.6, currentMonth: 61.8, lastMonth: 389.9, currentYear: 3382.9, lastYear: 5903.8 };
    const properties = Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, { value, unit }]));
    const feature = featureOf('heating.heat.production.summary.dhw', properties);
    const at = (timestamp: string) => told({ ...feature, timestamp });
    expect(at(`${TODAY}T05:14:04Z`)).toBe('2024-01-01 y 5903.8, 2025-01-01 y 2931.2, 2025-09-01 m 389.9, 2025-10-01 m 52.2');
    expect(at('2025-10-04T05:14:04Z')).toBe('2024-01-01 y 5903.8, 2025-09-01 m 389.9');
    expect(at('2025-09-04T05:14:04Z')).toBe('');
  });

  it('ends before what the bridge has counted', () => {
    const bars = `${YEAR}, ${OLDER}, ${WITH_DAYS}`;
    expect(told(lists(WHOLE), 7.2)).toBe(`${bars}, ${OCTOBER}`);
    expect(told(lists(WHOLE), 7.3)).toBe(`${bars}, ${OCTOBER.slice(0, OCTOBER.lastIndexOf(','))}`);
    expect(told(lists(WHOLE), 73)).toBe(`${YEAR}, ${OLDER}, 2025-09-01 m 96.2`);
    expect(told(lists(WHOLE), 9000)).toBe('');
  });

  it('is undefined for a feature without amounts', () =>
    expect(pastOf(featureOf('heating.dhw', { value: { value: 'on' } }), TODAY, 0, dateOf)).toBeUndefined());

  it('tells each day once, whatever was used and whenever it is read', () => {
    const story = fc.record({
      today: fc.integer({ min: 0, max: 1500 }).map((days) => Date.UTC(2024, 0, 1) + days * DAY_MS),
      uses: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 40 }),
      counted: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(story, ({ today, uses, counted }) => {
        const useOf = (atMs: number): number => (uses[(atMs / DAY_MS) % uses.length] ?? 0) / 10;
        const between = (from: number, to: number): number => {
          let all = 0;
          for (let at = Math.max(from, today - 1500 * DAY_MS); at < to && at <= today; at += DAY_MS) all += useOf(at);
          return all;
        };
        const day = new Date(today);
        const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
        const monday = today - ((day.getUTCDay() + 6) % 7) * DAY_MS;
        const feature = lists(
          {
            day: Array.from({ length: 8 }, (_, before) => useOf(today - before * DAY_MS)),
            week: [between(monday, today + DAY_MS)],
            month: Array.from({ length: 13 }, (_, before) =>
              between(Date.UTC(year, month - before, 1), Date.UTC(year, month - before + 1, 1)),
            ),
            year: Array.from({ length: 3 }, (_, before) => between(Date.UTC(year - before, 0, 1), Date.UTC(year - before + 1, 0, 1))),
          },
          Object.fromEntries(['day', 'week', 'month', 'year'].map((period) => [period, `${dayAt(today)}T01:00:00Z`])),
        );
        const past = pastOf(feature, dayAt(today), 0, dateOf);
        const starts = past?.bars.map(({ from }) => Date.parse(from)) ?? [];
        expect(past?.whole).toBe(true);
        expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b));
        // Each bar is what was used up to the next one, the last up to today.
        for (const [index, { amount }] of (past?.bars ?? []).entries())
          expect(amount).toBeCloseTo(between(starts[index] ?? 0, starts[index + 1] ?? today), 2);
        const fewer = pastOf(feature, dayAt(today), counted, dateOf)?.bars ?? [];
        const end = starts[fewer.length] ?? today;
        expect(past?.bars.slice(0, fewer.length)).toEqual(fewer);
        expect(between(end, today + DAY_MS)).toBeGreaterThanOrEqual(counted - 0.01);
      }),
    );
  });
});

describe('the files of the past', () => {
  const series: PastSeries = {
    ...{
      device: 'house, old',
      feature: 'heating.gas.consumption.total',
      id: 'heating2mqtt:g_0_gas',
      name: 'Gas',
      unit: 'm³',
    },
    bars: [
      { from: '2025-03-29', start: '2025-03-29T00:00:00+01:00', grain: 'month', amount: 0.1 },
      { from: '2025-03-31', start: '2025-03-31T00:00:00+02:00', grain: 'day', amount: 0.2 },
    ],
  };

  it('is what Home Assistant imports, with a sum that never falls', () =>
    expect(importMessage(series)).toEqual({
      type: 'recorder/import_statistics',
      metadata: {
        ...{
          statistic_id: 'heating2mqtt:g_0_gas',
          source: 'heating2mqtt',
          name: 'Gas',
          unit_of_measurement: 'm³',
          unit_class: 'volume',
        },
        ...{ has_sum: true, has_mean: false, mean_type: 0 },
      },
      stats: [
        { start: '2025-03-29T00:00:00+01:00', state: 0.1, sum: 0.1 },
        { start: '2025-03-31T00:00:00+02:00', state: 0.3, sum: 0.3 },
      ],
    }));

  it('has no formula in commas', () => {
    expect(PAST_FORMATS.csv([{ ...series, device: '-2+3' }])).toContain(",'-2+3,");
  });

  it('is JSON, tabs or commas', () => {
    expect(JSON.parse(PAST_FORMATS.ha([series]))).toEqual([importMessage(series)]);
    expect(PAST_FORMATS.tsv([series])).toBe(
      'statistic_id\tstart\tunit\tstate\tsum\nheating2mqtt:g_0_gas\t29.03.2025 00:00\tm³\t0.1\t0.1\nheating2mqtt:g_0_gas\t31.03.2025 00:00\tm³\t0.3\t0.3\n',
    );
    expect(PAST_FORMATS.csv([series])).toBe(
      'start,value,unit,grain,device,feature\n2025-03-29T00:00:00+01:00,0.1,m³,month,"house, old",heating.gas.consumption.total\n2025-03-31T00:00:00+02:00,0.2,m³,day,"house, old",heating.gas.consumption.total\n',
    );
  });
});
