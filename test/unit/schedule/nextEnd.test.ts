import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readEitherEnd, readEnd } from '../../../src/schedule/ending.ts';
import { type GoverningWeek, isNext } from '../../../src/schedule/nextEnd.ts';
import { splitEnd } from '../../../src/schedule/text/textEnd.ts';
import { DAYS, type Day, type Week, weekOf } from '../../../src/schedule/week.ts';
import { runs } from '../../support/chance.ts';
import { MINUTE_MS, slowMode, slowNext } from '../../support/schedules/slowWeek.ts';
import { day } from '../../support/schedules/weeks.ts';

const BERLIN = 'Europe/Berlin';
const week = (all: string, own: Partial<Record<Day, string>> = {}): Week => weekOf((name) => day(own[name] ?? all));
const followed = (present: Week, written?: Week): GoverningWeek =>
  ({ kind: 'followed', name: 'a.schedule', week: present, written, defaultMode: 'off', stepMinutes: 10 }) as const;

/** The instant in UTC, or the rule that refuses it. */
const nextOf = (governing: GoverningWeek | undefined, now: string): string => {
  const read = readEnd({ kind: 'until', text: 'next', path: '/until' }, { nowMs: Date.parse(now), zone: BERLIN }, governing);
  return read.ok ? new Date(read.value).toISOString().slice(0, 16) : read.issues.map(({ rule, path }) => `${rule} ${path}`).join();
};

test.each(['next', ' Next ', 'next change', 'nächste', 'Nächster Wechsel', 'nächste Änderung', 'naechste Schaltzeit', 'na\u0308chste'])(
  '%s means the next change, also behind a week',
  (word) => {
    expect(isNext(word)).toBe(true);
    expect(splitEnd(`mon-fri 6-22 normal until ${word.trim()}`)).toMatchObject({ text: 'mon-fri 6-22 normal', until: word.trim() });
    expect(readEitherEnd(word, '', { nowMs: 0, zone: 'UTC' }, followed(week('06:00-08:00 on')))).toMatchObject({ ok: true });
  },
);

test.each(['nextday', 'next week', 'the next', 'nächstens', ''])('%s does not', (word) => expect(isNext(word)).toBe(false));

const PLAIN = week('06:00-08:00 on, 17:00-22:00 on');
test.each<[what: string, governing: GoverningWeek | undefined, now: string, end: string]>([
  ['the end of an entry', followed(PLAIN), '2026-11-23T05:00Z', '2026-11-23T07:00'],
  ['the start of an entry', followed(PLAIN), '2026-11-23T12:00Z', '2026-11-23T16:00'],
  ['one that is a whole step ahead', followed(PLAIN), '2026-11-23T15:50Z', '2026-11-23T16:00'],
  ['the one after it where it is less', followed(PLAIN), '2026-11-23T15:51Z', '2026-11-23T21:00'],
  ['the first time of an hour that comes twice', followed(week('', { sun: '02:30-24:00 on' })), '2027-10-30T20:00Z', '2027-10-31T00:30'],
  ['the end of an hour that is skipped', followed(week('', { sun: '02:30-24:00 on' })), '2027-03-27T20:00Z', '2027-03-28T01:00'],
  [
    'a change on the day of a change of the clock, two days before',
    followed(week('', { sun: '00:00-03:00 on' })),
    '2027-10-29T21:50Z',
    '2027-10-30T22:00',
  ],
  ['refused where nothing changes', followed(week('00:00-24:00 on')), '2026-11-23T05:00Z', 'no_change /until'],
  ['refused in standby', { kind: 'not_followed', name: 'a.schedule' }, '2026-11-23T05:00Z', 'not_followed /until'],
  ['refused without a week', undefined, '2026-11-23T05:00Z', 'no_week /until'],
  ['of a longer entry', followed(PLAIN, week('06:00-10:00 on, 17:00-22:00 on')), '2026-11-23T06:00Z', '2026-11-23T09:00'],
  ['of an entry to come', followed(PLAIN, week('06:00-08:00 on, 14:00-15:00 on, 17:00-22:00 on')), '2026-11-23T08:00Z', '2026-11-23T14:00'],
  ['of an entry left out', followed(PLAIN, week('')), '2026-11-23T12:00Z', '2026-11-23T21:00'],
  ['of a whole day on', followed(PLAIN, week('00:00-24:00 on')), '2026-11-23T12:00Z', '2026-11-23T16:00'],
  ['of the same week', followed(PLAIN, PLAIN), '2026-11-23T12:00Z', '2026-11-23T16:00'],
  ['refused where the weeks are never alike', followed(week(''), week('00:00-24:00 on')), '2026-11-23T12:00Z', 'no_change /until'],
])('the end is %s', (_, governing, now, end) => expect(nextOf(governing, now)).toBe(end));

const anyDay = fc.constantFrom('', '06:00-08:00 on', '00:00-24:00 on', '02:10-02:50 on, 23:00-24:00 on', '00:00-03:00 on, 12:00-18:30 on');
const anyWeek = fc.tuple(...DAYS.map(() => anyDay)).map((days) => weekOf((name) => day(days[DAYS.indexOf(name)] ?? '')));
/** A moment within two days of a change of the clock. */
const anyNow = fc
  .tuple(fc.constantFrom('2027-03-28T01:00Z', '2027-10-31T01:00Z'), fc.integer({ min: -2880, max: 2880 }))
  .map(([change, minutes]) => Date.parse(change) + minutes * MINUTE_MS);

test('a written week lasts until its first difference is over, minute by minute', () => {
  fc.assert(
    fc.property(anyWeek, fc.option(anyWeek, { nil: undefined }), anyNow, (present, other, nowMs) => {
      const written = other ?? present;
      const read = readEnd({ kind: 'until', text: 'next', path: '' }, { nowMs, zone: BERLIN }, followed(present, written));
      if (!read.ok) return;
      const isAlike = (ms: number): boolean => slowMode(present, 'off', ms, BERLIN) === slowMode(written, 'off', ms, BERLIN);
      if (JSON.stringify(present) === JSON.stringify(written)) {
        expect(read.value).toBe(slowNext(present, 'off', nowMs + 10 * MINUTE_MS - 1, read.value, BERLIN)?.atMs);
        return;
      }
      let ms = nowMs;
      while (isAlike(ms)) ms += MINUTE_MS;
      while (!isAlike(ms)) ms += MINUTE_MS;
      expect(read.value).toBe(ms);
    }),
    { numRuns: runs(40) },
  );
});
