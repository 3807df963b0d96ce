import { expect, test } from 'vitest';
import { checkWeek, minuteOf, modeAt } from '../../../src/simulator/home/week.ts';
import type { Json } from '../../../src/simulator/http/json.ts';

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

const LIMITS = { maxEntries: 4, resolution: 10, modes: ['normal', 'comfort'], defaultMode: 'reduced', overlapAllowed: false };

test.each<[string, Json, string[]]>([
  ['a missing day', { ...EMPTY, sun: undefined }, ['/sun']],
  ['a strange day', { ...EMPTY, day: [] }, ['/day']],
  ['no week', '', ['']],
  ['a list', [], ['']],
  ['a day that is no list', { ...EMPTY, mon: {} }, ['/mon']],
  ['an entry that is none', { ...EMPTY, mon: ['06:00'] }, ['/mon/0']],
  ['a missing key', { ...EMPTY, mon: [{ start: '06:00', end: '07:00', mode: 'normal' }] }, ['/mon/0/position']],
  ['a fifth key', { ...EMPTY, mon: [{ ...entry('06:00', '07:00', 'normal', 0), name: 'x' }] }, ['/mon/0/name']],
  ['an unknown mode', { ...EMPTY, mon: [entry('06:00', '07:00', 'on', 0)] }, ['/mon/0/mode']],
  ['the default mode', { ...EMPTY, mon: [entry('06:00', '07:00', 'reduced', 0)] }, ['/mon/0/mode']],
  ['off the grid', { ...EMPTY, mon: [entry('06:05', '07:01', 'normal', 0)] }, ['/mon/0/start', '/mon/0/end']],
  ['24:00 as a start', { ...EMPTY, mon: [entry('24:00', '24:00', 'normal', 0)] }, ['/mon/0/start', '/mon/0/end']],
  ['the end before the start', { ...EMPTY, mon: [entry('22:00', '06:00', 'normal', 0)] }, ['/mon/0/end']],
  ['no length', { ...EMPTY, mon: [entry('06:00', '06:00', 'normal', 0)] }, ['/mon/0/end']],
  ['a short time', { ...EMPTY, mon: [entry('6:00', '07:00', 'normal', 0)] }, ['/mon/0/start']],
  ['an impossible time', { ...EMPTY, mon: [entry('06:00', '25:00', 'normal', 0)] }, ['/mon/0/end']],
  ['a number as time', { ...EMPTY, mon: [{ ...entry('06:00', '07:00', 'normal', 0), end: 7 }] }, ['/mon/0/end']],
  ['a position that is none', { ...EMPTY, mon: [entry('06:00', '07:00', 'normal', 0.5)] }, ['/mon/0/position']],
  [
    'a position twice',
    { ...EMPTY, mon: [entry('06:00', '07:00', 'normal', 0), entry('08:00', '09:00', 'normal', 0)] },
    ['/mon/1/position'],
  ],
  ['an overlap', { ...EMPTY, mon: [entry('06:00', '08:00', 'normal', 0), entry('07:50', '09:00', 'comfort', 1)] }, ['/mon/1']],
  ['too many', { ...EMPTY, mon: [0, 1, 2, 3, 4].map((i) => entry(`0${i}:00`, `0${i}:10`, 'normal', i)) }, ['/mon']],
])('%s is refused with its place', (_what, week, paths) => {
  expect(checkWeek(week, LIMITS, undefined, '').map(({ path }) => path)).toEqual(paths);
});
