import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Prices, pricesUntil, readPrices, withEarlier } from '../../../../src/schedule/prices/readPrices.ts';
import { instantOf, printInstant } from '../../../../src/schedule/zone.ts';
import { runs } from '../../../support/chance.ts';

const BERLIN = 'Europe/Berlin';
const QUARTER_MS = 900_000;

type Day = { readonly date: { readonly year: number; readonly month: number; readonly day: number }; readonly quarters: number };
const DAYS: readonly Day[] = [
  { date: { year: 2027, month: 3, day: 28 }, quarters: 92 },
  { date: { year: 2027, month: 10, day: 31 }, quarters: 100 },
  { date: { year: 2027, month: 2, day: 1 }, quarters: 96 },
];

/** What the exchange says of a quarter, in EUR/MWh; the first is below zero. */
const marketPrice = (index: number): number => -12.5 + index * 1.25;

type Quarter = { readonly start: number; readonly end: number; readonly mwh: number };
const quartersOf = ({ date, quarters }: Day): readonly Quarter[] => {
  const midnight = instantOf({ ...date, hour: 0, minute: 0 }, BERLIN);
  return Array.from({ length: quarters }, (_, index) => ({
    start: midnight + index * QUARTER_MS,
    end: midnight + (index + 1) * QUARTER_MS,
    mwh: marketPrice(index),
  }));
};

const local = (ms: number): string => printInstant(ms, BERLIN);
const utc = (ms: number): string => new Date(ms).toISOString();
const bare = (text: string): string => text.slice(0, 19);
const kwh = (mwh: number): number => mwh / 1000;

