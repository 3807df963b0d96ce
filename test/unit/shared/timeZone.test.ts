import { expect, test } from 'vitest';
import { isZone } from '../../../src/shared/timeZone.ts';
import { expectTable } from '../../support/golden.ts';

test('names of zones', () => expectTable('zones', 9, isZone));

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
