import { describe, expect, it } from 'vitest';
import { dayAfter, daysFrom, periodWith, yearBefore } from '../../../../src/features/performance/calendar.ts';
import { binsOf, wintersOf } from '../../../../src/features/performance/compare.ts';
import type { DayRow } from '../../../../src/features/performance/dayRow.ts';
import { factorOf, type Told } from '../../../../src/features/performance/factor.ts';
import { allReports, reportOf, reportsSoFar, startsPerDay } from '../../../../src/features/performance/report.ts';
import { PERFORMANCE_WORDS } from '../../../../src/language/performance/performanceWords.ts';

/** A whole day of a heat pump: 40 kWh of heat of 10 kWh, at 5 °C. */
const DAY: Omit<DayRow, 'day'> = {
  heat: { heating: 32, dhw: 8, total: 40 },
  power: { heating: 7, dhw: 3, total: 10 },
  ...{ starts: 4, hours: 12, by: 'compressors', outside: 5, covered: 24 },
};
const BOILER: Omit<DayRow, 'day'> = {
  gas: { total: 4 },
  gasUnit: 'm3',
  ...{ starts: 12, hours: 1.5, by: 'burners', outside: 5, covered: 24 },
};

const rowsFrom = (
  first: string,
  count: number,
  of: (index: number) => Partial<DayRow> = () => ({}),
  day: Omit<DayRow, 'day'> = DAY,
): DayRow[] => Array.from({ length: count }, (_, index) => ({ ...day, day: dayAfter(first, index), ...of(index) }));

const factors: Readonly<Record<string, readonly [rows: readonly DayRow[], days: number, told: Told]>> = {
  'a day': [rowsFrom('2026-11-01', 1), 1, { value: 4 }],
  'the rod counts as electricity': [rowsFrom('2026-11-01', 1, () => ({ rod: { heating: 10, total: 10 } })), 1, { value: 2 }],
  'a rod that may have run untold': [rowsFrom('2026-11-01', 1, () => ({ rodUntold: true })), 1, { why: 'no_rod' }],
  'less than 2 kWh in a day': [rowsFrom('2026-11-01', 1, () => ({ heat: { total: 6 }, power: { total: 1.9 } })), 1, { why: 'too_little' }],
  'less than 10 kWh in a month': [
    rowsFrom('2026-07-01', 30, () => ({ heat: { total: 1 }, power: { total: 0.3 } })),
    30,
    { why: 'too_little' },
  ],
  'a day of 19 known hours': [rowsFrom('2026-11-01', 1, () => ({ covered: 19 })), 1, { why: 'incomplete' }],
  'two of twenty days not known': [rowsFrom('2026-11-01', 20, (i) => ({ covered: i < 2 ? 3 : 24 })), 20, { value: 4 }],
  'three of twenty days not known': [rowsFrom('2026-11-01', 20, (i) => ({ covered: i < 3 ? 3 : 24 })), 20, { why: 'incomplete' }],
  'three of twenty days without a row': [rowsFrom('2026-11-01', 17), 20, { why: 'incomplete' }],
  'frozen now': [rowsFrom('2026-11-01', 20, (i) => ({ stale: i === 19 })), 20, { why: 'frozen' }],
  'frozen for three of twenty days': [rowsFrom('2026-11-01', 20, (i) => ({ stale: i < 3 })), 20, { why: 'frozen' }],
  'frozen for a day of twenty, and counted since': [rowsFrom('2026-11-01', 20, (i) => ({ stale: i === 3 })), 20, { value: 4 }],
  'above 9': [rowsFrom('2026-11-01', 1, () => ({ heat: { total: 30 }, power: { total: 3 } })), 1, { why: 'implausible' }],
  'below 0.8': [rowsFrom('2026-11-01', 1, () => ({ heat: { total: 7 }, power: { total: 10 } })), 1, { why: 'implausible' }],
  'gas was burnt': [rowsFrom('2026-11-01', 1, () => ({ gas: { total: 2 } })), 1, { why: 'burner' }],
  'a hybrid whose burner rested': [rowsFrom('2026-11-01', 1, () => ({ gas: { total: 0 } })), 1, { value: 4 }],
  'heat that is told for some of the days': [
    rowsFrom('2026-11-01', 2, (i) => (i === 0 ? { heat: undefined } : {})),
    2,
    { why: 'not_told' },
  ],
  'heat that one of twenty days does not tell: that day counts on neither side': [
    rowsFrom('2026-11-01', 20, (i) => (i === 7 ? { heat: undefined, power: { total: 90 } } : {})),
    20,
    { value: 4 },
  ],
  'a rod of which the uses are not told': [rowsFrom('2026-11-01', 1, () => ({ rod: { total: 10 } })), 1, { value: 2 }],
  'heat of one use alone': [rowsFrom('2026-11-01', 1, () => ({ heat: { heating: 32, total: 32 } })), 1, { why: 'not_told' }],
  'a total of electricity with more than the uses': [
    rowsFrom('2026-11-01', 1, () => ({ heat: { heating: 32, total: 32 }, power: { heating: 8, total: 10 } })),
    1,
    { why: 'not_told' },
  ],
  'cooling is no use of heat': [
    rowsFrom('2026-11-01', 1, () => ({ power: { heating: 7, dhw: 3, cooling: 5, total: 15 } })),
    1,
    { value: 4 },
  ],
};

