import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readDay, readWeek } from '../../../src/schedule/readWeek.ts';
import { changedDays, DAYS, type Entry, sameDay, weekOf } from '../../../src/schedule/week.ts';
import { entry, someDay } from './entries.ts';

const EMPTY = weekOf(() => []);

describe('readWeek', () => {
  test('keeps times, modes, positions and order as the platform has them, and gives the days mon to sun', () => {
    const fri = [
      { start: '15:30', end: '16:00', mode: '5/25-cycles', position: 0 },
      { start: '00:00', end: '23:59', mode: 'on', position: 4, extra: true },
    ];
    const week = readWeek({ fri, mon: [], other: 7 });
    expect(week).toEqual({ ok: true, value: { ...EMPTY, fri: fri.map(({ extra: _, ...rest }) => rest) } });
    expect(week.ok && Object.keys(week.value)).toEqual(DAYS);
  });

  test('counts where a position is missing', () => {
    const week = readWeek({ mon: [{ start: '06:00', end: '07:00', mode: 'on' }] });
    expect(week.ok && week.value.mon[0]?.position).toBe(0);
  });

  test.each([
    ['null', null],
    ['a list', []],
    ['a day that is none', { mon: 'none' }],
    ['an entry that is none', { sun: [5] }],
    ['an end that is no text', { sun: [{ start: '06:00', end: 7, mode: 'on' }] }],
    ['a missing mode', { sun: [{ start: '06:00', end: '07:00' }] }],
  ])('refuses %s', (_, value) => expect(readWeek(value)).toEqual({ ok: false }));

  test('has what the platform takes: seven days and four keys an entry, and read again it is the same', () => {
    fc.assert(
      fc.property(someDay, someDay, (mon, sun) => {
        const extra = mon.map((one) => ({ ...one, extra: true }));
        const read = readWeek({ sun, mon: extra, other: [] });
        expect(JSON.stringify(read.ok && read.value)).toBe(JSON.stringify({ ...EMPTY, mon, sun }));
        expect(readWeek(read.ok && read.value)).toEqual(read);
        expect(readDay(extra)).toEqual({ ok: true, value: mon });
      }),
    );
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, day) => {
        readWeek(value);
        readWeek({ mon: day, tue: [day] });
      }),
    );
  });
});

const A = entry('06:00-08:00 normal', 0);
const B = entry('17:00-22:00 normal', 1);
const WIDE = entry('04:00-24:00 levelTwo', 0);
const HIGH = entry('07:00-10:00 levelThree', 1);
const at = (one: Entry, position: number): Entry => ({ ...one, position });

describe('sameDay', () => {
  test.each<[what: string, a: Entry[], b: Entry[], same: boolean]>([
    ['nothing and nothing', [], [], true],
    ['other positions', [A, B], [at(A, 3), at(B, 7)], true],
    ['apart in another order', [A, B], [at(A, 1), at(B, 0)], true],
    ['listed in another order', [A, B], [B, A], true],
    ['touching in another order', [A, entry('08:00-09:00 x', 1)], [at(A, 1), entry('08:00-09:00 x', 0)], true],
    ['another mode', [A], [entry('06:00-08:00 comfort', 0)], false],
    ['another end', [A], [entry('06:00-08:10 normal', 0)], false],
    ['one less', [A, B], [A], false],
    ['one twice', [A, A], [A, B], false],
    ['overlapping in the same order, other positions', [WIDE, HIGH], [at(WIDE, 2), at(HIGH, 9)], true],
    ['overlapping, listed in another order', [WIDE, HIGH], [HIGH, WIDE], true],
    ['overlapping in another order', [WIDE, HIGH], [at(WIDE, 1), at(HIGH, 0)], false],
    ['two identical', [at(WIDE, 0), at(WIDE, 1)], [at(WIDE, 4), at(WIDE, 2)], true],
    ['identical ones round another', [at(WIDE, 0), at(HIGH, 1), at(WIDE, 2)], [at(WIDE, 0), at(WIDE, 1), at(HIGH, 2)], false],
  ])('%s', (_, a, b, same) => {
    expect(sameDay(a, b)).toBe(same);
    expect(sameDay(b, a)).toBe(same);
  });

  test('is reflexive and symmetric, and blind to how the list is sorted', () => {
    fc.assert(
      fc.property(someDay, someDay, (a, b) => {
        expect(sameDay(a, a)).toBe(true);
        expect(sameDay(a, b)).toBe(sameDay(b, a));
        expect(sameDay(a, a.toReversed())).toBe(true);
      }),
    );
  });

  test('swapping two neighbours counts exactly where they overlap and differ', () => {
    fc.assert(
      fc.property(someDay, fc.nat(), (day, at) => {
        fc.pre(day.length > 1);
        const index = at % (day.length - 1);
        const [left, right] = day.slice(index, index + 2);
        if (!left || !right) return;
        const swapped = day.with(index, { ...right, position: left.position }).with(index + 1, { ...left, position: right.position });
        const differ = left.start !== right.start || left.end !== right.end || left.mode !== right.mode;
        const overlap = left.start < right.end && right.start < left.end;
        expect(sameDay(day, swapped)).toBe(!(differ && overlap));
      }),
    );
  });
});

test('changedDays tells the days that differ, in order', () => {
  const week = { ...EMPTY, mon: [A, B], sun: [WIDE, HIGH] };
  expect(changedDays(week, { ...week, sun: [WIDE], tue: [A], mon: [B, A] })).toEqual(['tue', 'sun']);
  expect(changedDays(week, { ...week, mon: [at(A, 2), at(B, 5)] })).toEqual([]);
  expect(changedDays(week, EMPTY)).not.toEqual([]);
});
