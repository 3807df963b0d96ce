import { expect, it } from 'vitest';
import { pricePlanOf } from '../../../src/page/prices/model.ts';

it.each([
  ['home', { plan: { mode: 'daily' }, isOrdered: true, currency: 'EUR' }],
  ['another', undefined],
  // A device can have any name.
  ['constructor', undefined],
])('the plan of %s', (device, expected) => {
  const report = { currency: 'EUR', plans: { home: { mode: 'daily' } } };
  const found = pricePlanOf(new Map([['h/bridge/price_plan', JSON.stringify(report)]]), 'h', device);
  expect(found).toEqual(expected && expect.objectContaining(expected));
});
