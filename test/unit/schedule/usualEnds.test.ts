import { expect, test } from 'vitest';
import { usualEnds } from '../../../src/schedule/usualEnds.ts';
import type { Day } from '../../../src/schedule/week.ts';

test.each<[Day, string | undefined, object]>([
  ['wed', '2026-11-25', { midnight: '2026-11-26', sunday: '2026-11-30' }],
  ['sat', '2026-11-28', { midnight: '2026-11-29', sunday: '2026-11-30' }],
  ['sun', '2026-11-29', { midnight: '2026-11-30' }],
  ['thu', '2026-12-31', { midnight: '2027-01-01', sunday: '2027-01-04' }],
  ['mon', '2028-02-28', { midnight: '2028-02-29', sunday: '2028-03-06' }],
  ['sun', '2100-02-28', { midnight: '2100-03-01' }],
  ['wed', undefined, { midnight: '00:00' }],
  ['wed', 'soon', { midnight: '00:00' }],
])('on %s, %s', (day, date, expected) => expect(usualEnds({ day, date })).toEqual(expected));
