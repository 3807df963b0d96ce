import { expect, test } from 'vitest';
import { isZone } from '../../../src/shared/timeZone.ts';

test.each(['UTC', 'Europe/Berlin', 'europe/berlin', 'Asia/Calcutta', 'Etc/GMT+5', 'EST5EDT', 'CST'])('%s is a zone', (name) => {
  expect(isZone(name)).toBe(true);
});

test.each([
  '',
  '+05:00',
  '05:00',
  'Europe',
  'Europe/Nowhere',
  'Etc/Unknown',
  'etc/unknown',
  'GMT+1',
  'UTC[u-ca=iso8601]',
  'Europe/Berlin ',
])('%j is none', (name) => {
  expect(isZone(name)).toBe(false);
});

test('every zone of Intl is one', () => {
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !isZone(name))).toEqual([]);
});