describe('the factor of heat per electricity', () => {
  it.each(Object.entries(factors))('%s', (_, [rows, days, told]) => expect(factorOf(rows, days)).toEqual(told));

  it('is told by use', () => {
    const rows = rowsFrom('2026-11-01', 1);
    expect(factorOf(rows, 1, 'heating')).toEqual({ value: 4.57 });
    expect(factorOf(rows, 1, 'dhw')).toEqual({ value: 2.67 });
    const rod = rows.map((row) => ({ ...row, rod: { total: 1 } }));
    expect(factorOf(rod, 1, 'heating')).toEqual({ why: 'not_told' });
  });
});

describe('the report of a period', () => {
  const november = rowsFrom('2026-11-01', 30, (i) => ({ cost: 3, co2: 4000, outside: i < 10 ? 5 : 16 }));

  it('adds up its days', () => {
    expect(reportOf(november, periodWith('month', '2026-11-17'))).toEqual({
      ...{ from: '2026-11-01', to: '2026-11-30', days: 30, of: 30, complete: true },
      heat: { heating: 960, dhw: 240, total: 1200 },
      power: { heating: 210, dhw: 90, total: 300 },
      ...{ rod: null, gas: null, gas_kwh: null },
      factor: { heating: 4.57, dhw: 2.67, total: 4 },
      ...{ starts: 120, hours: 360, mean_run: 180, short_runs: 0, outside: 12.3 },
      // 10 days at 5 °C; those at 16 °C are no heating days. 10 × 7 kWh for heating in them.
      degree_days: { hgt: 100, gtz: 150 },
      ...{ per_degree_day: 0.7, per_degree_day_unit: 'kWh' },
      ...{ cost: 90, co2: 120 },
      why: { rod: 'not_told', gas: 'not_told', gas_kwh: 'not_told' },
    });
  });

  it('is that of the days alone where these are the months of a year', () => {
    const rows = rowsFrom('2026-01-01', 365, (i) => ({ heat: { heating: i % 7, total: i % 7 } }));
    const months = allReports(rows, 'month');
    expect(months.map(({ from }) => from.slice(5, 7)).reverse()).toEqual(
      Array.from({ length: 12 }, (_, i) => String(i + 1).padStart(2, '0')),
    );
    const sum = months.reduce((all, { heat }) => all + (heat?.total ?? 0), 0);
    expect(reportsSoFar(rows).year?.heat?.total).toBe(sum);
    expect(months.reduce((all, { of }) => all + of, 0)).toBe(365);
  });

  it('begins with the first day that is known, and is not complete then', () => {
    const rows = [{ day: '2026-11-09', covered: 5, power: { total: 1 } }, ...rowsFrom('2026-11-10', 5)];
    expect(reportsSoFar(rows).month).toMatchObject({ from: '2026-11-10', to: '2026-11-14', complete: false, factor: { total: 4 } });
    expect(reportsSoFar(rows).day).toMatchObject({ from: '2026-11-14', complete: true });
    expect(reportsSoFar([])).toEqual({});
  });

  it('begins anew after a pause of more than a year, as the topics do, which know the last year alone', () => {
    const since = [{ day: '2029-12-01', covered: 5, power: { total: 1 } }, ...rowsFrom('2029-12-02', 5)];
    const all = [...rowsFrom('2027-11-01', 300), ...since];
    for (const kind of ['month', 'year'] as const) {
      expect(reportOf(all, periodWith(kind, '2029-12-06'))).toEqual(reportsSoFar(since)[kind]);
      expect(reportOf(all, periodWith(kind, '2029-12-06'))).toMatchObject({ from: '2029-12-02', of: 5, factor: { total: 4 } });
    }
  });

  it('of a boiler never tells a factor, but gas by degree day, and short runs', () => {
    const rows = rowsFrom('2026-11-01', 10, (i) => (i === 0 ? { outside: 17 } : { gasKwh: 40 }), BOILER);
    expect(reportsSoFar(rows).month).toMatchObject({
      ...{ gas: { total: 40 }, gas_unit: 'm3', gas_kwh: null, factor: { total: null } },
      // 9 days: 360 kWh of 90 degree days. Nine of ten days have 12 starts of 7.5 minutes below 15 °C.
      ...{ per_degree_day: 4, short_runs: 9 },
      why: { factor: 'burner', gas_kwh: 'not_told', heat: 'not_told' },
    });
  });

  it('has the unit of gas also where the last day does not tell it', () => {
    const rows = rowsFrom('2026-11-01', 10, (i) => (i === 9 ? { gas: undefined, gasUnit: undefined } : {}), BOILER);
    expect(reportsSoFar(rows).month).toMatchObject({ gas: { total: 36 }, gas_unit: 'm3' });
  });

  it('divides by the degree days as they are, not by what is shown of them', () => {
    const rows = rowsFrom('2026-05-01', 2, (i) => ({ outside: i === 0 ? 13.96 : 16, power: { heating: 2.08, total: 2.08 } }));
    expect(reportsSoFar(rows).month).toMatchObject({ degree_days: { hgt: 1 }, per_degree_day: 2 });
  });

  it('says what has no price, wholly or for some days', () => {
    expect(reportsSoFar(rowsFrom('2026-11-01', 2)).month?.why).toMatchObject({ cost: 'no_price', co2: 'no_price' });
    expect(reportsSoFar(rowsFrom('2026-11-01', 2, (i) => (i === 0 ? {} : { cost: 1 }))).month).toMatchObject({
      cost: null,
      why: { cost: 'partly_priced' },
    });
  });

  it('loses the factor alone where amounts stood still', () => {
    const rows = rowsFrom('2026-11-01', 10, () => ({ stale: true }));
    expect(reportsSoFar(rows).month).toMatchObject({
      days: 10,
      complete: true,
      mean_run: 180,
      per_degree_day: 0.7,
      why: { factor: 'frozen' },
    });
    expect(startsPerDay(rows)).toBe(4);
  });

  it('needs the mean of nine of ten days for degree days', () => {
    const of = (unknown: number) => reportsSoFar(rowsFrom('2026-11-01', 20, (i) => (i < unknown ? { outside: undefined } : {}))).month;
    expect(of(2)).toMatchObject({ degree_days: { hgt: 180 }, outside: 5 });
    expect(of(3)).toMatchObject({ degree_days: null, outside: null, why: { degree_days: 'incomplete' } });
  });

  it('are not called untold by the heating on the day of the installation, of which too few hours are known', () => {
    const [begun, blind] = [{ covered: 6, outside: undefined }, { outside: undefined }].map(
      (part) => reportsSoFar(rowsFrom('2026-11-30', 1, () => part)).day?.why,
    );
    expect(begun).toMatchObject({ outside: 'incomplete', degree_days: 'incomplete', per_degree_day: 'incomplete' });
    expect(blind).toMatchObject({ outside: 'not_told', degree_days: 'not_told', per_degree_day: 'not_told' });
  });

  it('are called untold by a heating without an outside sensor, also if the bridge was off on some days', () => {
    const rows = rowsFrom('2026-11-01', 30, (i) => ({ outside: undefined, covered: i > 9 && i < 14 ? 0 : 24 }));
    expect(reportsSoFar(rows).month?.why).toMatchObject({ outside: 'not_told', degree_days: 'not_told', per_degree_day: 'not_told' });
  });
});

