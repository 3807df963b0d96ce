import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSuccess, readCommandResult, resultLines } from '../../../../src/cli/schedule/commandResult.ts';
import { differenceLines } from '../../../../src/cli/schedule/setSchedule.ts';
import { weekOf } from '../../../../src/schedule/week.ts';
import { expectTable } from '../../../support/golden.ts';
import { day } from '../../../support/schedules/weeks.ts';

const ANSWER = { id: 'a', topic: 't', at: '2026-11-21T06:00:00Z' };
const linesOf = (answer: object): readonly string[] => {
  const result = readCommandResult(JSON.stringify({ ...ANSWER, ...answer }));
  if (!result) throw new Error('no answer');
  return resultLines(result, (path) => path.replace('/value', ''), 'Europe/Berlin');
};

describe('an answer of the bridge', () => {
  it('is told in lines', () => expectTable('answersTold', 7, linesOf));

  it('tells an end in the time of the schedule', () => {
    const lines = linesOf({ status: 'applied', until: '2027-01-03T11:00:00.000Z' });
    expect(lines).toContain('  It ends by itself at 2027-01-03T12:00:00+01:00.');
  });

  it('tells a place in words, and nothing twice', () => {
    const two = 'mon 22:00-24:00 normal; tue 00:00-06:00 normal';
    const message = `over midnight, write two entries: ${two}`;
    const lines = linesOf({ status: 'rejected', code: 'invalid', errors: [{ path: '2:8', rule: 'midnight', message, nearest: [two] }] });
    expect(lines.slice(1).join(' ').replace(/\s+/g, ' ').trim()).toBe(`line 2, column 8: ${message}`);
  });

  it('is good where the week is, or would be, as it was asked for', () => {
    const good = ['applied', 'unchanged', 'valid', 'rejected', 'failed', 'unconfirmed', 'superseded'].filter((status) => {
      const result = readCommandResult(JSON.stringify({ ...ANSWER, status }));
      return result !== undefined && isSuccess(result);
    });
    expect(good).toEqual(['applied', 'unchanged', 'valid']);
  });

  it('is none without an id or a known status, whatever came', () => {
    expect(readCommandResult('{"status":"applied"}')).toBeUndefined();
    expect(readCommandResult('{"id":"a","status":"done"}')).toBeUndefined();
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc
            .record({ errors: fc.jsonValue(), week: fc.jsonValue(), kept: fc.jsonValue() })
            .map((rest) => JSON.stringify({ ...ANSWER, status: 'failed', ...rest })),
        ),
        (payload) => {
          const result = readCommandResult(payload);
          if (result) expect(resultLines(result, (path) => path, 'UTC').length).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe('the difference of two weeks', () => {
  const before = weekOf((name) => (name === 'sun' ? [] : day('06:00-08:00 normal, 17:00-22:00 comfort')));

  it('goes day by day, days that change alike together', () => {
    const after = weekOf((name) => (name === 'sat' || name === 'sun' ? day('08:00-24:00 normal') : name === 'wed' ? before.wed : []));
    expect(differenceLines(before, after, false)).toEqual([
      'mon-tue,thu-fri',
      '  - 06:00-08:00 normal, 17:00-22:00 comfort',
      '  + none',
      'sat',
      '  - 06:00-08:00 normal, 17:00-22:00 comfort',
      '  + 08:00-24:00 normal',
      'sun',
      '  - none',
      '  + 08:00-24:00 normal',
    ]);
    expect(differenceLines(before, before, false)).toEqual([]);
    expect(stripVTControlCharacters(differenceLines(before, after, true).join('\n'))).toBe(
      differenceLines(before, after, false).join('\n'),
    );
  });
});
