import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Amounts, Period } from '../../../../src/features/energy/periods.ts';
import { counted, type RunningTotal } from '../../../../src/features/energy/runningTotal.ts';
import { runs } from '../../../support/chance.ts';
import { expectTable } from '../../../support/golden.ts';

const lists = (long: readonly number[], short?: readonly number[], longPeriod: Period = 'year'): Amounts => ({
  unit: 'kilowattHour',
  long: { period: longPeriod, amounts: long },
  ...(short ? { short: { period: 'day', amounts: short } } : {}),
});

/** As the database gives it back. */
const kept = (total: RunningTotal): RunningTotal => JSON.parse(JSON.stringify(total));

const totalOf = (records: readonly Amounts[]): RunningTotal | undefined => {
  let total: RunningTotal | undefined;
  for (const record of records) {
    const before = total?.total ?? 0;
    total = kept(counted(total, record));
    expect(total.total).toBeGreaterThanOrEqual(before);
  }
  return total;
};

describe('a running total', () => {
  it('counts what records show, once', () =>
    expectTable('runningTotals', 25, (_: string, records: readonly Amounts[]) => {
      const last = records.at(-1);
      const total = last && counted(totalOf(records.slice(0, -1)), last).total;
      return Number(total?.toFixed(6));
    }));
});

it('a day that tells nothing of yesterday counts nothing once more that the year has counted, where their steps fall apart', () => {
  const night = [lists([500, 900], [12]), lists([515, 900], [9])];
  expect(totalOf(night)?.total).toBe(15);
  expect(totalOf([...night, lists([515, 900], [9.1])])?.total).toBeCloseTo(15.1);
  expect(totalOf([...night, lists([515, 900], [9.1]), lists([515.2, 900], [9.2])])?.total).toBeCloseTo(15.2);
  // A year that is added up later has not counted it.
  expect(totalOf([lists([500, 900], [12]), lists([500, 900], [9]), lists([500, 900], [9.1])])?.total).toBeCloseTo(9.1);
});

it('yesterday that is completed after midnight is not several days, where the days before resemble each other', () => {
  const earlier = [1.4, 1.4, 1.4, 1, 1.4, 1.4];
  const night = [lists([285.8, 368.6], [0, 1, ...earlier]), lists([285.9, 368.6], [0.1, 1.1, ...earlier])];
  expect(totalOf(night)?.total).toBeCloseTo(0.1);
  expect(
    totalOf(
      [lists([0, 1, ...earlier]), lists([0.1, 1.1, ...earlier])].map(({ long }) => ({
        unit: 'wattHour',
        long: { ...long, period: 'day' },
      })),
    )?.total,
  ).toBeCloseTo(0.1);
});

describe('a platform that answers with older records', () => {
  const repeated = (first: readonly Amounts[], flips: readonly Amounts[], last: readonly Amounts[] = []): number | undefined => {
    const total = totalOf([...first, ...flips, ...flips, ...flips, ...last])?.total;
    return total === undefined ? undefined : Number(total.toFixed(6));
  };

  it('of last year counts nothing twice', () => {
    expect(repeated([lists([3000, 2500]), lists([5, 3000])], [lists([3000, 2500]), lists([5, 3000])])).toBe(5);
    expect(repeated([lists([2999, 2500]), lists([5, 3001])], [lists([3000.5, 2500]), lists([5, 3001])], [lists([7, 3001])])).toBe(9);
    expect(repeated([lists([3000]), lists([0]), lists([5])], [lists([2999]), lists([5])], [lists([8])])).toBe(8);
  });

  it('of yesterday counts nothing twice', () => {
    const [evening, morning] = [lists([1000], [20, 11, 9, 7]), lists([1007], [7, 20, 11, 9])];
    expect(repeated([evening, morning], [lists([1000], [20, 11, 9, 7]), morning])).toBe(7);
  });

  it('counts nothing of a small fall of a day where two other days are equal', () => {
    const days = [2.1, 2.4, 1.9, 2.2, 2.0, 2.3, 2.1];
    expect(repeated([lists([500], [0.2, ...days])], [lists([499.9], [0.1, ...days]), lists([500], [0.2, ...days])])).toBe(0);
  });
});

/** A meter in a house: amounts in steps of 0.1 by days that are counted from the first one, as lists that are newest first. */
class Meter {
  readonly #days: number[] = [0];
  /** The number of the day on which a month and a year begins, for each day. */
  readonly #lengths: Readonly<Record<Period, number>>;

  constructor(startsAt: number, lengths: Readonly<Record<Period, number>>) {
    this.#lengths = lengths;
    for (let day = 0; day < startsAt; day += 1) {
      this.use(1 + (day % 7));
      this.midnight();
    }
  }

  use(tenths: number): void {
    this.#days[this.#days.length - 1] = (this.#days.at(-1) ?? 0) + tenths;
  }

  midnight(): void {
    this.#days.push(0);
  }

  get used(): number {
    return this.#days.reduce((a, b) => a + b, 0) / 10;
  }