it('starts of a day are those of whole days of a month, a week of them at least', () => {
  expect(startsPerDay(rowsFrom('2026-10-01', 60, (i) => ({ starts: i < 30 ? 100 : 5 })))).toBe(5);
  expect(startsPerDay(rowsFrom('2026-10-01', 6))).toBeUndefined();
  expect(startsPerDay(rowsFrom('2026-10-01', 30, () => ({ starts: undefined })))).toBeUndefined();
  expect(startsPerDay([])).toBeUndefined();
});

it('bins have days of 5 K, and a factor from five days on', () => {
  const rows = [
    // A day that does not tell what was used is no day without use.
    ...rowsFrom('2026-10-01', 10, (i) => ({
      outside: -9,
      ...(i === 0 ? { heat: undefined, power: undefined } : { heat: { total: 30 }, power: { total: 10 } }),
    })),
    ...rowsFrom('2026-11-01', 5, () => ({ outside: -0.1, heat: { total: 30 }, power: { total: 10 } })),
    ...rowsFrom('2026-11-06', 4, () => ({ outside: 5 })),
    ...rowsFrom('2026-11-10', 9, (i) => ({ outside: 0, covered: i < 4 ? 10 : 24 })),
    ...rowsFrom('2026-11-20', 9, () => ({ outside: 20, stale: true })),
  ];
  expect(binsOf(rows)).toEqual([
    { from: -10, to: -5, days: 10, factor: 3, used: 10, unit: 'kWh' },
    { from: -5, to: 0, days: 5, factor: 3, used: 10, unit: 'kWh' },
    { from: 0, to: 5, days: 5, factor: 4, used: 7, unit: 'kWh' },
    { from: 5, to: 10, days: 4, factor: null, used: null, unit: 'kWh' },
  ]);
});

