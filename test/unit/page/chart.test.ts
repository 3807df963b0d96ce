import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HistoryPoint as Point } from '../../../src/api/answers.ts';
import { startOf } from '../../../src/features/energy/periods.ts';
import {
  aligned,
  barsPathOf,
  glimpsesOf,
  pathOf,
  readAtOf,
  sourcesOf,
  spansOf,
  stepsOf,
  summaryByDay,
  summaryOf,
  sumsIn,
} from '../../../src/page/chart/model.ts';
import { devicesOf } from '../../../src/page/model/device.ts';
import { localNow } from '../../../src/schedule/shown/localNow.ts';
import { allDevices, fixtureDevice } from '../../support/devices/deviceFiles.ts';
import { retainedOf } from '../../support/page/retainedOf.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const day = (date: Date): string => date.toISOString().slice(0, 10);
const dateOf = (at: number): string => day(new Date(at));

const pointsArbitrary = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 40 * HOUR }), fc.oneof(fc.integer({ min: -20, max: 90 }), fc.constant(null))), {
    maxLength: 40,
  })
  .map((steps) => {
    let at = 0;
    return steps.map(([more, value]): Point => {
      at += more;
      return [at, value];
    });
  });

describe('what a chart draws', () => {
  test('at every moment each line has the value that held then', () => {
    fc.assert(
      fc.property(pointsArbitrary, pointsArbitrary, fc.nat(100 * DAY), (a, b, more) => {
        const now = Math.max(a.at(-1)?.[0] ?? 0, b.at(-1)?.[0] ?? 0) + more;
        const [times = [], ...rows] = aligned([a, b], now);
        expect(times).toEqual([...new Set([...a, ...b].map(([at]) => at / 1000).concat(now / 1000))].sort((x, y) => x - y));
        for (const [index, points] of [a, b].entries())
          expect(rows[index]).toEqual(times.map((time) => points.findLast(([at]) => at / 1000 <= (time ?? 0))?.[1] ?? null));
      }),
    );
  });

  test('the modes lie behind it without a gap, up to now', () => {
    expect(
      spansOf(
        [
          [10, 'normal'],
          [20, null],
          [30, 'comfort'],
        ],
        50,
      ),
    ).toEqual([
      { from: 10, to: 20, mode: 'normal' },
      { from: 30, to: 50, mode: 'comfort' },
    ]);
  });

  test('every day of the table has the extremes of its values, what held over midnight included', () => {
    expect(summaryOf([[0, null]])).toBeUndefined();
    expect(
      summaryByDay(
        [
          [20 * HOUR, 5],
          [2 * DAY + 12 * HOUR, 8],
          [2 * DAY + 13 * HOUR, 6],
        ],
        3 * DAY + HOUR,
        dateOf,
      ),
    ).toEqual([
      { date: '1970-01-04', lowest: 6, highest: 6, last: 6 },
      { date: '1970-01-03', lowest: 5, highest: 8, last: 6 },
      { date: '1970-01-02', lowest: 5, highest: 5, last: 5 },
      { date: '1970-01-01', lowest: 5, highest: 5, last: 5 },
    ]);
    fc.assert(
      fc.property(pointsArbitrary, (points) => {
        const now = (points.at(-1)?.[0] ?? 0) + HOUR;
        const days = summaryByDay(points, now, dateOf);
        const all = summaryOf(points);
        expect(days.length === 0).toBe(all === undefined);
        if (!all) return;
        expect(Math.min(...days.map(({ lowest }) => lowest))).toBe(all.lowest);
        expect(Math.max(...days.map(({ highest }) => highest))).toBe(all.highest);
        expect(days.map(({ date }) => date)).toEqual(
          days
            .map(({ date }) => date)
            .toSorted()
            .toReversed(),
        );
      }),
    );
  });

  test('a hundred thousand values of a year', () => {
    const points = Array.from({ length: 100_000 }, (_, index): Point => [index * 5 * 60_000, index % 90]);
    const now = 366 * DAY;
    expect(summaryOf(points)).toEqual({ lowest: 0, highest: 89, last: 9 });
    expect(summaryByDay(points, now, dateOf)).toHaveLength(367);
    const [times = [], values = []] = aligned([points], now);
    expect([times.length, values.at(-1)]).toEqual([100_001, 9]);
  });

  test.each([
    // An hour twice, an hour that is missing, and a midnight that is missing.
    ['Europe/Berlin', '2026-10-24T10:00:00Z', 5, '2026-10-29'],
    ['Europe/Berlin', '2027-03-27T10:00:00Z', 5, '2027-04-01'],
    ['Africa/Cairo', '2026-04-22T10:00:00Z', 5, '2026-04-27'],
  ])('over a change of the clock in %s every day is in the table once', (zone, from, days, last) => {
    const start = Date.parse(from);
    const rows = summaryByDay([[start, 20]], start + days * DAY, (at) => localNow(at, zone).date);
    const all = rows.map(({ date }) => date);
    expect(new Set(all).size).toBe(days + 1);
    expect([all[0], all.at(-1), all.length]).toEqual([last, from.slice(0, 10), days + 1]);
  });

  test.each([
    ['day', 0, '2026-11-22'],
    ['day', 30, '2026-10-23'],
    ['week', 0, '2026-11-16'],
    ['week', 1, '2026-11-09'],
    ['month', 0, '2026-11-01'],
    ['month', 12, '2025-11-01'],
    ['year', 1, '2025-01-01'],
  ] as const)('%s, so many before: %i', (kind, before, first) => {
    expect(startOf(kind, '2026-11-22', before)).toBe(first);
  });

  test.each(['+275760-09-12T00:00:00Z', '1970-01-01T00:00:00Z', '2026-13-45', 'soon', '', null, 5])(
    'sums that were read %s are those of now',
    (value) => {
      const now = Date.parse('2026-11-22T06:00:00Z');
      expect(readAtOf(value, now)).toBe(now);
      expect(readAtOf('2026-11-21T22:00:00Z', now)).toBe(now - 8 * HOUR);
    },
  );

  test('only lists of numbers are sums', () => {
    expect(sumsIn([1, 2.5])).toEqual([1, 2.5]);
    expect(sumsIn(Array.from({ length: 100_000 }, () => 1))).toHaveLength(400);
    for (const other of [[], [1, 'x'], [1, null], [[1]], null, 'x', 5, undefined, { a: 1 }]) expect(sumsIn(other)).toBeUndefined();
  });
});

