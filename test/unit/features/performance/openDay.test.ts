import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { hasPerformanceData, readingOf } from '../../../../src/features/performance/counters.ts';
import type { DayRow } from '../../../../src/features/performance/dayRow.ts';
import { type DayBegin, type OpenDay, rowOf, takeReading } from '../../../../src/features/performance/openDay.ts';
import { runs } from '../../../support/chance.ts';
import { featureOf } from '../../../support/devices/features.ts';

const HOUR = 3_600_000;
const [HEAT, POWER] = ['heating.heat.production.heating', 'heating.power.consumption.heating'];
const STARTS = 'heating.compressors.0.statistics starts';
const HOURS = 'heating.compressors.0.statistics hours';

/** Day 0 begins at 0; each day has 24 hours. */
const nameOf = (day: number): string => `2026-11-${String(day + 1).padStart(2, '0')}`;
const begunBetween = (from: number, to: number): readonly DayBegin[] => {
  const [first, last] = [Math.floor(from / 24) + 1, Math.floor(to / 24)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => ({ day: nameOf(first + i), at: (first + i) * 24 * HOUR }));
};

type Read = readonly [hour: number, counters: Readonly<Record<string, number>>, outside?: number];

/** The rows of all days, the open one last. */
const rowsOf = (reads: readonly Read[], between = (open: OpenDay): OpenDay => open): readonly DayRow[] => {
  let open: OpenDay | undefined;
  const rows: DayRow[] = [];
  for (const [hour, counters, outside] of reads) {
    const reading = { counters, hasRod: false, ...(outside === undefined ? {} : { outside }) };
    const begun = open ? begunBetween(open.at / HOUR, hour) : [];
    const taken = takeReading(open, reading, hour * HOUR, nameOf(Math.floor(hour / 24)), begun);
    rows.push(...taken.ended.map((day) => rowOf(day, {})));
    open = between(taken.open);
  }
  return open ? [...rows, rowOf(open, {})] : rows;
};

type Case = { readonly reads: readonly Read[]; readonly rows: readonly Partial<DayRow>[] };

