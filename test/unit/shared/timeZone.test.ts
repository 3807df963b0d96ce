import { expect, test } from 'vitest';
import { isZone } from '../../../src/shared/timeZone.ts';

test.each([
  'UTC',
  'Europe/Berlin',
  'europe/berlin',
  'Asia/Calcutta',
  'Etc/GMT+5',
  'EST5EDT',
  'CST',
  'America/Argentina/Buenos_Aires',
  'Etc/GMT-1',
])('%s is a zone', (name) => {
  expect(isZone(name)).toBe(true);
});

test.each(
  '|auto|Berlin|CEST|2026-11-21|+05:00|05:00|Europe|Europe/Nowhere|Europe/Berlín|Etc/Unknown|etc/unknown|GMT+1|UTC[u-ca=iso8601]|Europe/Berlin '.split(
    '|',
  ),
)('%j is none', (name) => {
  expect(isZone(name)).toBe(false);
});

test('every zone of Intl is one', () => {
  expect(Intl.supportedValuesOf('timeZone').filter((name) => !isZone(name))).toEqual([]);
});
