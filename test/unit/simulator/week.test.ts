import { expect, test } from 'vitest';
import { checkWeek, minuteOf, modeAt } from '../../../src/simulator/home/week.ts';

const EMPTY = { mon: [], tue: [], wed: [], thu: [], fri: [], sat: [], sun: [] };
const entry = (start: string, end: string, mode: string, position: number) => ({ start, end, mode, position });

test.each([
  ['00:00', 0],
  ['06:30', 390],
  ['23:59', 1439],
  ['24:00', 1440],
  ['24:01', undefined],
  ['6:30', undefined],
  ['06:60', undefined],
  ['06:30:00', undefined],
  ['', undefined],
  [630, undefined],
])('minuteOf(%o) is %o', (time, minute) => {
  expect(minuteOf(time)).toBe(minute);
});

const MONDAY = {
  ...EMPTY,
  mon: [entry('06:00', '22:00', 'normal', 0), entry('08:00', '09:00', 'comfort', 1), entry('07:00', '10:00', 'eco', 2)],
};

test.each([
  [359, undefined],
  [360, 'normal'],
  [420, 'eco'],
  [500, 'eco'],
  [600, 'normal'],
  [1319, 'normal'],
  [1320, undefined],
])('the mode at minute %i is that of the highest position that holds it: %s', (minute, mode) => {
  expect(modeAt(MONDAY, 'mon', minute)).toBe(mode);
});

test('positions count, not the order in the list', () => {
  const friday = [entry('06:00', '22:00', 'later', 4), entry('06:00', '22:00', 'earlier', 1)];
  expect(modeAt({ ...EMPTY, fri: friday }, 'fri', 700)).toBe('later');
});

test('no week asks for no mode', () => {
  for (const week of [undefined, null, [], {}, { mon: 'x' }, { mon: [null, {}] }]) expect(modeAt(week, 'mon', 0)).toBeUndefined();
});

test.each([
  ['touching entries are no overlap', { overlapAllowed: false }, [entry('06:00', '08:00', 'a', 0), entry('08:00', '24:00', 'b', 1)], []],
  [
    'an entry inside an earlier one is',
    { overlapAllowed: false },
    [entry('06:00', '20:00', 'a', 0), entry('07:00', '08:00', 'a', 1), entry('19:00', '21:00', 'a', 2)],
    ['1', '2'],
  ],
  ['where nothing is said, overlap passes', {}, [entry('06:00', '20:00', 'a', 0), entry('07:00', '08:00', 'a', 1)], []],
  ['where nothing is said, any mode, number and minute passes', {}, [entry('06:01', '06:02', 'x/y', 7)], []],
  ['24:00 is on the grid', { resolution: 30 }, [entry('00:30', '24:00', 'a', 0)], []],
])('%s', (_what, limits, day, paths) => {
  expect(checkWeek({ ...EMPTY, fri: day }, limits, undefined, '').map(({ path }) => path)).toEqual(paths.map((path) => `/fri/${path}`));
});

test('a day holds as many entries as its limit says, of the modes that it names', () => {
  const limits = { maxEntries: 2, modes: ['a', 'b'] };
  const day = [entry('06:00', '07:00', 'a', 0), entry('08:00', '09:00', 'b', 1), entry('10:00', '11:00', 'c', 2)];
  expect(checkWeek({ ...EMPTY, fri: day.slice(0, 2) }, limits, undefined, '')).toEqual([]);
  expect(checkWeek({ ...EMPTY, fri: day }, limits, undefined, '')).toEqual([
    { path: '/fri', message: 'must have at most 2 entries' },
    { path: '/fri/2/mode', message: 'must be one of a, b' },
  ]);
});