const CASES: Readonly<Record<string, Case>> = {
  'what was before the first read does not count': {
    reads: [[12, { [HEAT]: 100 }]],
    rows: [{ day: '2026-11-01', heat: { heating: 0, total: 0 }, covered: 0 }],
  },
  'what grows over midnight is spread over the time': {
    reads: [
      [23, { [POWER]: 10 }],
      [25, { [POWER]: 11 }],
    ],
    rows: [
      { power: { heating: 0.5, total: 0.5 }, covered: 1 },
      { power: { heating: 0.5, total: 0.5 }, covered: 1 },
    ],
  },
  'starts stay whole numbers': {
    reads: [
      [23, { [STARTS]: 10 }],
      [25, { [STARTS]: 13 }],
    ],
    rows: [{ starts: 2, by: 'compressors' }, { starts: 1 }],
  },
  'days without a read are not covered, and their amounts are not lost': {
    reads: [
      [12, { [HEAT]: 0 }],
      [60, { [HEAT]: 48 }],
    ],
    rows: [
      { heat: { heating: 12, total: 12 }, covered: 0 },
      { heat: { heating: 24, total: 24 }, covered: 0 },
      { heat: { heating: 12, total: 12 }, covered: 0 },
    ],
  },
  'a counter that is 0 for one read has counted nothing': {
    reads: [
      [1, { [STARTS]: 1500 }],
      [2, { [STARTS]: 0 }],
      [3, { [STARTS]: 1501 }],
    ],
    rows: [{ starts: 1 }],
  },
  'a counter that begins anew goes on from there': {
    reads: [
      [1, { [HOURS]: 1500 }],
      [2, { [HOURS]: 0 }],
      [3, { [HOURS]: 2 }],
      [4, { [HOURS]: 3 }],
    ],
    rows: [{ hours: 3 }],
  },
  'a counter of another device goes on from there': {
    reads: [
      [1, { [HOURS]: 100 }],
      [2, { [HOURS]: 30_000 }],
      [3, { [HOURS]: 30_001 }],
    ],
    rows: [{ hours: 1 }],
  },
  'a counter that was frozen follows': {
    reads: [
      [1, { [HOURS]: 100 }],
      [2, { [HOURS]: 120 }],
    ],
    rows: [{ hours: 20 }],
  },
  'older copies of counters count nothing': {
    reads: Array.from({ length: 10 }, (_, i) =>
      [1000, 990, 991, 1000].map((n, j): Read => [1 + i + j / 4, { [STARTS]: n, [HOURS]: n }]),
    ).flat(),
    rows: [{ starts: 0, hours: 0 }],
  },
  'a counter that is passed after an older copy goes on': {
    reads: [1000, 0, 990, 991, 1002].map((n, i): Read => [1 + i, { [STARTS]: n }]),
    rows: [{ starts: 2 }],
  },
  'a counter that is not told for one read goes on': {
    reads: [
      [1, { [HOURS]: 10 }],
      [2, {}],
      [3, { [HOURS]: 12 }],
    ],
    rows: [{ hours: 2 }],
  },
  'a read from before the last one says nothing': {
    reads: [
      [5, { [HEAT]: 10 }],
      [4, { [HEAT]: 12 }],
      [6, { [HEAT]: 12 }],
    ],
    rows: [{ heat: { heating: 2, total: 2 }, covered: 1 }],
  },
  'the outside mean weighs each value with its time': {
    reads: [...Array.from({ length: 12 }, (_, i): Read => [i * 2, {}, i < 3 ? 10 : -2]), [24, {}]],
    // 6 hours of 10 °C, 18 hours of -2 °C.
    rows: [{ outside: 1, covered: 24 }, { covered: 0 }],
  },
  'a day with less than 20 known hours has no mean': {
    reads: [...Array.from({ length: 10 }, (_, i): Read => [4.1 + i * 1.9, {}, 5]), [24, {}]],
    rows: [{ covered: 19.9 }, {}],
  },
  'two compressors count together': {
    reads: [
      [1, { [STARTS]: 5, 'heating.compressors.1.statistics starts': 1 }],
      [2, { [STARTS]: 6, 'heating.compressors.1.statistics starts': 3 }],
    ],
    rows: [{ starts: 3 }],
  },
  'amounts of compressors count where the device tells none': {
    reads: [
      [1, { 'heating.compressors.0.power.consumption.heating': 0, 'heating.compressors.1.power.consumption.summary.heating': 0 }],
      [2, { 'heating.compressors.0.power.consumption.heating': 1, 'heating.compressors.1.power.consumption.summary.heating': 2 }],
    ],
    rows: [{ power: { heating: 3, total: 3 } }],
  },
  'a list and a summary of the same amount count once': {
    reads: [
      [1, { [POWER]: 0, 'heating.power.consumption.summary.heating': 0 }],
      [2, { [POWER]: 2, 'heating.power.consumption.summary.heating': 2 }],
    ],
    rows: [{ power: { heating: 2, total: 2 } }],
  },
};

