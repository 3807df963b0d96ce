import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { loadPageWords } from '../../../src/language/page.ts';
import { spanText } from '../../../src/language/plans/spanText.ts';
import { isPeriod, stepped } from '../../../src/page/model/controls.ts';
import { endKeys, endsOffered, momentOf } from '../../../src/page/model/moments.ts';
import { outcomeOf } from '../../../src/page/model/outcome.ts';
import { readEnd } from '../../../src/schedule/ending.ts';
import { localNow } from '../../../src/schedule/shown/localNow.ts';
import { printInstant } from '../../../src/schedule/zone.ts';
import { STATUSES } from '../../../src/topics/resultPayload.ts';
import { expectTable } from '../../support/golden.ts';

const PAGE_WORDS = { en: await loadPageWords('en'), de: await loadPageWords('de') };
const at = (text: string): number => Date.parse(text);

/** Milliseconds that Berlin is ahead of UTC. */
const inBerlin = (atMs: number): number =>
  Date.parse(`${printInstant(atMs, 'Europe/Berlin').slice(0, 19)}Z`) - Math.floor(atMs / 1000) * 1000;

describe('a moment as people say it', () => {
  test('has a day and a time', () =>
    expectTable('moments', 7, (instant: string) => {
      const { day, time } = momentOf(instant, at('2026-11-22T17:00:00Z')) ?? {};
      return [day, time];
    }));

  test('the day is that of the zone that the moment is written in, not of the browser', () => {
    // 23:30 in Berlin is the evening before in UTC.
    expect(momentOf('2026-11-23T06:00:00+01:00', at('2026-11-22T23:30:00Z'))).toMatchObject({ day: 'today' });
  });

  test.each([
    // Half past eleven on the Friday before the night without an hour, and half past midnight before the one with an hour twice.
    ['2027-03-28T06:00:00+02:00', '2027-03-26T22:30:00Z', 'weekday'],
    ['2027-03-28T06:00:00+02:00', '2027-03-27T22:30:00Z', 'tomorrow'],
    ['2026-10-25T06:00:00+01:00', '2026-10-24T22:30:00Z', 'today'],
    ['2026-10-26T00:00:00+01:00', '2026-10-24T22:30:00Z', 'tomorrow'],
  ])('the clock may be changed before it: %s, seen at %s, is %s', (instant, now, day) => {
    expect(momentOf(instant, at(now), inBerlin)).toMatchObject({ day });
  });

  test.each(['', 'soon', '2026-11-22', '22:00', '2026-13-45T00:00:00Z', '0000-00-00T00:00:00Z'])('"%s" is no moment', (text) =>
    expect(momentOf(text, 0)).toBeUndefined(),
  );
});

describe('the ends that are offered', () => {
  const ends = (now: string, zone = 'Europe/Berlin') =>
    endsOffered(localNow(at(now), zone)).map((end) => ({ kind: end.kind, ...endKeys(end) }));

  test('on a Wednesday afternoon', () => {
    expect(ends('2026-11-25T14:00:00Z')).toEqual([
      { kind: 'open' },
      { kind: 'hours', for: '2h' },
      { kind: 'midnight', until: '2026-11-26' },
      { kind: 'sunday', until: '2026-11-30' },
    ]);
  });

  test('on a Sunday there is no other Sunday: it ends at midnight', () => {
    expect(ends('2026-11-29T10:00:00Z').slice(2)).toEqual([{ kind: 'midnight', until: '2026-11-30' }]);
  });

  test('every end is to come, in any zone at any time', () => {
    const zones = fc.constantFrom('Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'UTC');
    fc.assert(
      fc.property(fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') }), zones, (ms, zone) => {
        const now = localNow(ms, zone);
        const printed = `${now.date} ${String(Math.floor(now.minutes / 60)).padStart(2, '0')}:${String(now.minutes % 60).padStart(2, '0')}`;
        for (const end of endsOffered(now)) if ('until' in end) expect(end.until > printed).toBe(true);
      }),
    );
  });

  test.each([
    // The night of a clock change: the hour that is missing, the one that is there twice, and a midnight that is missing.
    ['Europe/Berlin', '2027-03-28T00:30:00Z', '2027-03-29'],
    ['Europe/Berlin', '2027-03-28T01:30:00Z', '2027-03-29'],
    ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-26'],
    ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-26'],
    ['Europe/Berlin', '2026-10-24T22:15:00Z', '2026-10-26'],
    ['Africa/Cairo', '2026-04-23T21:30:00Z', '2026-04-24'],
  ])('on the day of a clock change, in %s at %s, midnight is the next one', (zone, at, date) => {
    const nowMs = Date.parse(at);
    const [, , midnight] = endsOffered(localNow(nowMs, zone));
    expect(midnight).toEqual({ kind: 'midnight', until: date });
    // The bridge takes it, as an instant within the next 25 hours.
    const end = readEnd({ kind: 'until', text: date, path: '/until' }, { nowMs, zone });
    expect(end.ok && end.value - nowMs).toBeGreaterThan(0);
    expect(end.ok && end.value - nowMs).toBeLessThanOrEqual(25 * 3_600_000);
  });

  test('a zone that the browser does not know is read as UTC', () => {
    expect(localNow(at('2026-11-25T14:00:00Z'), 'Mars/Olympus')).toEqual({ date: '2026-11-25', minutes: 840, day: 'wed' });
  });
});

