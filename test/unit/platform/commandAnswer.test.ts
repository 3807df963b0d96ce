import { describe, expect, it, test } from 'vitest';
import { readCommandAnswer } from '../../../src/platform/commandAnswer.ts';
import { PlatformError } from '../../../src/platform/errors.ts';
import type { FailureCode } from '../../../src/shared/failures.ts';

const answer = (text: string, status = 200, contentType = 'application/json') => ({
  status,
  contentType,
  text: () => text,
});

describe('the answer to a command', () => {
  test.each([
    ['the documented yes', answer('{"data":{"success":true,"message":null,"reason":null}}'), { adapted: false }],
    ['a bare yes', answer('{"success":true}'), { adapted: false }],
    ['nothing at all', answer(''), { adapted: false }],
    ['nothing but white space', answer(' \r\n'), { adapted: false }],
    ['202', answer('', 202, ''), { adapted: false }],
    ['204', answer('', 204, ''), { adapted: false }],
    ['an empty object', answer('{}'), { adapted: false }],
    ['no data', answer('{"data":null}'), { adapted: false }],
    ['words', answer('{"data":{"success":true,"message":"later"}}', 202), { adapted: false, message: 'later' }],
    [
      'an adapted value',
      answer('{"data":{"success":true,"reason":"WARNING_PARAMETERS_CHANGED"}}'),
      { adapted: true, reason: 'WARNING_PARAMETERS_CHANGED' },
    ],
  ])('takes %s as a yes', (_, given, expected) => expect(readCommandAnswer(given)).toEqual(expected));

  test.each([
    ['success: false', answer('{"data":{"success":false,"reason":"NO","message":"not now"}}'), 'device_error', 'no'],
    ['success: "false"', answer('{"data":{"success":"false"}}'), 'device_error', 'no'],
    ['success: false without data', answer('{"success":false}'), 'device_error', 'no'],
    ['HTML', answer('<html>', 200, 'text/html'), 'bad_answer', 'unknown'],
    ['HTML that says it is JSON', answer('<html>'), 'bad_answer', 'unknown'],
    ['half of a JSON', answer('{"data":{"succ'), 'bad_answer', 'unknown'],
    ['a list', answer('[]'), 'bad_answer', 'unknown'],
    ['null', answer('null'), 'bad_answer', 'unknown'],
    ['a failure with 200', answer('{"viErrorId":"1","extendedPayload":{"reason":"TIMEOUT"}}'), 'server_error', 'unknown'],
  ] as const)('takes %s as a failure', (_, given, code, executed) => {
    expect(() => readCommandAnswer(given)).toThrow(expect.objectContaining({ code, arrived: 'yes', executed }));
  });

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
