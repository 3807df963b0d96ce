import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkArguments } from '../../../src/features/command.ts';
import type { Command, Json, Parameter } from '../../../src/features/feature.ts';
import { RULES } from '../../../src/shared/issue.ts';
import { expectTable } from '../../support/golden.ts';
import { commandOf } from '../../support/schedules/commands.ts';

const command = (specs: Parameters<typeof commandOf>[1], name = 'setIt'): Command => commandOf(name, specs)[1];

/** The rules that one value of one parameter breaks. */
const broken = (type: string, constraints: Parameter['constraints'], value: Json) =>
  checkArguments(command({ x: [type, constraints] }), { x: value }).map((issue) => issue.rule);

const STEPS = { min: 3, max: 37, stepping: 1 };
const SLOPE = { min: 0.2, max: 3.5, stepping: 0.1 };
const DATE = '^[\\d]{4}-[\\d]{2}-[\\d]{2}$';

describe('checkArguments on one value', () => {
  test('tells the rules that it breaks', () => expectTable('argumentsChecked', 46, broken));

  test.each([Number.POSITIVE_INFINITY, Number.NaN])('%d is no number to send', (value) =>
    expect(broken('number', STEPS, value)).toEqual(['type']),
  );
});

describe('checkArguments', () => {
  const setCurve = command({ slope: ['number', SLOPE], shift: ['number', { min: -13, max: 40, stepping: 1 }] }, 'setCurve');

  test('tells everything at once, with places and the nearest that is right', () => {
    expect(checkArguments(setCurve, { slope: 1.44, shfit: 5 })).toEqual([
      {
        path: '/slope',
        rule: 'stepping',
        message: '1.44 is not 0.2 plus a multiple of 0.1',
        got: 1.44,
        allowed: 0.1,
        nearest: [1.4, 1.5],
      },
      { path: '/shift', rule: 'required', message: 'shift is missing; setCurve needs it' },
      {
        path: '/shfit',
        rule: 'unknown',
        message: 'setCurve has no parameter shfit; it has slope, shift',
        got: 5,
        allowed: ['slope', 'shift'],
        nearest: ['shift'],
      },
    ]);
  });

  test('names the nearest that is right', () =>
    expectTable(
      'nearest',
      6,
      (constraints: Parameter['constraints'], value: number) =>
        checkArguments(command({ x: ['number', constraints] }), { x: value })[0]?.nearest,
    ));

  test('names the nearest words of a list', () => {
    const [issue] = checkArguments(command({ mode: ['string', { enum: ['dhw', 'dhwAndHeating', 'standby'] }] }), { mode: 'stanby' });
    expect(issue).toMatchObject({ path: '/mode', got: 'stanby', allowed: ['dhw', 'dhwAndHeating', 'standby'], nearest: ['standby'] });
  });

  test('an optional parameter may be left out, not be of another kind', () => {
    const activate = command({ temperature: ['number', STEPS, false] }, 'activate');
    expect(checkArguments(activate, {})).toEqual([]);
    expect(checkArguments(activate, { temperature: '20' }).map((issue) => issue.path)).toEqual(['/temperature']);
  });

  test('a command without parameters says so', () => {
    expect(checkArguments(command({}, 'deactivate'), { active: false })[0]?.message).toBe('deactivate takes no parameters; remove active');
  });

  test('a Schedule has to be there', () => {
    const setSchedule = command({ newSchedule: ['Schedule', { maxEntries: 4 }] }, 'setSchedule');
    expect(checkArguments(setSchedule, {}).map((issue) => [issue.path, issue.rule])).toEqual([['/newSchedule', 'required']]);
  });

  describe.each([
    [false, ['date']],
    [true, []],
  ])('with sameDayAllowed %j', (sameDayAllowed, sameDay) => {
    const schedule = command({ start: ['string', { regEx: DATE }], end: ['string', { regEx: DATE, sameDayAllowed }] }, 'schedule');
    test.each<[string, string, string[]]>([
      ['2026-12-30', '2027-01-02', []],
      ['2026-12-30', '2026-12-30', sameDay],
      ['2026-12-30', '2026-12-29', ['date']],
      ['2026-11-31', '2026-11-30', ['date']],
      ['soon', '2026-11-30', ['regEx']],
    ])('%s to %s', (start, end, rules) => {
      expect(checkArguments(schedule, { start, end }).map((issue) => issue.rule)).toEqual(rules);
    });
  });

  test('a date that the calendar does not have is told for itself, not held against the other', () => {
    const schedule = command({ start: ['string', { regEx: DATE }], end: ['string', { regEx: DATE }] }, 'schedule');
    expect(checkArguments(schedule, { start: '2026-11-31', end: '2026-11-30' })).toEqual([
      { path: '/start', rule: 'date', message: '2026-11-31 is not a valid date', got: '2026-11-31' },
    ]);
  });

  test('names that mean something to JavaScript are names like others', () => {
    expect(checkArguments(command(JSON.parse('{"constructor":["number"]}')), {}).map((issue) => issue.rule)).toEqual(['required']);
    expect(checkArguments(setCurve, JSON.parse('{"slope":1.4,"shift":0,"__proto__":1,"a/b":2}')).map((issue) => issue.path)).toEqual([
      '/__proto__',
      '/a~1b',
    ]);
  });

  test('never throws and always answers with known rules, whatever the constraints and the arguments are', () => {
    const constraints = fc.dictionary(
      fc.constantFrom('min', 'max', 'stepping', 'enum', 'minLength', 'maxLength', 'regEx', 'sameDayAllowed'),
      fc.oneof(fc.jsonValue(), fc.double(), fc.integer()),
    );
    const parameter = fc.tuple(fc.constantFrom('number', 'string', 'boolean', 'Schedule', 'x'), constraints, fc.boolean());
    const name = fc.constantFrom('start', 'end', 'x', '__proto__', 'constructor');
    const value = fc.oneof(fc.jsonValue(), fc.double(), fc.string(), fc.constantFrom('2026-01-01', '2026-02-31'));
    fc.assert(
      fc.property(fc.dictionary(name, parameter), fc.dictionary(fc.oneof(name, fc.string()), value), (specs, args) => {
        const given: Readonly<Record<string, Json>> = JSON.parse(JSON.stringify(args));
        for (const issue of checkArguments(command(JSON.parse(JSON.stringify(specs))), given)) {
          expect(RULES).toHaveProperty(issue.rule);
          expect(issue.message).not.toContain('undefined');
        }
      }),
    );
  });

  test('a step named as nearest is right', () => {
    const numbers = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 1, max: 100 }), fc.constantFrom(0.1, 0.5, 1, 10));
    fc.assert(
      fc.property(numbers, fc.double({ min: -100, max: 200, noNaN: true }), ([min, width, stepping], value) => {
        const spec = command({ x: ['number', { min, max: min + width, stepping }] });
        for (const { nearest = [], rule } of checkArguments(spec, { x: value })) {
          if (rule === 'stepping') for (const right of nearest) expect(checkArguments(spec, { x: Number(right) })).toEqual([]);
        }
      }),
    );
  });

  test('answers with a hundred issues at most, and counts the others', () => {
    const args = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, index]));
    const issues = checkArguments(setCurve, args);
    expect(issues).toHaveLength(101);
    expect(issues.at(-1)).toMatchObject({ rule: 'more', message: '19902 more rules are broken; only the first 100 are listed' });
  });
});