describe('the rows of days', () => {
  it.each(Object.entries(CASES))('%s', (_, { reads, rows }) => {
    const found = rowsOf(reads);
    expect(found).toHaveLength(rows.length);
    expect(found).toMatchObject(rows);
  });

  it('has no mean where one cannot be told', () => {
    expect(rowsOf(CASES['a day with less than 20 known hours has no mean']?.reads ?? [])[0]?.outside).toBeUndefined();
  });

  it.each([
    [STARTS, 301, 5],
    [STARTS, 5, 26],
  ])('tells no starts and hours where a compressor has more than a day can have (%s)', (_, starts, hours) => {
    const [row] = rowsOf([
      [1, { [STARTS]: 0, [HOURS]: 0, 'heating.burners.0.statistics starts': 0 }],
      [2, { [STARTS]: starts, [HOURS]: hours, 'heating.burners.0.statistics starts': 1 }],
    ]);
    expect(row).toEqual({ day: '2026-11-01', covered: 1 });
  });

  it('covers no more than a day has, also where the day is longer by a clock or a zone', () => {
    const day = { day: nameOf(0), at: 0, last: {}, low: {}, grown: {}, coveredMs: 49 * HOUR, outsideMs: 49 * HOUR, outsideSum: 98 * HOUR };
    expect(rowOf(day, {})).toEqual({ day: nameOf(0), covered: 25, outside: 2 });
  });

  it('is priced by the settings, gas by its two factors', () => {
    const day = (grown: Record<string, number>, gasUnit: 'm3' | 'kWh'): OpenDay => ({
      ...{ day: nameOf(0), at: 0, last: {}, low: {}, grown, coveredMs: 0, outsideMs: 0, outsideSum: 0, gasUnit },
    });
    const boiler = day({ 'heating.gas.consumption.total': 10 }, 'm3');
    const prices = { price: 0.3, co2: 400, gas_price: 0.1, gas_co2: 200 };
    expect(rowOf(boiler, prices)).toMatchObject({ gas: { total: 10 }, cost: 1, co2: 2000 });
    // 10 m³ × 11.3 × 0.95 = 107.35 kWh.
    expect(rowOf(boiler, { ...prices, calorific_value: 11.3, state_number: 0.95 })).toMatchObject({ gasKwh: 107.35, cost: 10.735 });
    const pump = day({ [POWER]: 8, 'heating.heatingRod.power.consumption.summary.heating': 2 }, 'kWh');
    expect(rowOf(pump, prices)).toMatchObject({ rod: { total: 2 }, cost: 3, co2: 4000 });
    expect(rowOf(pump, {}).cost).toBeUndefined();
  });

  it('has no gas for the day on which its unit changes', () => {
    const gas = (hour: number, total: number, gasUnit: 'm3' | 'kWh') =>
      [hour, { counters: { 'heating.gas.consumption.total': total }, hasRod: false, gasUnit }] as const;
    let open: OpenDay | undefined;
    const rows: DayRow[] = [];
    // A new unit begins at 0.
    for (const [hour, reading] of [
      gas(1, 0, 'm3'),
      gas(25, 5, 'm3'),
      gas(30, 7, 'm3'),
      gas(31, 0, 'kWh'),
      gas(47, 90, 'kWh'),
      gas(49, 100, 'kWh'),
      gas(60, 160, 'kWh'),
    ]) {
      const begun = open ? begunBetween(open.at / HOUR, hour) : [];
      // As the database gives it back.
      const taken = JSON.parse(JSON.stringify(takeReading(open, reading, hour * HOUR, nameOf(Math.floor(hour / 24)), begun)));
      rows.push(...taken.ended.map((day: OpenDay) => rowOf(day, {})));
      open = taken.open;
    }
    expect([...rows, ...(open ? [rowOf(open, {})] : [])].map((row) => [row.gas?.total, row.gasUnit])).toEqual([
      [4.792, 'm3'],
      [undefined, undefined],
      [65, 'kWh'],
    ]);
  });

  it('says where a heating rod may have run untold', () => {
    const of = (grown: Record<string, number>, hasRod: boolean) =>
      rowOf(
        { day: nameOf(0), at: 0, last: {}, low: {}, grown: { [POWER]: 1, ...grown }, coveredMs: 0, outsideMs: 0, outsideSum: 0, hasRod },
        {},
      );
    const statistics = 'heating.heatingRod.statistics starts';
    expect(of({}, false).rodUntold).toBeUndefined();
    expect(of({}, true).rodUntold).toBe(true);
    expect(of({ [statistics]: 1 }, true).rodUntold).toBe(true);
    expect(of({ [statistics]: 0 }, true).rodUntold).toBeUndefined();
    expect(of({ 'heating.heatingRod.power.consumption.summary.dhw': 0 }, true).rodUntold).toBeUndefined();
  });
});

/** Reads of two days with counters that only grow. */
const reads = fc
  .array(
    fc.record({ after: fc.double({ min: 0.01, max: 9, noNaN: true }), kwh: fc.double({ min: 0, max: 5, noNaN: true }), starts: fc.nat(4) }),
    {
      minLength: 2,
      maxLength: 30,
    },
  )
  .map((steps) => {
    let [hour, kwh, starts] = [5, 100, 20];
    return steps.map((step): Read => {
      hour += step.after;
      kwh += step.kwh;
      starts += step.starts;
      return [hour, { [HEAT]: kwh, [STARTS]: starts }, 4];
    });
  });

const sumOf = (rows: readonly DayRow[], of: (row: DayRow) => number | undefined): number =>
  rows.reduce((sum, row) => sum + (of(row) ?? 0), 0);

