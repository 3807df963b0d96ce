import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Holiday, type Measured, measuredPlaces, weekFacts } from '../../../src/schedule/hints/facts.ts';
import { lateBegin, moveBegin, ranOutside } from '../../../src/schedule/hints/measured.ts';
import { modeIn, segmentsOf } from '../../../src/schedule/transitions.ts';
import { DAYS, type Week, weekOf } from '../../../src/schedule/week.ts';
import type { Json } from '../../../src/shared/json.ts';
import { runs } from '../../support/chance.ts';
import { measuredAt, measuredRoom, measuredState, TARGETS } from '../../support/schedules/measuredHome.ts';
import { day } from '../../support/schedules/weeks.ts';

const ROOM = 'rooms.0.schedule';
const WEEK = weekOf(() => day('06:00-22:00 comfort'));
const PUMP = 'heating.dhw.pumps.circulation.schedule';

type Home = { readonly week?: Week; readonly holidays?: readonly Holiday[]; readonly resolution?: number; readonly celsius?: number };

const lateIn = (measured: Measured, { week = WEEK, holidays = [], resolution, celsius = 21 }: Home = {}) => {
  const targets = new Map<string, Json>(Object.entries({ ...TARGETS, comfort: celsius }));
  const facts = weekFacts({ feature: ROOM, week, defaultMode: 'reduced', resolution, measured }, (name, property) =>
    property === 'temperature' ? targets.get(/rooms\.0\.operating\.programs\.(\w+)Heating$/u.exec(name)?.[1] ?? '') : undefined,
  );
  return lateBegin({ ...facts, holidays });
};
const days = (count: number, late: number | undefined, others = 0, otherwise: number | undefined = 0) => [
  ...Array.from({ length: count }, () => late),
  ...Array.from({ length: others }, () => otherwise),
];
const withPoints = (measured: Measured, points: Measured['points']): Measured => ({
  ...measured,
  points: { ...measured.points, ...points },
});

describe('a begin that was late', () => {
  const late = measuredRoom(WEEK, days(9, 35, 2));

  test('is told with its median, on the days that have it, and moved earlier on the grid', () => {
    const move = { runs: [DAYS], mode: 'comfort', from: '06:00', to: '05:20' };
    expect(lateIn(late)).toEqual({ count: 9, of: 11, minutes: 35, celsius: 21, move: expect.anything() });
    expect(lateIn(late)?.move).toEqual(move);
    expect(lateIn(late, { resolution: 15 })?.move.to).toBe('05:15');
    expect(lateIn(measuredRoom(WEEK, days(9, 300)))?.move.to).toBe('04:00');
    expect(moveBegin(WEEK, move).fri).toEqual([{ ...WEEK.fri[0], start: '05:20' }]);
  });

  test.each<readonly [what: string, measured: Measured, home: Home]>([
    ['four days', measuredRoom(WEEK, days(4, 35, 1)), {}],
    ['most days in time', measuredRoom(WEEK, days(5, 35, 7)), {}],
    ['less than the slots can tell', measuredRoom(WEEK, days(10, 19)), {}],
    ['never reached', measuredRoom(WEEK, days(12, undefined)), {}],
    ['most days not reached', measuredRoom(WEEK, days(5, 35, 7, undefined)), {}],
    [
      'another week at that time',
      measuredRoom(
        weekOf(() => day('06:30-22:00 comfort')),
        days(12, 35),
      ),
      {},
    ],
    ['another target at that time', late, { celsius: 22 }],
    ['nothing is kept of the target', withPoints(late, { comfort: [] }), {}],
    ['nothing is kept of the room', withPoints(late, { room: [] }), {}],
    [
      'no number while it warms up',
      withPoints(late, { room: late.points['room']?.map(([at, value]) => [at, value === 17 ? null : value]) ?? [] }),
      {},
    ],
    ['a holiday', late, { holidays: [{ start: '2026-10-20', end: '2026-10-28', isActive: false }] }],
    [
      'the block before begins later than that',
      measuredRoom(
        weekOf(() => day('05:30-06:00 normal, 06:00-22:00 comfort')),
        days(9, 35),
      ),
      { week: weekOf(() => day('05:30-06:00 normal, 06:00-22:00 comfort')) },
    ],
    [
      'a begin at midnight',
      measuredRoom(
        weekOf(() => day('00:00-05:00 comfort')),
        days(9, 35),
      ),
      { week: weekOf(() => day('00:00-05:00 comfort')) },
    ],
  ])('none: %s', (_, measured, home) => expect(lateIn(measured, home)).toBeUndefined());

  test('what it counts is what happened, and its move changes nothing else, in any week', () => {
    const tens = (to: number) => fc.integer({ min: 0, max: to });
    const anyDay = fc.uniqueArray(tens(144), { minLength: 2, maxLength: 4 }).map((all) => {
      const times = all.toSorted((a, b) => a - b).map((ten) => `${String(Math.floor(ten / 6)).padStart(2, '0')}:${(ten % 6) * 10 || '00'}`);
      return times
        .slice(1)
        .flatMap((end, index) => (index % 3 === 2 ? [] : [`${times[index]}-${end} ${index % 2 ? 'comfort' : 'normal'}`]));
    });
    const lateness = fc.array(
      fc.oneof(fc.constant(undefined), tens(90), fc.integer({ min: 20, max: 60 }), fc.integer({ min: 20, max: 60 })),
      { minLength: 12, maxLength: 20 },
    );
    let told = 0;
    fc.assert(
      fc.property(anyDay, anyDay, fc.constantFrom('s', '-'), lateness, (workday, weekend, first, lates) => {
        const week = weekOf((name) => day((name.startsWith(first) ? weekend : workday).join(', ')));
        const found = lateIn(measuredRoom(week, lates), { week });
        if (!found) return;
        told += 1;
        const { count, of, move } = found;
        expect(count).toBeGreaterThanOrEqual(5);
        expect(count).toBeLessThanOrEqual(lates.filter((one) => one !== undefined && one >= 20).length);
        expect(2 * count).toBeGreaterThanOrEqual(of);
        const moved = moveBegin(week, move);
        const minute = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
        for (const name of DAYS) {
          const [before, after] = [week, moved].map((one) => segmentsOf(one[name], 'reduced'));
          for (let at = 0; at < 1440; at += 10) {
            const isMoved = move.runs.flat().includes(name) && at >= minute(move.to) && at < minute(move.from);
            expect(modeIn(after ?? [], at)).toBe(isMoved ? move.mode : modeIn(before ?? [], at));
          }
        }
      }),
      { numRuns: runs(300) },
    );
    expect(told).toBeGreaterThan(0);
  });
});

