import { describe, expect, it } from 'vitest';
import { amountName, amountsOf, amountUnit } from '../../../../src/features/energy/periods.ts';
import type { Feature } from '../../../../src/features/feature.ts';
import { allFeatures, expectFound } from '../../../support/devices/deviceFiles.ts';
import { featureOf } from '../../../support/devices/features.ts';

const unit = 'kilowattHour';

type Row = readonly [what: string, feature: Feature, amounts: ReturnType<typeof amountsOf>];
const name = 'heating.power.consumption.total';

const TABLE: readonly Row[] = [
  [
    'lists',
    featureOf(name, { day: { value: [1, 2], unit }, week: { value: [3], unit }, year: { value: [40, 50], unit } }),
    { unit, long: { period: 'year', amounts: [40, 50] }, short: { period: 'day', amounts: [1, 2] } },
  ],
  [
    'a summary',
    featureOf(name, { currentDay: { value: 1, unit }, currentYear: { value: 40, unit }, lastYear: { value: 50, unit } }),
    { unit, long: { period: 'year', amounts: [40, 50] }, short: { period: 'day', amounts: [1] } },
  ],
  ['days alone', featureOf(name, { day: { value: [1, 2], unit } }), { unit, long: { period: 'day', amounts: [1, 2] } }],
  [
    'the unit beside the list',
    featureOf(name, { day: { value: [1, 2] }, unit: { value: 'cubicMeter' } }),
    { unit: 'cubicMeter', long: { period: 'day', amounts: [1, 2] } },
  ],
  [
    'a list that ends with something else',
    featureOf(name, { day: { value: [1, 'x', 2], unit } }),
    { unit, long: { period: 'day', amounts: [1] } },
  ],
  [
    'an amount that no home uses',
    featureOf(name, { day: { value: [1, 2], unit }, year: { value: [1e300, 900], unit } }),
    { unit, long: { period: 'day', amounts: [1, 2] } },
  ],
  [
    'a list without an end',
    featureOf(name, { day: { value: Array.from({ length: 5000 }, () => 1), unit } }),
    { unit, long: { period: 'day', amounts: Array.from({ length: 32 }, () => 1) } },
  ],
  [
    'a period in another unit',
    featureOf(name, { day: { value: [1000, 2000], unit: 'wattHour' }, year: { value: [40], unit } }),
    { unit, long: { period: 'year', amounts: [40] } },
  ],
  ['an empty list', featureOf(name, { day: { value: [], unit } }), undefined],
  ['another unit', featureOf(name, { day: { value: [1, 2], unit: 'hour' } }), undefined],
  ['no period', featureOf(name, { value: { value: 1, unit } }), undefined],
];

describe('the amounts of a feature', () => {
  it.each(TABLE)('%s', (_, feature, amounts) => {
    expect(amountsOf(feature)).toEqual(amounts);
  });

  it('are found in every feature that counts consumption or production, by its longest period', () => {
    const longest = (feature: Feature) =>
      (['Year', 'Month', 'Week', 'Day'] as const)
        .find((one) => [one.toLowerCase(), `current${one}`].some((property) => feature.properties.has(property)))
        ?.toLowerCase();
    const counting = allFeatures().filter(
      (feature) => /\.(consumption|production)(\.|$)/.test(feature.name) && longest(feature) !== undefined,
    );
    expect(counting.filter((feature) => amountUnit(feature) === undefined || amountsOf(feature)?.long.period !== longest(feature))).toEqual(
      [],
    );
    expectFound(counting.length, 37);
  });

  it('have one name, as lists and as a summary', () => {
    expect(amountName('heating.power.consumption.summary.dhw')).toBe(amountName('heating.power.consumption.dhw'));
  });
});
