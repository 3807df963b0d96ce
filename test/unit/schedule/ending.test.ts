import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEitherEnd, readEnd } from '../../../src/schedule/ending.ts';
import { printInstant } from '../../../src/schedule/zone.ts';

const BERLIN = { nowMs: Date.parse('2026-11-21T06:00:00Z'), zone: 'Europe/Berlin' };
const until = (text: string, here = BERLIN) => readEnd({ is: 'until', text, path: '/until' }, here);
const lasting = (text: string, here = BERLIN) => readEnd({ is: 'for', text, path: '/for' }, here);
const at = (text: string) => ({ ok: true, value: Date.parse(text) });

describe('until', () => {
  test.each([
    ['2027-01-03T12:00:00Z', '2027-01-03T12:00:00Z'],
    ['2027-01-03T12:00:00+01:00', '2027-01-03T11:00:00Z'],
    ['2027-01-03t12:00z', '2027-01-03T12:00:00Z'],
    ['2027-01-03 12:00:30.2 -0530', '2027-01-03T17:30:30Z'],
    ['2027-01-03 12:00', '2027-01-03T11:00:00Z'],
    ['2027-01-03T12:00', '2027-01-03T11:00:00Z'],
    [' 2027-1-3  9:05 ', '2027-01-03T08:05:00Z'],
    ['2027-01-03', '2027-01-02T23:00:00Z'],
    ['2027-01-03 24:00', '2027-01-03T23:00:00Z'],
    ['22:00', '2026-11-21T21:00:00Z'],
    ['6:30', '2026-11-22T05:30:00Z'],
    // Local time in summer.
    ['2027-07-03 12:00', '2027-07-03T10:00:00Z'],
    // Skipped, and shown twice: the first.
    ['2027-03-28 02:30', '2027-03-28T01:30:00Z'],
    ['2027-10-31 02:30', '2027-10-31T00:30:00Z'],
  ])('%s', (text, instant) => {
    expect(until(text)).toEqual(at(instant));
  });

  test.each([
    ['yesterday', 'until', []],
    ['', 'until', []],
    ['2027-02-30 12:00', 'until', ['2027-02-28', '2027-03-01']],
    ['2027-13-01', 'until', []],
    ['2027-01-03 25:00', 'until', []],
    ['2027-01-03T12:00:00+25:00', 'until', []],
    ['03.01.2027 12:00', 'until', ['2027-01-03 12:00']],
    ['2h', 'until', []],
    ['2026-11-21T06:00:00Z', 'past', []],
    ['2020-01-01', 'past', []],
    ['2028-01-01', 'far', ['2027-11-22T07:00:00+01:00']],
    ['9999-12-31 24:00', 'far', ['2027-11-22T07:00:00+01:00']],
  ])('%j breaks the rule %s', (text, rule, nearest) => {
    const read = until(text);
    expect(read).toMatchObject({ ok: false, issues: [{ path: '/until', rule, ...(nearest.length > 0 ? { nearest } : {}) }] });
  });

  test('a duration is told where it belongs', () => {
    expect(until('2h')).toMatchObject({ issues: [{ message: expect.stringContaining('give it as for') }] });
    expect(lasting('2027-01-03 12:00')).toMatchObject({ issues: [{ message: expect.stringContaining('give it as until') }] });
  });

  test('every instant that is shown is read as itself', () => {
    const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC'];
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 366 * 86_400 }), fc.constantFrom(...zones), (seconds, zone) => {
        const instant = BERLIN.nowMs + seconds * 1000;
        expect(until(printInstant(instant, zone), { ...BERLIN, zone })).toEqual({ ok: true, value: instant });
      }),
    );
  });

  test('no text crashes it', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const read of [until(text), lasting(text), readEitherEnd(text, '', BERLIN)]) {
          if (!read.ok) expect(read.issues).toHaveLength(1);
        }
      }),
    );
  });
});

describe('for', () => {
  const night = { nowMs: Date.parse('2027-03-27T20:00:00Z'), zone: 'Europe/Berlin' };

  test.each([
    ['2h', BERLIN, '2026-11-21T08:00:00Z'],
    ['PT90M', BERLIN, '2026-11-21T07:30:00Z'],
    ['1d', BERLIN, '2026-11-22T06:00:00Z'],
    // A day by the calendar has 23 hours here, 24 hours are 24 hours.
    ['1d', night, '2027-03-28T19:00:00Z'],
    ['24h', night, '2027-03-28T20:00:00Z'],
    ['1d2h', night, '2027-03-28T21:00:00Z'],
    // Whole seconds, never sooner than asked.
    ['1s', { ...BERLIN, nowMs: BERLIN.nowMs + 400 }, '2026-11-21T06:00:02Z'],
    ['1d', { ...BERLIN, nowMs: BERLIN.nowMs + 400 }, '2026-11-22T06:00:01Z'],
  ])('%s', (text, here, instant) => {
    expect(lasting(text, here)).toEqual(at(instant));
  });

  test.each([
    ['90', 'for', ['90m', '90h']],
    ['soon', 'for', []],
    ['0m', 'past', []],
    ['367d', 'far', []],
    ['99999999999999w', 'far', []],
    ['9000h', 'far', []],
  ])('%j breaks the rule %s', (text, rule, nearest) => {
    expect(lasting(text)).toMatchObject({ ok: false, issues: [{ path: '/for', rule, ...(nearest.length > 0 ? { nearest } : {}) }] });
  });

  test('no time at all is no end, also within a second', () => {
    const here = { ...BERLIN, nowMs: BERLIN.nowMs + 300 };
    expect(readEnd({ is: 'for', text: '0s', path: '' }, here)).toMatchObject({ issues: [{ rule: 'past' }] });
    expect(readEnd({ is: 'for', text: '1s', path: '' }, here).ok).toBe(true);
  });

  test('an end that is written alone can be either', () => {
    expect(readEitherEnd('2h', '', BERLIN)).toEqual(at('2026-11-21T08:00:00Z'));
    expect(readEitherEnd('2027-01-03 12:00', '', BERLIN)).toEqual(at('2027-01-03T11:00:00Z'));
    expect(readEitherEnd('x', '1:5', BERLIN)).toMatchObject({ issues: [{ path: '1:5', rule: 'until' }] });
  });
});