describe('gas where its factors were set meanwhile', () => {
  /** 4 m³ a day, of which the last days are known in kWh too. */
  const gas = (m3: number, kWh: number) => rowsFrom('2026-11-01', m3 + kWh, (i) => (i < m3 ? {} : { gasKwh: 40 }), BOILER);

  it('is told for each degree day in one unit, or not at all', () => {
    expect(reportsSoFar(gas(9, 0)).month).toMatchObject({ per_degree_day: 0.4, per_degree_day_unit: 'm3' });
    expect(reportsSoFar(gas(0, 9)).month).toMatchObject({ per_degree_day: 4, per_degree_day_unit: 'kWh' });
    const otherwise = rowsFrom('2026-11-01', 9, (i) => (i < 4 ? {} : { gasUnit: 'kWh' as const }), BOILER);
    expect(reportsSoFar(otherwise).month).toMatchObject({ gas: null, why: { gas: 'mixed_units' } });
    const mixed = reportsSoFar(gas(4, 5)).month;
    expect(mixed).toMatchObject({ per_degree_day: null, why: { per_degree_day: 'mixed_units' } });
    expect(mixed).not.toHaveProperty('per_degree_day_unit');
    const warm = reportsSoFar(rowsFrom('2026-11-01', 9, () => ({ outside: 16 }), BOILER)).month;
    expect(warm?.why['per_degree_day']).toBe('too_little');
    const untold = reportsSoFar(rowsFrom('2026-11-01', 9, () => ({ gas: undefined }), BOILER)).month;
    expect(untold?.why['per_degree_day']).toBe('not_told');
    const toldWarm = reportsSoFar(rowsFrom('2026-11-01', 9, (i) => (i < 5 ? { outside: 16 } : { gas: undefined }), BOILER)).month;
    expect(toldWarm?.why['per_degree_day']).toBe('not_told');
    // Of too few degree days or starts, as of too little electricity.
    expect([PERFORMANCE_WORDS.en.why.too_little, PERFORMANCE_WORDS.de.why.too_little]).toEqual(['too little data', 'zu wenige Daten']);
  });

  it('is not told of a hybrid, nor of a boiler that reports its electricity alone', () => {
    const hybrid = rowsFrom('2026-11-01', 9, () => ({ by: 'compressors', power: { heating: 8, total: 10 } }), BOILER);
    expect(reportsSoFar(hybrid).month).toMatchObject({ per_degree_day: null, why: { per_degree_day: 'mixed_units' } });
    expect(binsOf(hybrid)).toMatchObject([{ used: null }]);
    expect(wintersOf(hybrid)?.now).toMatchObject({ used: null, per_degree_day: null });
    const oil = rowsFrom('2026-11-01', 9, () => ({ by: 'burners', gas: undefined, power: { total: 1 } }), BOILER);
    expect(reportsSoFar(oil).month).toMatchObject({ per_degree_day: null, why: { per_degree_day: 'not_told' } });
    expect(binsOf(oil)).toMatchObject([{ used: null }]);
  });

  it('is shown by outside temperature in its last unit, by the days that have it', () => {
    expect(binsOf(gas(5, 0))).toEqual([{ from: 5, to: 10, days: 5, factor: null, used: 4, unit: 'm3' }]);
    expect(binsOf(gas(5, 6))).toEqual([{ from: 5, to: 10, days: 6, factor: null, used: 40, unit: 'kWh' }]);
  });

  it('is compared by the days that tell it, where a day tells the electricity of the boiler alone', () => {
    const rows = rowsFrom(
      '2026-11-01',
      20,
      (i) => ({ power: { heating: 0.5, total: 0.6 }, ...(i === 19 ? { gas: undefined } : {}) }),
      BOILER,
    );
    expect(reportsSoFar(rows).month).toMatchObject({ per_degree_day: 0.4, per_degree_day_unit: 'm3' });
    expect(binsOf(rows)).toEqual([{ from: 5, to: 10, days: 19, factor: null, used: 4, unit: 'm3' }]);
    const before = rowsFrom('2025-10-01', 51, () => ({}), BOILER);
    expect(wintersOf([...before, ...rowsFrom('2026-10-01', 31, () => ({}), BOILER), ...rows])).toMatchObject({
      now: { used: 200, per_degree_day: 0.4 },
      change: 0,
    });
  });

  it('is not added up in a winter', () => {
    expect(wintersOf(gas(5, 0))?.now).toMatchObject({ used: 20, per_degree_day: null });
    expect(wintersOf(gas(5, 6))?.now).toMatchObject({ used: null, per_degree_day: null });
  });
});

