import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RULES } from '../../../src/shared/issue.ts';
import { runs } from '../../support/chance.ts';
import { expectTable } from '../../support/golden.ts';
import { readWrittenWeek } from './reading.ts';

const NIGHT = { start: '22:00', end: '06:00', mode: 'normal' };

/** `rule path` of every issue. */
const refused = (json: unknown) => {
  const days = readWrittenWeek(json);
  return days.ok ? 'accepted' : days.issues.map((issue) => `${issue.rule} ${issue.path}`);
};

/** The entries of mon as read, without their places. */
const monday = (...entries: unknown[]) => {
  const days = readWrittenWeek({ mon: entries });
  return days.ok ? days.value.get('mon')?.map(({ places: _, ...entry }) => entry) : days.issues;
};

describe('readWrittenWeek takes', () => {
  test('a partial week, with the places of what it holds', () => {
    const days = readWrittenWeek({ tue: [], mon: [{ start: '06:00', end: '22:00', mode: 'normal', position: 3 }] });
    const places = { day: '/mon', entry: '/mon/0', start: '/mon/0/start', end: '/mon/0/end', mode: '/mon/0/mode' };
    expect(days.ok && [...days.value]).toEqual([
      ['tue', []],
      ['mon', [{ start: '06:00', end: '22:00', mode: 'normal', position: 3, places }]],
    ]);
  });

  test('a wrapped week, with places in what was sent', () => {
    const days = readWrittenWeek({ newSchedule: { sun: [{ start: '06:00', end: '07:00' }] } });
    expect(days.ok && days.value.get('sun')?.[0]?.places.end).toBe('/newSchedule/sun/0/end');
  });

  test.each([
    ['6:00', '8:30', '06:00', '08:30'],
    ['06:00:00', '24:00:00', '06:00', '24:00'],
    ['00:00', '00:00', '00:00', '24:00'],
    ['22:00', '0:00', '22:00', '24:00'],
    ['00:00', '23:59', '00:00', '23:59'],
  ])('%s to %s', (start, end, from, to) => expect(monday({ start, end })).toEqual([{ start: from, end: to }]));
});

describe('readWrittenWeek refuses', () => {
  test('what is no week', () => expectTable('weeksRefused', 12, (_: string, json: unknown) => refused(json)));

  test('names of JavaScript as days and keys', () => {
    expect(refused(JSON.parse('{"__proto__":[],"constructor":[]}'))).toEqual(['unknown_day /__proto__', 'unknown_day /constructor']);
    expect(refused(JSON.parse('{"mon":[{"start":"06:00","end":"07:00","__proto__":1}]}'))).toEqual(['unknown_key /mon/0/__proto__']);
  });

  test('what is no entry', () => expectTable('entriesRefused', 18, (entry: unknown) => refused({ mon: [entry] })));

  test('a position twice, in its own day only', () => {
    const one = { start: '06:00', end: '07:00', position: 1 };
    expect(refused({ mon: [one, { ...one, position: 0 }, one], tue: [one] })).toEqual(['position /mon/2/position']);
  });

  test('everything at once, days first', () => {
    const wrong = {
      newSchedule: {
        mun: [],
        mon: [
          { start: '06:00', end: '05:00' },
          { start: 1, end: '07:00', mod: 'x' },
        ],
        sun: 1,
      },
    };
    expect(refused(wrong)).toEqual([
      'midnight /newSchedule/mon/0/end',
      'unknown_key /newSchedule/mon/1/mod',
      'time /newSchedule/mon/1/start',
      'type /newSchedule/sun',
      'unknown_day /newSchedule/mun',
    ]);
  });

  test.each([
    ['sun', 'mon'],
    ['mon', 'tue'],
  ])('an entry over midnight on %s, and names the two to write instead', (day, next) => {
    const days = readWrittenWeek({ [day]: [NIGHT] });
    const instead = {
      [day]: [{ start: '22:00', end: '24:00', mode: 'normal' }],
      [next]: [{ start: '00:00', end: '06:00', mode: 'normal' }],
    };
    const issue = days.ok ? undefined : days.issues[0];
    expect(issue).toMatchObject({ rule: 'midnight', got: '06:00', nearest: [instead] });
    expect(issue?.message).toBe(`06:00 is not after 22:00; over midnight, write two entries: ${JSON.stringify(instead)}`);
    expect(readWrittenWeek(instead).ok).toBe(true);
  });

  test('and names what may be meant', () =>
    expectTable('weeksMeant', 5, (json: unknown) => {
      const days = readWrittenWeek(json);
      return days.ok ? undefined : days.issues[0]?.nearest?.[0];
    }));
});

test('readWrittenWeek never throws, and refuses with known rules and sentences', () => {
  const time = fc.oneof(fc.constantFrom('06:00', '6:00', '24:00', '25:00', '00:00', '07:0…'), fc.jsonValue());
  const entry = fc.record(
    { start: time, end: time, mode: fc.jsonValue(), position: fc.oneof(fc.nat(3), fc.jsonValue()) },
    { requiredKeys: [] },
  );
  const week = fc.dictionary(fc.constantFrom('mon', 'sun', 'x', 'newSchedule'), fc.oneof(fc.array(entry), fc.jsonValue()));
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        week,
        week.map((newSchedule) => ({ newSchedule })),
      ),
      (json) => {
        const days = readWrittenWeek(json);
        for (const issue of days.ok ? [] : days.issues) {
          expect(RULES).toHaveProperty(issue.rule);
          expect(issue.message).not.toContain('undefined');
        }
      },
    ),
    { numRuns: runs(500) },
  );
});

test('readWrittenWeek answers a flood of mistakes with a hundred of them', () => {
  const days = readWrittenWeek({ mon: Array.from({ length: 20_000 }, () => ({})) });
  expect(days.ok ? [] : days.issues).toHaveLength(101);
});
