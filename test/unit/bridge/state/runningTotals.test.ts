import { expect, test } from 'vitest';
import { runningTotals } from '../../../../src/bridge/state/runningTotals.ts';
import type { Feature } from '../../../../src/features/feature.ts';
import { featureOf } from '../../../support/devices/features.ts';
import { keyedStore } from '../../../support/system/keptInMemory.ts';

/** Counts the record; gives the total after it. */
const counted = (totals: ReturnType<typeof runningTotals>, device: string, feature: Feature): number | undefined => {
  totals.count(device, feature);
  return totals.of(device, feature.name);
};

const meter = (currentYear: number, lastYear = 900, unit = 'kilowattHour') =>
  featureOf('heating.power.consumption.summary.dhw', { currentYear: { value: currentYear, unit }, lastYear: { value: lastYear, unit } });

test('a total goes on after a restart, also over a record that was kept and not counted', () => {
  const rows = new Map<string, unknown>();
  const first = runningTotals(keyedStore(rows));
  expect(counted(first, 'g/0', meter(100))).toBe(0);
  expect(counted(first, 'g/0', meter(100.5))).toBe(0.5);
  const second = runningTotals(keyedStore(rows));
  expect(counted(second, 'g/0', meter(101))).toBe(1);
  expect(counted(second, 'g/0', meter(101))).toBe(1);
  expect(counted(second, 'g/1', meter(500))).toBe(0);
});

test('a record without a value shows the total as it was', () => {
  const totals = runningTotals(keyedStore());
  totals.count('g/0', meter(100));
  totals.count('g/0', meter(102));
  const unit = 'kilowattHour';
  expect(counted(totals, 'g/0', featureOf('heating.power.consumption.summary.dhw', { currentYear: { type: 'number', unit } }))).toBe(2);
  expect(counted(totals, 'g/0', featureOf('heating.dhw', { active: { value: true } }))).toBeUndefined();
});

test('the same record writes nothing', () => {
  let writes = 0;
  const store = keyedStore();
  const totals = runningTotals({
    ...store,
    write: (key, value) => {
      writes += 1;
      return store.write(key, value);
    },
  });
  for (let read = 0; read < 5; read += 1) totals.count('g/0', meter(100));
  expect(writes).toBe(1);
});

test('what makes no sense on disk begins anew', () => {
  const rows = new Map<string, unknown>([['g/0 heating.power.consumption.summary.dhw', { unit: 'kilowattHour', total: 'many' }]]);
  expect(counted(runningTotals(keyedStore(rows)), 'g/0', meter(100))).toBe(0);
});
