import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Amounts, Period } from '../../../../src/features/energy/periods.ts';
import { counted, type RunningTotal } from '../../../../src/features/energy/runningTotal.ts';
import { runs } from '../../../support/chance.ts';

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

type Row = readonly [what: string, records: readonly Amounts[], total: number];

const TABLE: readonly Row[] = [
  ['the first record counts nothing', [lists([3440.8, 5346.4], [7.2, 12.6])], 0],
  ['the same record counts nothing', [lists([3440.8, 5346.4]), lists([3440.8, 5346.4])], 0],
  ['within a period', [lists([3440.8, 5346.4]), lists([3441.1, 5346.4])], 0.3],
  ['over midnight, also what was used before it', [lists([100, 900], [5, 4, 3]), lists([100.9, 900], [0.4, 5.5, 4])], 0.9],
  ['six days without a read', [lists([100, 900], [5, 4, 3]), lists([160, 900], [1, 9, 9])], 60],
  ['New Year', [lists([3440.8, 5346.4]), lists([0.3, 3441.2])], 0.7],
  ['New Year with three years', [lists([3440.8, 5346.4, 100]), lists([0.3, 3441.2, 5346.4])], 0.7],
  ['New Year after some days', [lists([5000, 4000], [9, 8]), lists([12, 5040], [3, 3])], 52],
  ['a new year of which the last one is told later', [lists([3440, 5000]), lists([0, 5000]), lists([0.5, 3441])], 1.5],
  ['a year of which the last one is not told', [lists([3440]), lists([0.3]), lists([0.5])], 0.5],
  ['a value that falls is corrected', [lists([100, 900]), lists([99, 900]), lists([99.5, 900]), lists([100.5, 900])], 0.5],
  ['a record of zeros, once', [lists([100, 900]), lists([0, 0]), lists([100.5, 900])], 0.5],
  ['a device that is reset', [lists([100, 900]), lists([0, 0]), lists([0.5, 0]), lists([2, 0])], 2],
  ['a counter that is replaced by a greater one', [lists([100, 900]), lists([5000, 7000]), lists([5001, 7000])], 1],
  ['a counter that is replaced by a smaller one', [lists([100, 900]), lists([7, 3]), lists([8, 3]), lists([9, 3])], 2],
  ['what the day counts before the year', [lists([100, 900], [5, 4, 3]), lists([100, 900], [5.5, 4, 3])], 0.5],
  [
    'what the day counted before the year, once',
    [lists([100, 900], [5, 4, 3]), lists([100, 900], [5.5, 4, 3]), lists([100.5, 900], [5.5, 4, 3])],
    0.5,
  ],
  ['a year that stays at zero', [lists([0], [5, 4, 3]), lists([0], [6, 4, 3]), lists([0], [1, 7, 4])], 3],
  ['lists of a day alone', [lists([5, 4, 3, 2], undefined, 'day'), lists([1, 2, 5.5, 4], undefined, 'day')], 3.5],
  ['equal days', [lists([5, 5, 5, 5], undefined, 'day'), lists([0.2, 5, 5, 5], undefined, 'day')], 0.2],
  ['an earlier year that is corrected', [lists([100, 900]), lists([101, 901])], 1],
  [
    'a record without the year',
    [lists([100, 900], [5, 4]), lists([50, 80], [6, 4], 'month'), lists([102, 900], [7, 4]), lists([103, 900], [8, 4])],
    3,
  ],
  [
    'a record without the year after one without days',
    [lists([100, 900], [5, 4]), lists([101, 900]), lists([7, 4], undefined, 'day'), lists([103, 900], [8, 4])],
    3,
  ],
  ['a year that is gone', [lists([100, 900], [5, 4]), lists([6, 4], undefined, 'day'), lists([8, 4], undefined, 'day')], 3],
  ['another unit', [lists([100, 900]), lists([101, 900]), { ...lists([102_000, 900_000]), unit: 'wattHour' }], 0],
];

describe('a running total', () => {
  it.each(TABLE)('%s', (_, records, total) => {
    const [first, last] = [records.slice(0, -1), records.at(-1)];
    if (!last) throw new Error('no record');
    const before = totalOf(first);
    expect(counted(before, last).total).toBeCloseTo(total, 6);
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

  it('counts to within the rounding of two values where days and years are rounded apart', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.double({ min: 0, max: 3, noNaN: true }), fc.boolean()), { maxLength: 100 }), (steps) => {
        let [day, year, last] = [0, 500.03, 0];
        const rounded = (value: number): number => Math.round(value * 10) / 10;
        const record = (): Amounts => lists([rounded(year), 900], [rounded(day), rounded(last)]);
        let total = counted(undefined, record());
        for (const [used, isMidnight] of steps) {
          day += used;
          year += used;
          if (isMidnight) [day, last] = [0, day];
          total = counted(total, record());
        }
        expect(Math.abs(total.total - (year - 500.03))).toBeLessThanOrEqual(0.2 + 1e-6);
      }),
      { numRuns: runs(200) },
    );
  });
});