describe('what ran outside of its week', () => {
  const outsideIn = (measured: Measured | undefined, feature = PUMP) =>
    ranOutside(weekFacts({ feature, week: weekOf(() => day('06:00-08:00 on')), defaultMode: 'off', measured }, () => undefined));
  const some = (count: number, ...own: (readonly [number, number])[]) => [
    ...Array.from({ length: count }, () => own),
    ...Array.from({ length: 3 }, () => []),
  ];

  test('is told with its days and minutes', () => {
    const measured = measuredState(some(6, [600, 20], [900, 25], [370, 30]));
    expect(outsideIn(measured)).toEqual({ count: 6, of: 9, minutes: 45, what: 'circulation' });
    expect(outsideIn(measured, 'heating.dhw.schedule')?.what).toBe('water');
    expect(outsideIn(measured, ROOM)).toBeUndefined();
    // Up to the begin of the window.
    expect(outsideIn(measuredState(some(6, [330, 60])))?.minutes).toBe(30);
  });

  test.each<readonly [what: string, measured: Measured | undefined]>([
    ['nothing is kept', undefined],
    ['four days', measuredState(some(4, [600, 20]))],
    ['inside', measuredState(some(9, [365, 60]))],
    ['begun inside', measuredState(some(9, [470, 90]))],
    ['seen late', measuredState(some(9, [500, 20]))],
    ['a moment early', measuredState(some(9, [355, 20]))],
    ['on from the first', withPoints(measuredState([]), { state: [[measuredAt(0, 0), 1]] })],
  ])('none: %s', (_, measured) => expect(outsideIn(measured)).toBeUndefined());
});

test('where it is looked for', () => {
  const values = new Set([
    'rooms.0.sensors.temperature value',
    'heating.circuits.1.sensors.temperature.room value',
    'rooms.0.operating.programs.normalHeating temperature',
  ]);
  const places = (feature: string) =>
    Object.entries(measuredPlaces(feature, (name, property) => (values.has(`${name} ${property}`) ? 20 : undefined))).map(
      ([key, one]) => `${key} ${one.feature} ${one.property}`,
    );
  expect(places(PUMP)).toEqual([`asked ${PUMP} now`, 'state heating.dhw.pumps.circulation status']);
  expect(places('heating.dhw.schedule')[1]).toBe('state heating.dhw.charging active');
  expect(places(ROOM)[1]).toBe('room rooms.0.sensors.temperature value');
  expect(places(ROOM)).toContain('normal rooms.0.operating.programs.normalHeating temperature');
  expect(places('heating.circuits.1.heating.schedule')[1]).toBe('room heating.circuits.1.sensors.temperature.room value');
  for (const none of ['heating.circuits.0.heating.schedule', 'heating.circuits.1.cooling.schedule', 'ventilation.schedule'])
    expect(places(none)).toEqual([]);
});
