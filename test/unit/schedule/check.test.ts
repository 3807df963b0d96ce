import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Constraints, readConstraints } from '../../../src/schedule/constraints.ts';
import { readJsonWeek } from '../../../src/schedule/jsonWeek.ts';
import { completeWeek, type ParsedDays, validateWeek } from '../../../src/schedule/validateWeek.ts';
import { DAYS, sameDay, type Week, weekOf } from '../../../src/schedule/week.ts';
import { expectTable } from '../../support/golden.ts';
import { entry, someDay } from './entries.ts';

const HEATING: Constraints = { maxEntries: 4, resolution: 10, modes: ['normal'], defaultMode: 'reduced', overlapAllowed: false };
const TWO_MODES: Constraints = { ...HEATING, modes: ['normal', 'comfort'], overlapAllowed: true };
const EMPTY: Week = weekOf(() => []);

const checkJson = (json: unknown, constraints: Constraints, present: Week | undefined) =>
  validateWeek(readJsonWeek(json), constraints, present);

const issuesOf = (...[json, constraints, present]: Parameters<typeof checkJson>) => {
  const days = checkJson(json, constraints, present);
  return days.ok ? [] : days.issues;
};

const written = (json: unknown, constraints: Constraints, present?: Week): ParsedDays => {
  const days = checkJson(json, constraints, present);
  if (!days.ok) throw new Error(JSON.stringify(days.issues));
  return days.value;
};

/** Entries as people say them, `06:00-08:00 normal`; without a mode it is left out. */
const day = (...texts: string[]) =>
  texts.map((text) => JSON.parse(JSON.stringify(entry(text, 0), (key, value) => (key === 'position' || value === '' ? undefined : value))));

const rules = (json: unknown, constraints: Constraints, present?: Week) =>
  issuesOf(json, constraints, present).map((issue) => `${issue.rule} ${issue.path}`);

describe('readConstraints', () => {
  test('takes all five', () => {
    const raw = { maxEntries: 4, resolution: 10, modes: ['on'], defaultMode: 'off', overlapAllowed: true, more: 1 };
    expect(readConstraints(raw)).toEqual({ maxEntries: 4, resolution: 10, modes: ['on'], defaultMode: 'off', overlapAllowed: true });
  });
  test('takes none, and nothing that makes no sense', () => {
    expect(readConstraints({})).toEqual({});
    expect(readConstraints({ maxEntries: '4', resolution: 0, modes: [], defaultMode: null, overlapAllowed: 'yes' })).toEqual({});
    expect(readConstraints({ maxEntries: -1, resolution: '10', modes: [7] })).toEqual({});
  });
});

describe('the rules of a schedule', () => {
  test('are broken at their places', () =>
    expectTable('weekRules', 19, (_: string, mon: readonly string[], constraints: Constraints) =>
      rules({ mon: day(...mon) }, constraints),
    ));

  test('tells every broken rule of every day, with places in what was sent', () => {
    const week = { newSchedule: { tue: day('06:05-07:00 x'), mon: day('06:00-07:00 reduced', '06:30-08:00') } };
    expect(rules(week, HEATING)).toEqual([
      'resolution /newSchedule/tue/0/start',
      'mode /newSchedule/tue/0/mode',
      'default_mode /newSchedule/mon/0/mode',
      'overlap /newSchedule/mon/1',
    ]);
  });

  test('says what is allowed and near', () => {
    const mon = day('06:00-07:00', '08:00-17:25 normla');
    expect(issuesOf({ mon }, HEATING, undefined)).toEqual([
      {
        path: '/mon/1/end',
        rule: 'resolution',
        got: '17:25',
        allowed: 10,
        message: '17:25 is not on the 10-minute grid',
        nearest: ['17:20', '17:30'],
      },
      {
        path: '/mon/1/mode',
        rule: 'mode',
        got: 'normla',
        allowed: ['normal'],
        message: 'normla is not a mode of this schedule; modes are normal',
        nearest: ['normal'],
      },
    ]);
    expect(issuesOf({ mon: day('23:55-23:59') }, HEATING, undefined).map((issue) => issue.nearest)).toEqual([
      ['23:50'],
      ['23:50', '24:00'],
    ]);
  });

  test('a day that is sent as the platform has it passes whatever it breaks; only that day', () => {
    const present = { ...EMPTY, mon: [entry('00:00-23:59 old', 0), entry('01:00-02:00 reduced', 4)] };
    const mon = day('00:00-23:59 old', '01:00-02:00 reduced');
    expect(rules({ mon }, HEATING, present)).toEqual([]);
    expect(rules({ mon, tue: day('00:00-23:59') }, HEATING, present)).toEqual(['resolution /tue/0/end']);
    expect(rules({ mon: mon.toReversed() }, HEATING, present)).not.toEqual([]);
    const normal = { ...EMPTY, mon: [entry('06:00-07:00 normal', 0)] };
    expect(rules({ mon: day('06:00-07:00') }, HEATING, normal)).toEqual([]);
    expect(rules({ mon: day('06:00-07:00') }, TWO_MODES, normal)).toEqual(['mode /mon/0/mode']);
  });
});

