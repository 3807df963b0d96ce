import { expect, it } from 'vitest';
import type { PastSeries } from '../../../src/features/energy/pastFiles.ts';
import type { DayRow } from '../../../src/features/performance/dayRow.ts';
import { kindOf, lastDays, periodsOf, sumsBy, unitOf } from '../../../src/page/performance/model.ts';

const day = (date: string, total: number): DayRow => ({ day: date, covered: 24, power: { total }, rod: { total: 1 } });
const series = (of: string, bars: PastSeries['bars']): PastSeries => ({
  ...{ device: 'home', feature: `heating.${of}`, id: '', name: '', unit: 'kWh', bars },
});
const bar = (from: string, grain: 'day' | 'month' | 'year', amount: number) => ({ from, grain, amount, start: '' });
const ROWS = [day('2026-10-31', 4), day('2026-11-01', 5), day('2026-11-03', 6)];
const PAST = [
  series('power.consumption.heating', [bar('2025-01-01', 'year', 100), bar('2026-09-01', 'month', 20), bar('2026-10-30', 'day', 2)]),
  series('power.consumption.dhw', [
    ...[bar('2025-01-01', 'year', 10), bar('2026-09-01', 'month', 3), bar('2026-10-30', 'day', 1), bar('2026-10-31', 'day', 9)],
  ]),
  series('heat.production.dhw', [bar('2026-09-01', 'month', 50)]),
];

it('adds up months and years as the periods do; what the bridge has counted is no past, and a whole year is in no month', () => {
  const [thisMonth] = periodsOf(ROWS, '2026-11-04');
  expect(sumsBy('month', ROWS, [], 'power').at(-1)?.own).toBe(thisMonth?.report?.power?.total);
  expect(sumsBy('month', ROWS, PAST, kindOf(ROWS, PAST))).toEqual([
    { from: '2026-09-01', own: 0, past: 23 },
    { from: '2026-10-01', own: 4, past: 3 },
    { from: '2026-11-01', own: 11, past: 0 },
  ]);
  expect(sumsBy('year', ROWS, PAST, 'power')).toEqual([
    { from: '2025-01-01', own: 0, past: 110 },
    { from: '2026-01-01', own: 15, past: 26 },
  ]);
});

it('leaves out the past of a month or year of which heating or hot water is not listed from the same day on', () => {
  const summary = [bar('2025-01-01', 'year', 100), bar('2026-10-01', 'month', 40)];
  const lists = [bar('2025-01-01', 'year', 10), bar('2026-01-01', 'month', 5), bar('2026-10-01', 'month', 4)];
  const past = [series('power.consumption.heating', summary), series('power.consumption.dhw', lists)];
  expect(sumsBy('month', [], past, 'power')).toEqual([{ from: '2026-10-01', own: 0, past: 44 }]);
  expect(sumsBy('year', [], past, 'power')).toEqual([{ from: '2025-01-01', own: 0, past: 110 }]);
  const cooling = [...past, series('power.consumption.cooling', [bar('2026-10-01', 'month', 1)])];
  expect(sumsBy('month', [], cooling, 'power')).toEqual([{ from: '2026-10-01', own: 0, past: 45 }]);
});

it('takes the total where the heating lists one, and gas before electricity', () => {
  const all = [
    ...PAST,
    series('gas.consumption.total', [bar('2026-09-01', 'month', 7)]),
    series('gas.consumption.dhw', [bar('2026-09-01', 'month', 1)]),
  ];
  expect(kindOf([], all)).toBe('gas');
  expect(sumsBy('month', [], all, 'gas')).toEqual([{ from: '2026-09-01', own: 0, past: 7 }]);
});

it('adds what a device had listed behind the gateway before', () => {
  const past = [
    series('power.consumption.total', [bar('2026-08-01', 'month', 20)]),
    series('power.consumption.total', [bar('2025-01-01', 'year', 100), bar('2026-07-01', 'month', 7)]),
  ];
  expect(sumsBy('month', [], past, 'power')).toEqual([
    { from: '2026-07-01', own: 0, past: 7 },
    { from: '2026-08-01', own: 0, past: 20 },
  ]);
});

it('draws Wh as kWh, and all gas in the unit in which the bridge counts it', () => {
  const listed = (of: string, unit: string, amount: number): PastSeries => ({ ...series(of, [bar('2026-09-01', 'month', amount)]), unit });
  const power = [listed('power.consumption.heating', 'Wh', 20_000), listed('power.consumption.dhw', 'kWh', 3)];
  expect(sumsBy('month', [], power, 'power')).toEqual([{ from: '2026-09-01', own: 0, past: 23 }]);
  const gas = [listed('gas.consumption.total', 'kWh', 70), listed('gas.consumption.dhw', 'm³', 1)];
  const own: DayRow = { day: '2026-10-01', covered: 24, gas: { total: 2 }, gasUnit: 'm3' };
  expect([unitOf('gas', [own], gas), unitOf('gas', [], gas), unitOf('power', [own], gas)]).toEqual(['m³', 'kWh', 'kWh']);
  expect(sumsBy('year', [own], gas, 'gas')).toEqual([{ from: '2026-01-01', own: 2, past: 1 }]);
  expect(sumsBy('year', [], gas, 'gas')).toEqual([{ from: '2026-01-01', own: 0, past: 70 }]);
});

it('says of each period whether it has ended, and draws days that are missing as missing', () => {
  const periodsAt = (today: string) =>
    periodsOf(ROWS, today).map(({ name, isSoFar, isFirstDay, report }) => [name, report?.to, isSoFar, isFirstDay]);
  expect(periodsAt('2026-11-04')).toEqual([
    ['thisMonth', '2026-11-03', true, false],
    ['lastMonth', '2026-10-31', false, false],
    ['thisYear', '2026-11-03', true, false],
  ]);
  // On the first of a month no day of it has ended.
  expect(periodsAt('2026-12-01')).toEqual([
    ['thisMonth', undefined, true, true],
    ['lastMonth', '2026-11-03', false, false],
    ['thisYear', '2026-11-03', true, false],
  ]);
  expect(lastDays(ROWS).map(({ day: date, row }) => [date, row?.power?.total])).toEqual([
    ['2026-10-31', 4],
    ['2026-11-01', 5],
    ['2026-11-02', undefined],
    ['2026-11-03', 6],
  ]);
  expect([periodsOf([], '2026-11-04'), lastDays([])]).toEqual([[], []]);
});