  list(period: Period, most: number): number[] {
    const periods: number[] = [];
    for (const [day, tenths] of this.#days.entries()) {
      const number = Math.floor(day / this.#lengths[period]);
      periods[number] = (periods[number] ?? 0) + tenths;
    }
    return periods
      .reverse()
      .slice(0, most)
      .map((tenths) => tenths * 0.1);
  }
}

const LENGTHS = { day: 1, week: 7, month: 30, year: 360 } as const;

/** What devices tell: lists, or a summary without the days before. */
const FORMS: readonly (readonly [string, (meter: Meter) => Amounts])[] = [
  ['lists', (meter) => lists(meter.list('year', 2), meter.list('day', 8))],
  ['a summary', (meter) => lists(meter.list('year', 2), meter.list('day', 1))],
  ['months and days', (meter) => lists(meter.list('month', 13), meter.list('day', 8), 'month')],
];

type Event = { readonly kind: 'use'; readonly tenths: number } | { readonly kind: 'midnight' | 'read' | 'restart' };

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('use' as const), tenths: fc.integer({ min: 0, max: 60 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('midnight' as const, 'read' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** At most six midnights between two reads. */
const read = (events: readonly Event[], meter: Meter, form: (meter: Meter) => Amounts): void => {
  let total = counted(undefined, form(meter));
  const start = meter.used;
  let away = 0;
  const look = (): void => {
    const before = total.total;
    total = counted(total, form(meter));
    away = 0;
    expect(total.total).toBeGreaterThanOrEqual(before);
    expect(total.total).toBeCloseTo(meter.used - start, 6);
    // A record that says nothing new counts nothing.
    expect(counted(total, form(meter))).toEqual(total);
  };
  for (const one of events) {
    if (one.kind === 'use') meter.use(one.tenths);
    else if (one.kind === 'read') look();
    else if (one.kind === 'restart') total = kept(total);
    else {
      if (away === 6) look();
      away += 1;
      meter.midnight();
    }
  }
  look();
};

describe('whatever is used, and whenever it is read', () => {
  it.each(FORMS)('the total of %s is what was used up to the last read', (_, form) => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), fc.integer({ min: 40, max: 400 }), (events, startsAt) =>
        read(events, new Meter(startsAt, LENGTHS), form),
      ),
      { numRuns: runs(200) },
    );
  });

  it('the total is what was used, also after records without some of the periods', () => {
    const partial: readonly ((meter: Meter) => Amounts)[] = [
      (meter) => lists(meter.list('year', 2)),
      (meter) => lists(meter.list('day', 8), undefined, 'day'),
      (meter) => lists(meter.list('month', 13), meter.list('day', 8), 'month'),
    ];
    const gap = fc.record({ tenths: fc.integer({ min: 0, max: 60 }), isMidnight: fc.boolean(), form: fc.constantFrom(...partial) });
    const whole = (meter: Meter): Amounts => lists(meter.list('year', 2), meter.list('day', 8));
    fc.assert(
      fc.property(fc.array(gap, { maxLength: 12 }), fc.integer({ min: 40, max: 300 }), (gaps, startsAt) => {
        const meter = new Meter(startsAt, LENGTHS);
        let total = counted(undefined, whole(meter));
        const start = meter.used;
        for (const { tenths, isMidnight, form } of gaps) {
          meter.use(tenths);
          if (isMidnight) meter.midnight();
          total = kept(counted(total, form(meter)));
          expect(total.total).toBeLessThanOrEqual(meter.used - start + 1e-6);
        }
        expect(counted(total, whole(meter)).total).toBeCloseTo(meter.used - start, 6);
      }),
      { numRuns: runs(200) },
    );
  });

  it('never falls, and counts no more than what is shown, whatever a record says', () => {
    const amounts = fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(fc.tuple(amounts, amounts), { minLength: 1, maxLength: 20 }), (records) => {
        const shown = records.flat(2).reduce((a, b) => a + b, 0);
        expect(totalOf(records.map(([long, short]) => lists(long, short)))?.total).toBeLessThanOrEqual(shown);
      }),
      { numRuns: runs(200) },
    );
  });

  it.each([true, false])(
    'counts to within the rounding of two values where days and years are rounded apart; yesterday is told: %s',
    (isToldToo) => {
      const use = fc.oneof(fc.double({ min: 0, max: 3, noNaN: true }), fc.double({ min: 0, max: 0.03, noNaN: true }));
      fc.assert(
        fc.property(fc.array(fc.tuple(use, fc.constantFrom('', 'before', 'after')), { maxLength: 100 }), (steps) => {
          let [day, year, last] = [0, 500.03, 0];
          const rounded = (value: number): number => Math.round(value * 10) / 10;
          const record = (): Amounts => lists([rounded(year), 900], [rounded(day), ...(isToldToo ? [rounded(last)] : [])]);
          let total = counted(undefined, record());
          for (const [used, midnight] of steps) {
            if (midnight === 'before') [day, last] = [0, day];
            day += used;
            year += used;
            if (midnight === 'after') [day, last] = [0, day];
            total = counted(total, record());
          }
          expect(Math.abs(total.total - (year - 500.03))).toBeLessThanOrEqual(0.2 + 1e-6);
        }),
        { numRuns: runs(200) },
      );
    },
  );
});