type Form = readonly [name: string, make: (all: readonly Quarter[]) => unknown, unit: string, by: string];
const FORMS: readonly Form[] = [
  [
    'nordpool.get_prices_for_date',
    (all) => ({ SE3: all.map((q) => ({ start: utc(q.start), end: utc(q.end), price: q.mwh })) }),
    'MWh',
    'guess',
  ],
  [
    'the portal of Nord Pool',
    (all) => ({
      multiAreaEntries: all.map((q) => ({ deliveryStart: utc(q.start), deliveryEnd: utc(q.end), entryPerArea: { DK1: q.mwh } })),
      blockPriceAggregates: all
        .slice(0, 2)
        .map((q) => ({ blockName: 'Peak', deliveryStart: utc(q.start), averagePricePerArea: { DK1: { average: 1 } } })),
    }),
    'MWh',
    'source',
  ],
  [
    'the sensor of nordpool',
    (all) => ({
      today: all.map((q) => kwh(q.mwh)),
      tomorrow: [],
      raw_today: all.map((q) => ({ start: local(q.start), end: local(q.end), value: kwh(q.mwh) })),
      raw_tomorrow: [{ start: local(0), end: local(1), value: null }],
      tomorrow_valid: false,
    }),
    'kWh',
    'guess',
  ],
  [
    'tibber.get_prices',
    (all) => ({ prices: { Home: all.map((q) => ({ start_time: local(q.start).replace('00+', '00.000+'), price: kwh(q.mwh) })) } }),
    'kWh',
    'guess',
  ],
  [
    'GraphQL of Tibber',
    (all) => {
      const today = all.map((q) => ({ total: kwh(q.mwh), energy: 0, tax: 0, startsAt: local(q.start) }));
      return { data: { viewer: { homes: [{ currentSubscription: { priceInfo: { today, tomorrow: [] } } }] } } };
    },
    'kWh',
    'source',
  ],
  [
    'EPEX Spot',
    (all) => ({ data: all.map((q) => ({ start_time: local(q.start), end_time: local(q.end), price_per_kwh: kwh(q.mwh) })) }),
    'kWh',
    'source',
  ],
  [
    'EPEX Spot, older',
    (all) => ({
      data: all.map((q) => ({ start_time: local(q.start), end_time: local(q.end), price_ct_per_kwh: q.mwh / 10 })),
    }),
    'cent',
    'source',
  ],
  [
    'ENTSO-E',
    (all) => {
      const prices = all.map((q) => ({ time: local(q.start).replace('T', ' '), price: kwh(q.mwh) }));
      return { prices, prices_today: prices, prices_tomorrow: [] };
    },
    'kWh',
    'guess',
  ],
  [
    'the actions of EnergyZero, easyEnergy and ENTSO-E in Home Assistant',
    (all) => ({ prices: all.map((q) => ({ price: kwh(q.mwh), timestamp: local(q.start).replace('T', ' ') })) }),
    'kWh',
    'guess',
  ],
  [
    'aWATTar',
    (all) => ({
      object: 'list',
      data: all.map((q) => ({ start_timestamp: q.start, end_timestamp: q.end, marketprice: q.mwh, unit: 'Eur/MWh' })),
    }),
    'MWh',
    'source',
  ],
  [
    'Energy-Charts',
    (all) => ({ unix_seconds: all.map((q) => q.start / 1000), price: all.map((q) => q.mwh), unit: 'EUR / MWh' }),
    'MWh',
    'source',
  ],
  [
    'Energi Data Service',
    (all) => ({
      records: all.toReversed().map((q) => ({
        ...{ TimeUTC: bare(utc(q.start)), TimeDK: bare(local(q.start)), PriceArea: 'DK1', DayAheadPriceEUR: q.mwh, DayAheadPriceDKK: 1 },
      })),
    }),
    'MWh',
    'source',
  ],
  [
    'Energi Data Service in Home Assistant',
    (all) => ({ raw_today: all.map((q) => ({ hour: local(q.start), price: kwh(q.mwh) })) }),
    'kWh',
    'guess',
  ],
  [
    'Octopus',
    (all) => ({
      results: all.toReversed().flatMap((q, index) => {
        const row = { value_exc_vat: 0, value_inc_vat: q.mwh / 10, valid_from: utc(q.start), valid_to: index === 0 ? null : utc(q.end) };
        return [
          { ...row, value_inc_vat: 99, payment_method: 'NON_DIRECT_DEBIT' },
          { ...row, payment_method: 'DIRECT_DEBIT' },
        ];
      }),
    }),
    'cent',
    'guess',
  ],
  [
    'Octopus in Home Assistant',
    (all) => ({ rates: all.map((q) => ({ start: utc(q.start), end: utc(q.end), value_inc_vat: kwh(q.mwh) })) }),
    'kWh',
    'guess',
  ],
  [
    'Amber',
    (all) =>
      ['feedIn', 'general', 'controlledLoad'].flatMap((channelType) =>
        all.map((q) => ({
          ...{ startTime: utc(q.start + 1000), endTime: utc(q.end), duration: 15, channelType },
          perKwh: channelType === 'general' ? q.mwh / 10 : -1,
        })),
      ),
    'cent',
    'source',
  ],
  [
    'Amber in Home Assistant',
    (all) => ({
      forecasts: all.map((q) => ({
        ...{ duration: 15, nem_date: local(q.end), per_kwh: kwh(q.mwh), spot_per_kwh: 0 },
        ...{ start_time: utc(q.start + 1000), end_time: utc(q.end) },
      })),
      channel_type: 'general',
    }),
    'kWh',
    'source',
  ],
  ['evcc by MQTT, with times in seconds', (all) => all.map((q) => [q.start / 1000, q.end / 1000, kwh(q.mwh)]), 'kWh', 'guess'],
  [
    'evcc by MQTT before August 2026',
    (all) => all.map((q) => ({ start: local(q.start), end: local(q.end), value: kwh(q.mwh) })),
    'kWh',
    'guess',
  ],
  [
    'evcc by its address',
    (all) => ({ rates: all.map((q) => ({ start: local(q.start), end: local(q.end), value: kwh(q.mwh) })) }),
    'kWh',
    'guess',
  ],
  [
    'evcc before 0.207',
    (all) => ({ result: { rates: all.map((q) => ({ start: local(q.start), end: local(q.end), price: kwh(q.mwh) })) } }),
    'kWh',
    'guess',
  ],
  [
    'power-saver',
    (all) => ({ priceData: all.map((q) => ({ value: kwh(q.mwh), start: local(q.start).replace('00+', '00.000+') })) }),
    'kWh',
    'guess',
  ],
  [
    'power-saver, by day',
    (all) => ({
      today: all.slice(0, 40).map((q) => ({ value: kwh(q.mwh), start: local(q.start) })),
      tomorrow: all.slice(40).map((q) => ({ value: kwh(q.mwh), start: local(q.start) })),
    }),
    'kWh',
    'guess',
  ],
  ['local times without an offset', (all) => all.map((q) => ({ time: bare(local(q.start)), value: kwh(q.mwh) })), 'kWh', 'guess'],
  [
    'the same, newest first',
    (all) => all.toReversed().map((q) => ({ time: bare(local(q.start)), end: bare(local(q.end)), value: kwh(q.mwh) })),
    'kWh',
    'guess',
  ],
];

