import { describe, expect, it } from 'vitest';
import { explain } from '../../../src/cli/cli.ts';
import { CodedError, UsageError } from '../../../src/shared/errors.ts';

const said = (error: unknown, debug: boolean): readonly [code: number, ...lines: string[]] => {
  const lines: string[] = [];
  return [explain(error, debug, { err: (text) => void lines.push(text) }), ...lines];
};

const REPORT = 'Please report it to the project: describe what you did, and add the output of the same command with --debug.';

describe('what went wrong', () => {
  it('is a sentence and exit code 2 for a mistake of the person, even with --debug', () => {
    expect(said(new UsageError('settings', 'No such thing.'), true)).toEqual([2, 'No such thing.']);
  });
  it('is a sentence and exit code 1 for what is known', () => {
    expect(said(new CodedError('offline', 'The gateway is offline.', { cause: new Error('x') }), false)).toEqual([
      1,
      'The gateway is offline.',
    ]);
  });
  it('shows the stack and the cause of what is known with --debug', () => {
    const [code, sentence, trace] = said(new CodedError('offline', 'The gateway is offline.', { cause: new Error('reset') }), true);
    expect([code, sentence]).toEqual([1, 'The gateway is offline.']);
    expect(trace).toMatch(/^\s+at .*cli\.test/m);
    expect(trace).toContain('caused by Error: reset');
  });
  it.each([
    [new TypeError('x is not a function'), 'x is not a function'],
    [new Error(''), 'Error'],
    ['thrown', 'thrown'],
    [undefined, 'undefined'],
  ])('asks for a report of what nobody foresaw: %s', (error, sentence) => {
    expect(said(error, false)).toEqual([1, `Unexpected error in heating2mqtt: ${sentence}`, REPORT]);
    expect(said(error, true)).toHaveLength(4);
  });
});