test('after midnight the first day of a holiday is the local one, not that of UTC', () => {
  expect(localNow(at('2026-11-25T23:30:00Z'), 'Europe/Berlin').date).toBe('2026-11-26');
});

test.each([
  [true, '2026-12-24', true],
  [false, '2026-12-24', false],
  [true, '2026-12-23', false],
  [false, '2026-12-25', true],
  [true, '', false],
])('with one day allowed (%s), from 24 December to %s is a period: %s', (isOneDayAllowed, last, expected) =>
  expect(isPeriod({ isOneDayAllowed }, '2026-12-24', last)).toBe(expected),
);

describe('a step of − and +', () => {
  const control = { topic: '', min: 3, max: 37, step: 0.5 };
  test('goes to the next one on the grid', () =>
    expectTable('stepped', 8, (value: number | null, steps: 1 | -1) => stepped(control, value ?? undefined, steps)));

  test('stays on the grid and within the limits', () => {
    const steps = fc.constantFrom(0.1, 0.5, 1, 2.5);
    fc.assert(
      fc.property(
        fc.integer({ min: -20, max: 20 }),
        steps,
        fc.integer({ min: 1, max: 60 }),
        fc.double({ min: -50, max: 90, noNaN: true }),
        (min, step, count, value) => {
          const max = min + step * count;
          const next = stepped({ topic: '', min, max, step }, value, 1);
          expect(next).toBeGreaterThanOrEqual(min - 1e-6);
          expect(next).toBeLessThanOrEqual(max + 1e-6);
          const place = (next - min) / step;
          expect(Math.abs(place - Math.round(place))).toBeLessThan(1e-4);
        },
      ),
    );
  });
});

test.each([
  ['18:00', '21:00', '18:00 – 21:00'],
  ['18:00', 'tomorrow 07:00', '18:00 – tomorrow 07:00'],
  ['tomorrow 05:00', 'tomorrow 07:00', 'tomorrow 05:00 – 07:00'],
  ['tomorrow 23:00', 'Monday 01:00', 'tomorrow 23:00 – Monday 01:00'],
  ['3 January 2027 05:00', '3 January 2027 24:00', '3 January 2027 05:00 – 24:00'],
])('from %s to %s the same day is said once', (from, until, said) => expect(spanText(from, until)).toBe(said));

describe('the outcome of a write', () => {
  const say = (answer: object, language: 'en' | 'de' = 'en') =>
    outcomeOf(
      answer,
      PAGE_WORDS[language],
      ({ message }) => message,
      (instant) => instant.slice(11, 16),
      (value) => value.toLocaleString(language),
    );

  test.each(Object.keys(STATUSES))('%s has a sentence in both languages', (status) => {
    for (const language of ['en', 'de'] as const) expect(say({ status, message: 'why', code: 'x' }, language)).toMatch(/\w{3}/);
  });

  test('a refusal says which rules are broken, else the sentence of its code, else the bridge’s own', () => {
    const errors = [{ path: '', rule: 'max', message: 'too warm' }];
    expect(say({ status: 'rejected', code: 'invalid', errors })).toBe('Not changed: too warm');
    expect(say({ status: 'failed', code: 'gateway_offline', message: 'the gateway is offline' }, 'de')).toContain('Gateway');
    expect(say({ status: 'failed', code: 'never_heard', message: 'a new reason' }, 'de')).toContain('a new reason');
  });

  test('of what may have been carried out all the same nobody says that it was not changed', () => {
    const lost = { status: 'failed', code: 'unknown_outcome', message: 'it is not known' };
    expect(say(lost)).toBe('The answer was lost, and no read has shown the change since.');
    expect(say(lost, 'de')).toMatch(/^Die Antwort ging verloren, /);
  });

  test('a value that the heating made of another one is written as people write it', () => {
    expect(say({ status: 'applied', adapted: 20.5 }, 'de')).toBe('Die Heizung hat es auf 20,5 geändert.');
  });

  test('a temporary write says when it ends', () => {
    expect(say({ status: 'applied', until: '2026-11-22T18:40:00Z' })).toContain('18:40');
  });
});
