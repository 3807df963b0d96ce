import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSuccess, readCommandResult, resultLines } from '../../../../src/cli/schedule/commandResult.ts';
import { differenceLines } from '../../../../src/cli/schedule/setSchedule.ts';
import { weekOf } from '../../../../src/schedule/week.ts';
import { day } from '../../../support/schedules/weeks.ts';

const ANSWER = { id: 'a', topic: 't', at: '2026-11-21T06:00:00Z' };
const linesOf = (answer: object): readonly string[] => {
  const result = readCommandResult(JSON.stringify({ ...ANSWER, ...answer }));
  if (!result) throw new Error('no answer');
  return resultLines(result, (path) => path.replace('/value', ''));
};

describe('an answer of the bridge', () => {
  it.each<[answer: object, lines: readonly string[]]>([
    [{ status: 'applied', changed: ['mon'] }, ['applied: the device has it.']],
    [
      { status: 'applied', until: '2027-01-03T12:00:00+01:00' },
      ['applied: the device has it.', '  It ends by itself at 2027-01-03T12:00:00+01:00.'],
    ],
    [{ status: 'unchanged' }, ['unchanged: it is so already; nothing was sent.']],
    [{ status: 'rejected', code: 'forbidden', message: 'commands.deny forbids it' }, ['rejected (forbidden): commands.deny forbids it.']],
    [
      {
        status: 'rejected',
        code: 'invalid',
        message: 'm',
        errors: [{ path: '/value/mon/0/end', rule: 'resolution', message: 'off', nearest: ['17:20', { mon: [] }] }],
      },
      ['rejected: nothing was sent.', '  /mon/0/end: off; nearest: 17:20, {"mon":[]}'],
    ],
    [
      { status: 'superseded', kept: ['tue', 'mon'] },
      ['superseded: another write came in between and overwrote it.', '  Of it was sent: mon, tue.'],
    ],
    [
      { status: 'failed', message: 'The platform refused it.', errorType: 'DEVICE_ERROR', reason: 'X\u001b', viErrorId: 'req-1' },
      ['failed: The platform refused it.', '  The platform says: DEVICE_ERROR, X�, req-1.'],
    ],
  ])('%j is told as %j', (answer, lines) => {
    expect(linesOf(answer)).toEqual(lines);
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
          if (result) expect(resultLines(result, (path) => path).length).toBeGreaterThan(0);
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
