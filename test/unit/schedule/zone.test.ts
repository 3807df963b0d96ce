import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, instantOf, isDate, localAt, nextTransition, printInstant } from '../../../src/schedule/zone.ts';
import { expectTable } from '../../support/golden.ts';

const at = (text: string): number => Date.parse(text);
const local = (year: number, month: number, day: number, hour = 0, minute = 0, second = 0) => ({ year, month, day, hour, minute, second });

test('one can live in each zone that the machine lists', () => {
  for (const name of Intl.supportedValuesOf('timeZone')) expect(instantOf(localAt(0, name), name, 'earlier'), name).toBe(0);
});

describe('the clock on the wall', () => {
  test('shows the time and day of the zone', () =>
    expectTable('localTimes', 7, (zone: string, instant: string) => localAt(at(instant), zone)));

  test('shows what is one instant, chosen where it is none or two', () =>
    expectTable('localInstants', 7, (zone: string, wall: ReturnType<typeof local>, which: 'compatible' | 'earlier' | 'later') =>
      new Date(instantOf(wall, zone, which)).toISOString(),
    ));

  test('a day or a time that there is not is no instant', () => {
    expect(isDate({ year: 2027, month: 2, day: 29 })).toBe(false);
    expect(isDate({ year: 2028, month: 2, day: 29 })).toBe(true);
    expect(() => instantOf(local(2027, 2, 29), 'UTC')).toThrow(RangeError);
    expect(() => instantOf(local(2027, 2, 28, 24), 'UTC')).toThrow(RangeError);
  });

  const instants = fc.integer({ min: at('2020-01-01T00:00:00Z') / 1000, max: at('2037-01-01T00:00:00Z') / 1000 }).map((s) => s * 1000);
  const zones = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kolkata', 'UTC');

  test('what it shows is one of its own instants, and the printed one is the same moment', () => {
    fc.assert(
      fc.property(instants, zones, (ms, zone) => {
        const shown = localAt(ms, zone);
        expect([instantOf(shown, zone, 'earlier'), instantOf(shown, zone, 'later')]).toContain(ms);
        expect(at(printInstant(ms, zone))).toBe(ms);
        expect(printInstant(ms, zone)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/u);
      }),
    );
  });
});

test('an instant is printed with the offset of its zone', () => {
  expect(printInstant(at('2026-11-21T05:00:00Z'), 'Europe/Berlin')).toBe('2026-11-21T06:00:00+01:00');
  expect(printInstant(at('2026-07-01T04:00:00.999Z'), 'Europe/Berlin')).toBe('2026-07-01T06:00:00+02:00');
  expect(printInstant(at('2026-07-01T04:00:00Z'), 'UTC')).toBe('2026-07-01T04:00:00+00:00');
  expect(printInstant(at('2026-07-01T04:00:00Z'), 'America/St_Johns')).toBe('2026-07-01T01:30:00-02:30');
});

test('days are counted by the calendar', () => {
  expect(addDays({ year: 2028, month: 2, day: 28 }, 1)).toEqual({ year: 2028, month: 2, day: 29 });
  expect(addDays({ year: 2026, month: 12, day: 31 }, 1)).toEqual({ year: 2027, month: 1, day: 1 });
  expect(addDays({ year: 2027, month: 1, day: 1 }, -1)).toEqual({ year: 2026, month: 12, day: 31 });
});

test('changes of the clock are known ahead', () => {
  expect(nextTransition(at('2026-07-01T00:00:00Z'), 'Europe/Berlin')).toBe(at('2026-10-25T01:00:00Z'));
  expect(nextTransition(at('2026-07-01T00:00:00Z'), 'UTC')).toBeUndefined();
});