describe('validateWeek', () => {
  test('tells the rules of entries and of the schedule together, also of what could only be read in part', () => {
    const mon = [
      { start: '25:00', end: '07:05', mode: 'x' },
      { start: '22:05', end: '06:00' },
      { start: '06:00', end: '08:00', mode: 5 },
      { start: '07:00', end: '09:00', position: -1 },
      7,
    ];
    expect(rules({ mon, monday: [] }, HEATING, undefined)).toEqual([
      'time /mon/0/start',
      'midnight /mon/1/end',
      'type /mon/2/mode',
      'position /mon/3/position',
      'type /mon/4',
      'unknown_day /monday',
      'maxEntries /mon',
      'resolution /mon/0/end',
      'mode /mon/0/mode',
      'resolution /mon/1/start',
      'overlap /mon/3',
    ]);
  });

  test('does not ask for a mode that was sent but made no sense, nor hold an entry over midnight against others', () => {
    const sun = [{ start: '06:00', end: '07:00', mode: 5 }, 7, ...day('21:00-23:00 normal', '22:00-06:00 normal')];
    expect(rules({ sun }, { ...TWO_MODES, overlapAllowed: false }, undefined)).toEqual([
      'type /sun/0/mode',
      'type /sun/1',
      'midnight /sun/3/end',
    ]);
  });

  test('a broken entry beside what is present hides nothing', () => {
    const present = { ...EMPTY, mon: [entry('06:00-08:00 normal', 0)] };
    const days = checkJson({ mon: [...day('06:00-08:00'), { start: 'x', end: '09:05', mode: 'y' }] }, HEATING, present);
    expect(days.ok ? [] : days.issues.map((issue) => issue.rule)).toEqual(['time', 'resolution', 'mode']);
  });
});

describe('completeWeek', () => {
  const tuesday = [entry('00:00-23:59 old', 4), entry('05:00-06:00 old', 1)];
  const present: Week = { ...EMPTY, mon: [entry('06:00-08:00 normal', 0), entry('17:00-22:00 normal', 4)], tue: tuesday };

  test('keeps the days that are not named as they are, mon to sun', () => {
    const week = completeWeek(written({ sun: day('07:00-08:00') }, HEATING, present), present);
    expect(week).toEqual({ ...present, sun: [entry('07:00-08:00 normal', 0)] });
    expect(Object.keys(week)).toEqual(DAYS);
    expect(week.tue).toBe(tuesday);
  });

  test('keeps a written day that equals the present one as it is', () => {
    expect(completeWeek(written({ mon: day('17:00-22:00', '06:00-08:00') }, HEATING, present), present).mon).toBe(present.mon);
  });

  test.each<[what: string, positions: (number | undefined)[], order: string[]]>([
    ['without positions in the order given', [undefined, undefined, undefined], ['a', 'b', 'c']],
    ['by position', [7, 0, 3], ['b', 'c', 'a']],
    ['mixed: those with a position first', [undefined, 5, 2], ['c', 'b', 'a']],
  ])('orders %s, and counts from 0', (_, positions, order) => {
    const mon = ['a', 'b', 'c'].map((mode, index) => ({ start: '06:00', end: '07:00', mode, position: positions[index] }));
    const week = completeWeek(written({ mon: JSON.parse(JSON.stringify(mon)) }, { overlapAllowed: true }, EMPTY), EMPTY);
    expect(week.mon.map(({ mode, position }) => [mode, position])).toEqual(order.map((mode, index) => [mode, index]));
  });

  test('what was accepted and sent passes once more and changes nothing', () => {
    const someWeek = fc.dictionary(fc.constantFrom(...DAYS), someDay, { minKeys: 1 });
    const presents = fc.tuple(someDay, someDay).map(([mon, sun]): Week => ({ ...EMPTY, mon, sun }));
    fc.assert(
      fc.property(someWeek, presents, fc.constantFrom(HEATING, TWO_MODES, {}), (json, now, constraints) => {
        const days = checkJson(json, constraints, now);
        fc.pre(days.ok);
        const week = completeWeek(days.value, now);
        const again = written(week, constraints, now);
        expect(completeWeek(again, now)).toEqual(week);
        expect(completeWeek(again, week)).toEqual(week);
        for (const name of DAYS) if (!days.value.has(name) || sameDay(week[name], now[name])) expect(week[name]).toBe(now[name]);
      }),
    );
  });
});