test('the sum of the days is what the counters have grown, however reads lie to midnight', () => {
  fc.assert(
    fc.property(reads, (all) => {
      const rows = rowsOf(all);
      const [first, last] = [all[0]?.[1] ?? {}, all.at(-1)?.[1] ?? {}];
      expect(sumOf(rows, (row) => row.heat?.total)).toBeCloseTo((last[HEAT] ?? 0) - (first[HEAT] ?? 0), 1);
      expect(sumOf(rows, ({ starts }) => starts)).toBe((last[STARTS] ?? 0) - (first[STARTS] ?? 0));
      expect(rows.map(({ day }) => day)).toEqual(rows.map((_, i) => nameOf(Math.floor((all[0]?.[0] ?? 0) / 24) + i)));
      for (const { covered } of rows) expect(covered).toBeLessThanOrEqual(24);
    }),
    { numRuns: runs(400) },
  );
});

test('a restart changes no row', () => {
  fc.assert(
    fc.property(reads, (all) => {
      expect(rowsOf(all, (open) => JSON.parse(JSON.stringify(open)))).toEqual(rowsOf(all));
    }),
    { numRuns: runs(200) },
  );
});

test('a kill that takes the last reads loses no amount and counts none twice', () => {
  fc.assert(
    fc.property(reads, fc.nat(), fc.nat(5), (all, at, lost) => {
      const end = 1 + (at % (all.length - 1));
      // The run before had more reads, of which nothing is kept.
      const kept = [...all.slice(0, Math.max(1, end - lost)), ...all.slice(end)];
      const [rows, whole] = [rowsOf(kept), rowsOf(all)];
      expect(sumOf(rows, (row) => row.heat?.total)).toBeCloseTo(
        sumOf(whole, (row) => row.heat?.total),
        1,
      );
      expect(sumOf(rows, ({ starts }) => starts)).toBe(sumOf(whole, ({ starts }) => starts));
    }),
    { numRuns: runs(200) },
  );
});

test('what a device tells is read by the names of its features', () => {
  const unit = 'kilowattHour';
  const features = [
    featureOf('heating.sensors.temperature.outside', { value: { value: 3.5, unit: 'celsius' }, status: { value: 'connected' } }),
    featureOf('heating.power.consumption.summary.heating', { currentDay: { value: 1, unit } }),
    featureOf('heating.gas.consumption.total', { day: { value: [1], unit: 'cubicMeter' } }),
    featureOf('heating.heat.production.total', { day: { value: [1000], unit: 'wattHour' } }),
    featureOf('heating.heat.production.current', { value: { value: 4000, unit: 'watt' } }),
    featureOf('heating.compressors.0.statistics', { starts: { value: 7 }, hours: { value: 20.5 } }),
    featureOf('heating.heatingRod', { active: { value: false } }),
  ];
  const totals = new Map(features.map(({ name }) => [name, 2000]));
  expect(readingOf(features, (name) => totals.get(name))).toEqual({
    counters: {
      'heating.power.consumption.summary.heating': 2000,
      'heating.gas.consumption.total': 2000,
      'heating.heat.production.total': 2,
      'heating.compressors.0.statistics hours': 20.5,
      'heating.compressors.0.statistics starts': 7,
    },
    ...{ outside: 3.5, hasRod: true, gasUnit: 'm3' },
  });
  const broken = featureOf('heating.sensors.temperature.outside', { value: { value: 3.5 }, status: { value: 'error' } });
  expect(readingOf([broken], () => undefined)).toEqual({ counters: {}, hasRod: false });
  const absurd = featureOf('heating.compressors.0.statistics', { starts: { value: Number.POSITIVE_INFINITY }, hours: { value: -1e308 } });
  const cold = (value: number) => featureOf('heating.sensors.temperature.outside', { value: { value } });
  expect(readingOf([absurd, cold(1e308)], () => undefined)).toEqual({ counters: {}, hasRod: false });
  expect(readingOf(features.slice(1, 2), () => 1e308).counters).toEqual({});
  expect(readingOf([cold(-40)], () => undefined).outside).toBe(-40);
  const inUnit = (value: number, unit: string) => featureOf('heating.sensors.temperature.outside', { value: { value, unit } });
  expect(readingOf([inUnit(50, 'fahrenheit')], () => undefined).outside).toBe(10);
  expect(readingOf([inUnit(104, 'Fahrenheit')], () => undefined).outside).toBe(40);
  expect(readingOf([inUnit(280, 'kelvin')], () => undefined)).toEqual({ counters: {}, hasRod: false });
  expect(hasPerformanceData(['heating.burners.0.statistics'])).toBe(true);
  expect(hasPerformanceData(['heating.circuits.0', 'heating.heatingRod.statistics'])).toBe(false);
});