describe('this winter against the last', () => {
  const last = rowsFrom('2025-10-01', 212, () => ({ outside: 3, power: { heating: 12, total: 12 } }));
  const now = rowsFrom('2026-10-01', 58, () => ({ outside: 7, power: { heating: 7.2, total: 7.2 } }));

  it('compares the same days by degree days', () => {
    // 12 kWh for 12 K, now 7.2 kWh for 8 K: 10 % less for each degree day, and 40 % less in all.
    expect(wintersOf([...last, ...now])).toMatchObject({
      now: { from: '2026-10-01', to: '2026-11-27', days: 58, of: 58, used: 417.6, degree_days: { hgt: 464 }, per_degree_day: 0.9 },
      before: { from: '2025-10-01', to: '2025-11-27', used: 696, per_degree_day: 1 },
      change: -0.1,
    });
  });

  it('gives absolute numbers alone where one of them is not known', () => {
    expect(wintersOf(now)).toMatchObject({ now: { used: 417.6 }, before: { used: null, days: 0 }, change: null });
    expect(wintersOf([...last, ...now.slice(8)])?.change).toBeNull();
    expect(wintersOf([...last, ...now.map((row) => ({ ...row, ...BOILER, day: row.day }))])?.change).toBeNull();
  });

  it('is not compared by the few days that tell what was used', () => {
    const gas = rowsFrom('2025-10-01', 212, () => ({ outside: 3 }), BOILER);
    // From 21 October on the boiler is replaced by a heat pump, or its gas is not told.
    const changes = [(row: DayRow) => ({ ...DAY, day: row.day }), (row: DayRow) => ({ ...row, gas: undefined })];
    for (const change of changes) {
      const rows = rowsFrom('2026-10-01', 58, () => ({ outside: 7 }), BOILER).map((row, i) => (i < 20 ? row : change(row)));
      expect(wintersOf([...gas, ...rows])).toMatchObject({ now: { used: null, per_degree_day: null }, change: null });
      expect(reportsSoFar(rows).year).toMatchObject({ per_degree_day: null, why: { per_degree_day: 'not_told' } });
    }
  });

  it('in summer is the whole winter before', () => {
    const summer = rowsFrom('2026-05-01', 60, () => ({ outside: 20 }));
    expect(wintersOf([...last, ...summer])).toMatchObject({ now: { from: '2025-10-01', to: '2026-04-30', of: 212 }, change: null });
    expect(wintersOf(summer)).toBeUndefined();
  });
});

it('dates are counted without a zone', () => {
  expect([dayAfter('2026-12-31'), dayAfter('2028-02-28'), dayAfter('2026-03-01', -1)]).toEqual(['2027-01-01', '2028-02-29', '2026-02-28']);
  expect([daysFrom('2026-03-28', '2026-03-30'), daysFrom('2026-03-30', '2026-03-28')]).toEqual([3, 0]);
  expect([yearBefore('2028-02-29'), yearBefore('2026-11-01')]).toEqual(['2027-02-28', '2025-11-01']);
  expect(periodWith('month', '2028-02-10')).toEqual({ kind: 'month', from: '2028-02-01', to: '2028-02-29' });
});