describe('small drawings', () => {
  test.each<[string, readonly Point[], number, string]>([
    ['nothing', [], 100, ''],
    ['no number', [[0, null]], 100, ''],
    ['one that does not change', [[40, 21]], 100, 'M0 16H120'],
    [
      'steps, with a gap',
      [
        [0, 20],
        [25, 22],
        [50, null],
        [75, 21],
      ],
      100,
      'M0 31H30V1H60M90 16H120',
    ],
  ])('%s', (_, points, now, path) => expect(pathOf(points, now)).toBe(path));

  test('bars stand by day, the newest on the right, also where all are 0', () => {
    expect(barsPathOf([4, 8])).toBe('M1.0 32V1H59.0V32ZM61.0 32V16H119.0V32Z');
    expect(barsPathOf([0])).toBe('M1.0 32V31H119.0V32Z');
    expect(barsPathOf([])).toBe('');
  });

  test('what is asked for most comes first, each once, and no more than a screen takes', () => {
    const topics = new Map(allDevices().flatMap(({ name, features }) => [...retainedOf(name, features)]));
    const names = glimpsesOf(devicesOf(topics, 'heating2mqtt').flatMap((device) => sourcesOf('heating2mqtt', device)));
    expect(names.length).toBeLessThanOrEqual(12);
    expect(new Set(names.map(({ topic }) => topic)).size).toBe(names.length);
    const heatPump = new Map(retainedOf('home', fixtureDevice('heatPump')));
    const first = glimpsesOf(devicesOf(heatPump, 'heating2mqtt').flatMap((device) => sourcesOf('heating2mqtt', device)));
    const own = first.map(({ feature }) => feature.name.replace('heating.', ''));
    expect([own.slice(0, 3), own.slice(-3)]).toEqual([
      ['sensors.temperature.outside', 'dhw.sensors.temperature.dhwCylinder', 'circuits.0.sensors.temperature.supply'],
      ['power.consumption.total', 'power.consumption.dhw', 'power.consumption.heating'],
    ]);
  });
});

test.each([
  [(value: number) => value.toFixed(0), 1],
  [(value: number) => `${value.toFixed(1)} kWh`, 0.1],
])('the marks of an axis are told apart', (format, least) => {
  expect(stepsOf(format)[0]).toBe(least);
  expect(stepsOf(format).at(-1)).toBe(5_000_000);
});
