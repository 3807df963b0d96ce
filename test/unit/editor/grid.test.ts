import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EditEntry, isDrawable } from '../../../src/editor/model/editWeek.ts';
import {
  anyHour,
  drawn,
  gridDown,
  gridUp,
  hourAt,
  movedTo,
  nextTime,
  rangeAround,
  snap,
  startingAt,
  withEnd,
  withStart,
} from '../../../src/editor/model/grid.ts';
import { runs } from '../../support/chance.ts';
import { expectTable } from '../../support/golden.ts';

const entry = (start: number, end: number, mode = 'normal'): EditEntry => ({ start, end, mode });

describe('the grid', () => {
  test('has a time before and one after', () =>
    expectTable('gridTimes', 7, (minutes: number, step: number) => {
      const around = [gridDown(minutes, step), gridUp(minutes, step)];
      expect(around).toContain(snap(minutes, step));
      return around;
    }));

  test('is gone along by one step', () => expectTable('gridNext', 7, nextTime));
});

describe('a new entry', () => {
  const two = [entry(360, 480), entry(600, 720)];
  test.each([
    ['at free time', [], 375, { start: 360, end: 420 }],
    ['just before midnight', [], 1439, { start: 1380, end: 1440 }],
    ['shorter where there is less room', [entry(360, 480), entry(510, 720)], 490, { start: 480, end: 510 }],
    ['moved where its end would overlap', two, 585, { start: 540, end: 600 }],
    ['on an entry', two, 365, 'noRoom'],
    ['in a full day', [...two, entry(0, 10), entry(20, 30)], 900, 'full'],
  ] as const)('%s', (_, entries, minute, expected) => {
    const made = hourAt(entries, minute, 'normal', { maxEntries: 4, resolution: 10 });
    expect(made).toEqual(typeof expected === 'string' ? expected : { ...expected, mode: 'normal' });
  });

  test('by the button goes behind the last one, else where there is room', () => {
    expect(anyHour([], 'x', {})).toEqual(entry(360, 420, 'x'));
    expect(anyHour(two, 'x', { resolution: 10 })).toEqual(entry(720, 780, 'x'));
    expect(anyHour([entry(300, 1440)], 'x', { resolution: 10 })).toEqual(entry(0, 60, 'x'));
    expect(anyHour([entry(0, 1440)], 'x', { resolution: 10 })).toBe('noRoom');
    expect(anyHour([entry(0, 1440)], 'x', { overlapAllowed: true })).toEqual(entry(360, 420, 'x'));
  });

  test('that is drawn goes from grid to grid and stops at its neighbours', () => {
    expect(drawn([], 303, 415, 'x', { resolution: 10 })).toEqual(entry(300, 420, 'x'));
    expect(drawn([], 415, 303, 'x', { resolution: 10 })).toEqual(entry(300, 420, 'x'));
    expect(drawn(two, 500, 900, 'x', { resolution: 10 })).toEqual(entry(500, 600, 'x'));
  });
});

test('a start behind the end takes the end with it', () => {
  expect(startingAt(entry(360, 480), 600, { from: 0, to: 1440 }, 10)).toEqual(entry(600, 720));
  expect(startingAt(entry(360, 480), 1400, { from: 0, to: 1440 }, 10)).toEqual(entry(1400, 1440));
});

test('an entry that is put where it is stays exactly as it is, off the grid too', () => {
  const odd: EditEntry = { ...entry(367, 483), origin: { start: '06:07', end: '8:03', mode: 'normal', position: 0 } };
  const range = { from: 0, to: 1440 };
  expect([withStart(odd, 367, range, 10), withEnd(odd, 483, range, 10), movedTo(odd, 367, range, 10)]).toEqual([odd, odd, odd]);
});

const someStep = fc.constantFrom(1, 5, 7, 10, 15, 30, 50, 60);

/** A day on the grid without overlaps. */
const someDay = fc.tuple(someStep, fc.uniqueArray(fc.nat(1440), { maxLength: 10 })).map(([step, times]) => {
  const edges = [...new Set(times.map((time) => snap(time, step)))].sort((a, b) => a - b);
  const pairs = edges.flatMap((start, index) =>
    index % 2 === 0 && edges[index + 1] !== undefined ? [entry(start, edges[index + 1] ?? 0)] : [],
  );
  return { step, day: pairs };
});

const isOnGrid = (minutes: number, step: number): boolean => minutes === 1440 || minutes % step === 0;

describe('whatever is dragged wherever', () => {
  test('an entry stays on the grid, in the day and off its neighbours', () => {
    fc.assert(
      fc.property(
        someDay,
        fc.nat(),
        fc.integer({ min: -300, max: 1700 }),
        fc.constantFrom(withStart, withEnd, movedTo),
        ({ step, day }, pick, to, drag) => {
          const index = pick % Math.max(1, day.length);
          const before = day[index];
          if (!before) return;
          const constraints = { resolution: step };
          const after = drag(before, to, rangeAround(day, index, constraints), step);
          expect(isDrawable(after)).toBe(true);
          expect([after.start, after.end].every((minutes) => minutes >= 0 && minutes <= 1440 && isOnGrid(minutes, step))).toBe(true);
          for (const [at, other] of day.entries()) {
            if (at !== index) expect(after.end <= other.start || after.start >= other.end).toBe(true);
          }
          if (drag === withStart) expect(after.end).toBe(before.end);
          if (drag === withEnd) expect(after.start).toBe(before.start);
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  test('a new entry is on the grid and off all others, or refused', () => {
    fc.assert(
      fc.property(someDay, fc.nat(1440), fc.nat(1440), ({ step, day }, from, to) => {
        for (const made of [
          hourAt(day, from, 'x', { resolution: step }),
          drawn(day, from, to, 'x', { resolution: step }),
          anyHour(day, 'x', { resolution: step }),
        ]) {
          if (typeof made === 'string') continue;
          expect(isDrawable(made)).toBe(true);
          expect(isOnGrid(made.start, step) && isOnGrid(made.end, step)).toBe(true);
          expect(day.every(({ start, end }) => made.end <= start || made.start >= end)).toBe(true);
        }
      }),
      { numRuns: runs(2000) },
    );
  });
});
