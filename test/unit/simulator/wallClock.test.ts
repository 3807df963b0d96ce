import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wallClock } from '../../../src/simulator/home/wallClock.ts';

test.each([
  ['Europe/Berlin', '2026-11-21T23:30:00Z', { day: 'sun', minute: 30, date: '2026-11-22', dayOfMonth: 22, month: 11 }],
  ['Europe/Berlin', '2026-03-29T00:59:00Z', { day: 'sun', minute: 119, date: '2026-03-29' }],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', { day: 'sun', minute: 180, date: '2026-03-29' }],
  ['Europe/Berlin', '2026-10-25T01:00:00Z', { day: 'sun', minute: 120, date: '2026-10-25' }],
  ['Asia/Kathmandu', '2026-11-21T18:14:00Z', { day: 'sat', minute: 1439, date: '2026-11-21' }],
  ['Asia/Kathmandu', '2026-11-21T18:15:00Z', { day: 'sun', minute: 0, date: '2026-11-22' }],
  ['UTC', '2027-01-01T00:00:00Z', { day: 'fri', minute: 0, date: '2027-01-01', dayOfMonth: 1, month: 1 }],
])('%s at %s', (zone, instant, shown) => {
  expect(wallClock(zone)(Date.parse(instant))).toMatchObject(shown);
});

test('whatever was asked before, the same instant shows the same', () => {
  const clock = wallClock('America/New_York');
  const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
  fc.assert(
    fc.property(instant, instant, (a, b) => {
      clock(a);
      expect(clock(b)).toEqual(wallClock('America/New_York')(b));
    }),
  );
});