describe.each(FORMS)('%s', (_, make, unit, by) => {
  test.each(DAYS)('a day of $quarters quarters', (day) => {
    const all = quartersOf(day);
    const read = readPrices(JSON.stringify(make(all)), BERLIN);
    expect(read).toMatchObject({ ok: true, prices: { stepMinutes: 15 } });
    if (!read.ok) return;
    expect(read.prices.slots).toHaveLength(day.quarters);
    expect(read.prices.slots.map(({ startMs, endMs, price }) => [startMs, endMs, price.toFixed(6)])).toEqual(
      all.map((q) => [q.start, q.end, (q.mwh / 1000).toFixed(6)]),
    );
    expect([read.prices.unit, read.prices.by]).toEqual([unit, by]);
  });
});

describe('what is refused, and what is let through', () => {
  const at = (hours: number): string => utc(Date.parse('2027-02-01T00:00:00Z') + hours * 3_600_000);
  const slot = (from: number, to: number, value: unknown = 0.3) => ({ start: at(from), end: at(to), value });
  test.each<[name: string, text: string, mistake: string]>([
    ['no JSON', '{', 'json'],
    ['a number, as of evcc/site/tariffGrid', '0.31', 'none'],
    ['two numbers each, as of evcc/site/forecast/solar', '[[1795600800,1200],[1795604400,900]]', 'none'],
    ['an empty text in the place of a list', '""', 'none'],
    ['no prices at all', '{"rates":[]}', 'none'],
    ['values that are no numbers', JSON.stringify([slot(0, 1, null), slot(1, 2, ''), slot(2, 3, 'much')]), 'none'],
    ['two areas', JSON.stringify({ SE3: [slot(0, 1)], SE4: [slot(0, 1)] }), 'several'],
    [
      'two areas in one list',
      JSON.stringify({
        records: [
          { ...slot(0, 1), PriceArea: 'DK1' },
          { ...slot(0, 1), PriceArea: 'DK2' },
        ],
      }),
      'several',
    ],
    ['steps of two hours', JSON.stringify([slot(0, 2), slot(2, 4)]), 'steps'],
    ['steps of a minute', JSON.stringify([slot(0, 1 / 60)]), 'steps'],
    ['prices beyond any', JSON.stringify([slot(0, 1, 1e303), slot(1, 2, '-1e303')]), 'none'],
    ['a gap of two hours', JSON.stringify([slot(0, 1), slot(3, 4)]), 'gap'],
    ['slots that overlap', JSON.stringify([slot(0, 1), slot(0.5, 1.5)]), 'overlap'],
  ])('%s', (_, text, mistake) => {
    expect(readPrices(text, BERLIN)).toMatchObject({ ok: false, mistake });
  });

  test.each([
    [
      'lists',
      { ['k'.repeat(30_000)]: Object.fromEntries(Array.from({ length: 1000 }, (_, list) => [`a${list}`, [{ start: 1, value: 1 }]])) },
    ],
    [
      'areas',
      [{ ...slot(0, 1), entryPerArea: Object.fromEntries(Array.from({ length: 1000 }, (_, area) => [`${area}${'k'.repeat(200)}`, 1])) }],
    ],
  ])('a few short names stand for a thousand %s', (_, json) => {
    const read = readPrices(JSON.stringify(json), BERLIN);
    expect(read).toMatchObject({ ok: false, mistake: 'several' });
    expect(JSON.stringify(read).length).toBeLessThan(3000);
  });

  test.each([
    ['130,000 points', `[{"start":1},${'{},'.repeat(130_000)}{}]`],
    ['10,000 objects in one another', `${'{"data":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ])('%s end nothing', (_, text) => {
    expect(readPrices(text, BERLIN)).toEqual({ ok: false, mistake: 'none' });
  });

  test.each(['price_in_cents', 'use_cent'])('a sensor whose prices are in cents by its attribute %s', (word) => {
    const attributes = { unit: 'kWh', currency: 'EUR', [word]: true, raw_today: [slot(0, 1, 8.955)], raw_tomorrow: [] };
    for (const json of [attributes, { attributes }])
      expect(readPrices(JSON.stringify(json), BERLIN)).toMatchObject({
        prices: { unit: 'cent', by: 'source', slots: [{ price: 0.08955 }] },
      });
  });

  test.each([
    [['ct', 'Cent', 'Eurocent', 'euro cent', '€ct', 'EURct', 'c€', '¢', 'US¢', 'snt', 'Rp.', 'p', 'öre'], 'cent'],
    [['EUR', '€', 'CHF', 'CZK', 'PLN', 'SEK', 'GBP', 'EUR_'], 'kWh'],
  ])('%j for a kWh are read as %s', (words, unit) => {
    for (const word of words)
      for (const name of ['unit', 'unit_of_measurement'])
        expect(readPrices(JSON.stringify({ [name]: `${word}/kWh`, data: [slot(0, 1, 30)] }), BERLIN)).toMatchObject({
          prices: { unit, by: 'source' },
        });
  });

  test('prices of earlier steps stay before new ones: from an instant on, without a gap, in the same unit', () => {
    const read = (from: number, until: number, value: number, unit: 'kWh' | 'cent' = 'kWh'): Prices => {
      const hours = Array.from({ length: until - from }, (_, index) => slot(from + index, from + index + 1, value));
      const all = readPrices(JSON.stringify(hours), BERLIN, unit);
      if (!all.ok) throw new Error(all.mistake);
      return all.prices;
    };
    const of = (present: Prices | undefined, came: Prices, since: number): readonly number[] =>
      withEarlier(present, came, Date.parse(at(since))).slots.map(({ price }) => price);
    expect(of(read(0, 6, 0.1), read(4, 6, 0.2), 2)).toEqual([0.1, 0.1, 0.2, 0.2]);
    expect(of(read(0, 4, 0.1), read(4, 6, 0.2), 0)).toEqual([0.1, 0.1, 0.1, 0.1, 0.2, 0.2]);
    expect(of(read(0, 3, 0.1), read(4, 6, 0.2), 0)).toEqual([0.2, 0.2]);
    expect(of(read(0, 6, 30, 'cent'), read(4, 6, 0.2), 0)).toEqual([0.2, 0.2]);
    expect(of(read(4, 9, 0.1), read(4, 6, 0.2), 0)).toEqual([0.2, 0.2]);
    expect(of(undefined, read(4, 6, 0.2), 0)).toEqual([0.2, 0.2]);
  });

  test('doubles are dropped, a missing hour is left out, numbers may be texts', () => {
    const read = readPrices(JSON.stringify([slot(0, 1, '0.3'), slot(0, 1, 0.9), slot(1, 2, null), slot(2, 3, 0)]), BERLIN);
    expect(read.ok && read.prices.slots.map(({ price }) => price)).toEqual([0.3, 0]);
    expect(read.ok && pricesUntil(read.prices.slots)).toBe(Date.parse(at(1)));
  });

  test('the setting wins over what the source says', () => {
    const text = JSON.stringify({ data: [{ ...slot(0, 1), unit: 'EUR/MWh', value: 30 }] });
    expect(readPrices(text, BERLIN)).toMatchObject({ prices: { unit: 'MWh', by: 'source', slots: [{ price: 0.03 }] } });
    expect(readPrices(text, BERLIN, 'cent')).toMatchObject({ prices: { unit: 'cent', by: 'setting', slots: [{ price: 0.3 }] } });
  });

  test('a unit with 60,000 blanks costs no time', () => {
    const begin = performance.now();
    const text = JSON.stringify([{ ...slot(0, 1, 30), unit: `${' '.repeat(60_000)}kWh` }]);
    expect(readPrices(text, BERLIN)).toMatchObject({ prices: { unit: 'kWh', by: 'source' } });
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  test('a time of 60,000 blanks costs no time', () => {
    const begin = performance.now();
    const points = [
      { start: `2026-11-21T00:00${' '.repeat(60_000)}x`, price: 1 },
      { start: at(0), price: 1 },
    ];
    expect(readPrices(JSON.stringify(points), BERLIN)).toMatchObject({ prices: { slots: [{ price: 1 }] } });
    expect(performance.now() - begin).toBeLessThan(1000);
  });

  test('whatever JSON comes, slots are in order, without overlap, each of 5 to 60 minutes with a finite price', () => {
    const word = fc.constantFrom('start', 'end', 'value', 'rates', 'price', 'time', 'unix_seconds', 'entryPerArea', 'toString');
    const leaf = fc.oneof(fc.double(), fc.integer(), fc.constant(null), fc.constantFrom(...[0, 0.25, 0.5, 1, 2].map(at)), fc.string());
    const tree = fc.letrec((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, leaf, fc.array(tie('any'), { maxLength: 4 }), fc.dictionary(word, tie('any'), { maxKeys: 4 })),
    })).any;
    fc.assert(
      fc.property(tree, (json) => {
        const read = readPrices(JSON.stringify(json), BERLIN);
        const slots = read.ok ? read.prices.slots : [];
        for (const [index, { startMs, endMs, price }] of slots.entries()) {
          expect(Number.isFinite(price)).toBe(true);
          expect(endMs - startMs).toBeGreaterThanOrEqual(300_000);
          expect(endMs - startMs).toBeLessThanOrEqual(3_600_000);
          expect(startMs).toBeGreaterThanOrEqual(slots[index - 1]?.endMs ?? startMs);
        }
      }),
      { numRuns: runs(4000) },
    );
  });
});
