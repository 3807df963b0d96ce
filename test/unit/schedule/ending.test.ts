import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEitherEnd, readEnd } from '../../../src/schedule/ending.ts';
import { nextTransition, printInstant } from '../../../src/schedule/zone.ts';
import { runs } from '../../support/chance.ts';
import { expectTable } from '../../support/golden.ts';
import { MINUTE_MS, wall } from '../../support/schedules/slowWeek.ts';

const BERLIN = { nowMs: Date.parse('2026-11-21T06:00:00Z'), zone: 'Europe/Berlin' };
const until = (text: string, here = BERLIN) => readEnd({ kind: 'until', text, path: '/until' }, here);
const lasting = (text: string, here = BERLIN) => readEnd({ kind: 'for', text, path: '/for' }, here);
const refusal = (read: ReturnType<typeof until>): readonly unknown[] =>
  read.ok ? [] : read.issues.flatMap(({ rule, path, nearest = [] }) => [rule, path, ...nearest]);
const shown = (read: ReturnType<typeof until>): string => (read.ok ? new Date(read.value).toISOString() : JSON.stringify(read.issues));
const berlinAt = (now: string) => ({ ...BERLIN, nowMs: Date.parse(now) });
const at = (text: string) => ({ ok: true, value: Date.parse(text) });

/** Minutes since midnight, by a way of its own. */
const minutesAt = (ms: number, zone: string): number => {
  const { time } = wall(ms, zone);
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
};

/** Walks minute by minute until the clock shows a time, or jumps over it: then it is as much later as the clock has jumped. */
const nextShown = (minutes: number, nowMs: number, zone: string): number => {
  const forward = (from: number, to: number): number => (to - from + 1440) % 1440;
  for (let ms = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS; ; ms += MINUTE_MS) {
    if (minutesAt(ms, zone) === minutes) return ms;
    const expected = (minutesAt(ms - MINUTE_MS, zone) + 1) % 1440;
    const jumped = forward(expected, minutesAt(ms, zone));
    // A clock that is set back seems to jump ahead by almost a day.
    if (jumped < 720 && forward(expected, minutes) < jumped) return ms + forward(expected, minutes) * MINUTE_MS;
  }
};

/** Moments within a day and a half of a change of the clock; there are some at midnight and one of half an hour. */
const nearChange = fc
  .record({
    zone: fc.constantFrom(
      'Europe/Berlin',
      'America/Havana',
      'America/Santiago',
      'America/Nuuk',
      'Australia/Lord_Howe',
      'Africa/Casablanca',
    ),
    yearMs: fc.integer({ min: Date.parse('2024-01-01'), max: Date.parse('2028-01-01') }),
    awayS: fc.oneof(fc.integer({ min: -2 * 3600, max: 2 * 3600 }), fc.integer({ min: -36 * 3600, max: 36 * 3600 })),
  })
  .map(({ zone, yearMs, awayS }) => ({ zone, nowMs: (nextTransition(yearMs, zone) ?? 0) + awayS * 1000 }));

describe('until', () => {
  const instantOf = (text: string, now?: string): string => shown(until(text, now === undefined ? BERLIN : berlinAt(now)));

  // Local time in summer; skipped, and shown twice: the first.
  test('is an instant in many forms', () => expectTable('until', 17, instantOf));

  // Berlin shows 02:00 to 03:00 twice on 2027-10-31, the second time from 01:00Z on, and skips it on 2027-03-28, at 01:00Z.
  test('while the clock is changed', () => expectTable('untilAtClockChanges', 16, instantOf));

  test('both showings of a repeated time are past when the second is', () => {
    expect(until('2027-10-31 02:30', { ...BERLIN, nowMs: Date.parse('2027-10-31T01:30:00Z') })).toMatchObject({
      issues: [{ rule: 'past' }],
    });
  });

  test('a time is the next that the clock on the wall shows, however it is changed', () => {
    fc.assert(
      fc.property(nearChange, fc.integer({ min: 0, max: 24 * 60 }), ({ nowMs, zone }, minutes) => {
        const text = `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
        expect(until(text, { nowMs, zone })).toEqual({ ok: true, value: nextShown(minutes % 1440, nowMs, zone) });
      }),
      { numRuns: runs(300) },
    );
  });

  test('is refused by a rule, with what would be right', () => expectTable('untilRefused', 17, (text: string) => refusal(until(text))));

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
  // A day by the calendar has 23 hours on 2027-03-28, 24 hours are 24 hours; ends are whole seconds, never sooner than asked.
  test('is an instant', () => expectTable('forInstants', 13, (text: string, now: string) => shown(lasting(text, berlinAt(now)))));

  test('is refused by a rule, with what would be right', () => expectTable('forRefused', 6, (text: string) => refusal(lasting(text))));

  test('no time at all is no end, also within a second', () => {
    const here = { ...BERLIN, nowMs: BERLIN.nowMs + 300 };
    expect(readEnd({ kind: 'for', text: '0s', path: '' }, here)).toMatchObject({ issues: [{ rule: 'past' }] });
    expect(readEnd({ kind: 'for', text: '1s', path: '' }, here).ok).toBe(true);
  });

  test('an end that is written alone can be either', () => {
    expect(readEitherEnd('2h', '', BERLIN)).toEqual(at('2026-11-21T08:00:00Z'));
    expect(readEitherEnd('2027-01-03 12:00', '', BERLIN)).toEqual(at('2027-01-03T11:00:00Z'));
    expect(readEitherEnd('x', '1:5', BERLIN)).toMatchObject({ issues: [{ path: '1:5', rule: 'until' }] });
  });
});
