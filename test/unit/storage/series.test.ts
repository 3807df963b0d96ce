import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runs } from '../../support/chance.ts';
import { inDatabase, storageRuns } from '../../support/system/database.ts';

const MINUTE = 60_000;
const SLOT = 10 * MINUTE;
const DAY = 1440 * MINUTE;

const setUp = () => {
  const { start, ...runs } = storageRuns();
  return { ...runs, start: () => start().series };
};

const rowsIn = (dir: string): number =>
  inDatabase(dir, (database) => Number(database.prepare('SELECT count(*) AS n FROM points').get()?.['n']));

describe('values over time', () => {
  test('whatever comes: of each ten minutes the last value is kept, values are as they were at the end of them, and nothing but changes', () => {
    const value = fc.oneof(fc.constantFrom(20, 20.5, 21), fc.constant(null), fc.constantFrom('normal', 'comfort'));
    const steps = fc.array(fc.record({ minutes: fc.nat(25), value }), { maxLength: 60 });
    let names = 0;
    const { start } = setUp();
    let series = start();
    fc.assert(
      fc.property(steps, fc.boolean(), (changes, restarts) => {
        names += 1;
        const name = `feature g/0 f${names} value`;
        let at = 1000 * DAY;
        const ends = new Map<number, unknown>();
        for (const step of changes) {
          at += step.minutes * MINUTE;
          ends.set(Math.floor(at / SLOT), step.value);
          series.append([{ series: name, at, value: step.value }], at - 14 * DAY);
          if (restarts && step.minutes === 7) series = start();
          if (step.minutes % 3 === 0) series.read(name, at);
        }
        const kept = series.read(name, 0);
        const slots = kept.map((point) => Math.floor(point.at / SLOT));
        expect(new Set(slots).size).toBe(slots.length);
        expect(slots).toEqual(slots.toSorted((a, b) => a - b));
        for (const [slot, end] of ends) expect(kept.findLast((point) => point.at < (slot + 1) * SLOT)?.value ?? null).toBe(end);
      }),
      { numRuns: runs(300) },
    );
  });

  test('what is older than asked for goes, but for the value that held then', () => {
    const { dir, start, end } = setUp();
    const series = start();
    for (let hour = 0; hour < 24 * 30; hour += 1) {
      series.append([{ series: 'a', at: hour * 60 * MINUTE, value: hour % 2 }], (hour - 24 * 14) * 60 * MINUTE);
      series.read('a', hour * 60 * MINUTE);
    }
    const now = 24 * 30 * 60 * MINUTE;
    const kept = series.read('a', now - 14 * DAY);
    expect(kept[0]?.at).toBe(now - 14 * DAY);
    expect(kept).toHaveLength(24 * 14);
    // What has not changed for longer still holds.
    series.append([{ series: 'b', at: 0, value: 5 }], 0);
    series.append([{ series: 'b', at: now, value: 5 }], now - 14 * DAY);
    expect(series.read('b', now - DAY)).toEqual([{ at: 0, value: 5 }]);
    end();
    expect(rowsIn(dir)).toBeLessThan(24 * 14 + 3);
  });

  test('a clock that was wrong for a while costs little, and what it wrote hides nothing', () => {
    const { start } = setUp();
    let series = start();
    const real = 3000 * DAY;
    for (let n = 0; n < 200; n += 1) {
      series.append([{ series: 'a', at: real + n * SLOT, value: n }], real - 14 * DAY);
      series.read('a', real);
    }
    const future = 6000 * DAY;
    series.append([{ series: 'a', at: future, value: 500 }], future - 14 * DAY);
    // The same value by the right clock.
    const later = real + 300 * SLOT;
    series = start();
    series.append([{ series: 'a', at: later, value: 500 }], later - 14 * DAY);
    expect(series.read('a', later)[0]).toEqual({ at: later, value: 500 });
    // A machine without a clock of its own begins in 1970.
    series = start();
    series.append([{ series: 'a', at: 5, value: 7 }], 5 - 14 * DAY);
    series.append([{ series: 'a', at: later + SLOT, value: 8 }], later - 14 * DAY);
    expect(series.read('a', later).slice(0, 2)).toEqual([
      { at: later, value: 500 },
      { at: later + SLOT, value: 8 },
    ]);
    expect(series.read('a', real).length).toBeGreaterThan(185);
  });

  test('there are 300 series at most; the one that has not changed for the longest time makes room', () => {
    const { dir, start, end } = setUp();
    const series = start();
    for (let n = 0; n < 320; n += 1) series.append([{ series: `s${n}`, at: n * SLOT, value: n }], 0);
    expect(series.read('s19', 0)).toEqual([]);
    expect(series.read('s20', 0)).toHaveLength(1);
    expect(start().read('s319', 0)).toEqual([{ at: 319 * SLOT, value: 319 }]);
    end();
    expect(rowsIn(dir)).toBe(300);
  });

  test('a value as before costs no write, and switched off nothing is left', () => {
    const { dir, start, end } = setUp();
    start().append([{ series: 'a', at: 5, value: 1 }], 0);
    const again = start();
    again.append([{ series: 'a', at: 6 * SLOT, value: 1 }], 0);
    // A series begins with a value.
    again.append([{ series: 'b', at: 6 * SLOT, value: null }], 0);
    expect(again.read('a', 0)).toEqual([{ at: 5, value: 1 }]);
    expect(again.read('b', 0)).toEqual([]);
    again.clear();
    expect(start().read('a', 0)).toEqual([]);
    end();
    expect(rowsIn(dir)).toBe(0);
  });
});
