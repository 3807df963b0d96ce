import { describe, expect, it, test } from 'vitest';
import { readCommandAnswer } from '../../../src/platform/commandAnswer.ts';
import { PlatformError } from '../../../src/platform/errors.ts';
import type { FailureCode } from '../../../src/shared/failures.ts';
import { expectTable } from '../../support/golden.ts';

const answer = (text: string, status = 200, contentType = 'application/json') => ({ status, contentType, bytes: Buffer.from(text) });

describe('the answer to a command', () => {
  it('is a yes in many forms', () =>
    expectTable('commandYes', 10, (_: string, ...given: Parameters<typeof answer>) => readCommandAnswer(answer(...given))));

  it('is a failure else', () =>
    expectTable('commandFailures', 9, (_: string, ...given: Parameters<typeof answer>) => {
      try {
        return readCommandAnswer(answer(...given));
      } catch (error) {
        const { code, arrived, executed } = error as PlatformError;
        return [code, arrived, executed];
      }
    }));

  it('passes the platform’s reason on', () => {
    expect(() => readCommandAnswer(answer('{"data":{"success":false,"reason":"NO","message":"not now"}}'))).toThrow(/NO: not now/);
  });
});

test.each([
  ['unreachable', 'no', undefined, 'no'],
  ['timeout', 'no', undefined, 'no'],
  ['timeout', 'maybe', undefined, 'unknown'],
  ['cut', 'maybe', undefined, 'unknown'],
  ['cut', 'yes', 200, 'unknown'],
  ['server_error', 'yes', 500, 'unknown'],
  ['server_error', 'yes', 504, 'unknown'],
  ['device_error', 'yes', 502, 'unknown'],
  ['device_error', 'yes', 400, 'no'],
  ['gateway_offline', 'yes', 400, 'no'],
  ['validation', 'yes', 422, 'no'],
  ['rate_limited', 'yes', 429, 'no'],
  ['forbidden', 'yes', 401, 'no'],
] as const satisfies readonly (readonly [FailureCode, 'no' | 'maybe' | 'yes', number | undefined, 'no' | 'unknown'])[])(
  'a command that ended with %s (arrived: %s, HTTP %s) was executed: %s',
  (code, arrived, status, executed) => expect(new PlatformError(code, 'x', { arrived, status }).executed).toBe(executed),
);
