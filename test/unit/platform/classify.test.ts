import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { classify as classifyBody, jsonOf } from '../../../src/platform/classify.ts';
import type { FailureCode } from '../../../src/shared/failures.ts';
import { errorBody } from '../../support/devices/deviceFiles.ts';

const classify = (status: number, type: string, body: string) => classifyBody(status, jsonOf(type, body));

const JSON_TYPE = 'application/json;charset=utf-8';
const HTML = '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>';

const envelope = (statusCode: number, errorType: string, extendedPayload?: object, message = 'x'): string =>
  JSON.stringify({ viErrorId: 'req-1', statusCode, errorType, message, ...(extendedPayload && { extendedPayload }) });

type Row = readonly [what: string, status: number, type: string, body: string, code: FailureCode];

const ROWS: readonly Row[] = [
  ['a refused value', 400, JSON_TYPE, envelope(400, 'VALIDATION_ERROR'), 'validation'],
  ['a refused value as in 2021', 422, JSON_TYPE, envelope(422, 'VALIDATION_ERROR'), 'validation'],
  ['another content type', 400, JSON_TYPE, envelope(400, 'UNSUPPORTED_MEDIA_TYPE'), 'validation'],
  ['a wrong method', 400, JSON_TYPE, envelope(400, 'NOT_ALLOWED'), 'validation'],
  ['a gateway offline', 400, JSON_TYPE, envelope(400, 'DEVICE_COMMUNICATION_ERROR', { reason: 'GATEWAY_OFFLINE' }), 'gateway_offline'],
  [
    'a gateway offline as 502',
    502,
    JSON_TYPE,
    envelope(502, 'DEVICE_COMMUNICATION_ERROR', { reason: 'GATEWAY_OFFLINE' }),
    'gateway_offline',
  ],
  ['a device offline', 400, JSON_TYPE, envelope(400, 'DEVICE_COMMUNICATION_ERROR', { reason: 'DEVICE_OFFLINE' }), 'device_offline'],
  [
    'an unknown command',
    502,
    JSON_TYPE,
    envelope(502, 'DEVICE_COMMUNICATION_ERROR', { code: '404', reason: 'COMMAND_NOT_FOUND' }),
    'command_not_found',
  ],
  ['a device that fails', 502, JSON_TYPE, envelope(502, 'DEVICE_COMMUNICATION_ERROR', { reason: 'INTERNAL_SERVER_ERROR' }), 'device_error'],
  ['a device that fails for no reason', 400, JSON_TYPE, envelope(400, 'DEVICE_COMMUNICATION_ERROR'), 'device_error'],
  ['an expired token', 401, JSON_TYPE, envelope(401, 'UNAUTHORIZED'), 'token_expired'],
  ['a missing token', 401, JSON_TYPE, '{"error":"NO TOKEN AVAILABLE"}', 'token_expired'],
  ['a 401 of a proxy', 401, 'text/html', HTML, 'token_expired'],
  ['a feature to pay for', 402, JSON_TYPE, envelope(402, 'PACKAGE_NOT_PAID_FOR', { monetization: 'no' }), 'not_paid'],
  ['a feature to pay for under another status', 403, JSON_TYPE, envelope(403, 'PACKAGE_NOT_PAID_FOR'), 'not_paid'],
  ['no right', 403, JSON_TYPE, envelope(403, 'UNAUTHORIZED'), 'forbidden'],
  ['a gateway updating', 403, JSON_TYPE, envelope(403, 'GATEWAY_IS_UPDATING'), 'device_error'],
  ['a remote diagnosis', 403, JSON_TYPE, envelope(403, 'GATEWAY_REMOTEDIAGACTIVE'), 'device_error'],
  ['an unknown feature', 404, JSON_TYPE, envelope(404, 'FEATURE_NOT_FOUND'), 'not_found'],
  ['an unknown device', 404, JSON_TYPE, envelope(404, 'DEVICE_NOT_FOUND'), 'not_found'],
  ['a 404 of a web server', 404, 'text/html', HTML, 'not_found'],
  ['a path that is gone', 410, JSON_TYPE, envelope(410, 'GONE', { replacement: 'GET /iot/v2' }), 'gone'],
  ['a request too large', 413, JSON_TYPE, envelope(413, 'REQUEST_TOO_LARGE'), 'validation'],
  ['a reboot', 424, JSON_TYPE, envelope(424, 'FAILED_DEPENDENCY'), 'device_error'],
  ['the limit', 429, JSON_TYPE, envelope(429, 'RATE_LIMIT_EXCEEDED', { limitReset: 1584462010106 }), 'rate_limited'],
  ['the limit of a proxy', 429, 'text/html', HTML, 'rate_limited'],
  ['a failure', 500, JSON_TYPE, envelope(500, 'INTERNAL_ERROR'), 'server_error'],
  ['a failure in plain words', 500, 'text/plain', 'Proxy error', 'server_error'],
  ['a load balancer', 502, 'text/html', HTML, 'server_error'],
  ['a load balancer without a type', 503, '', '', 'server_error'],
  ['an answer too late', 504, JSON_TYPE, '{"statusCode":504,"errorType":"ECONNABORTED","message":"ECONNABORTED"}', 'server_error'],
  [
    'a failure told with 200',
    200,
    JSON_TYPE,
    '{"viErrorId":"00-1","errorType":"","message":"","extendedPayload":{"code":"500","reason":"TIMEOUT"}}',
    'server_error',
  ],
  ['a redirect', 302, 'text/html', HTML, 'bad_answer'],
  ['a request that came too slowly', 408, '', '', 'timeout'],
  ['an error envelope that is no object', 400, JSON_TYPE, '["x"]', 'validation'],
  ['null', 400, JSON_TYPE, 'null', 'validation'],
  ['members of other types', 500, JSON_TYPE, '{"errorType":7,"extendedPayload":[],"message":{}}', 'server_error'],
];

describe('an answer of the platform that failed', () => {
  test.each(ROWS)('%s → its code', (_, status, type, body, code) => {
    const error = classify(status, type, body);
    expect(error).toMatchObject({ code, status, arrived: 'yes' });
    expect(error?.message).toMatch(/^[A-Z].+[."]$/);
  });

  it('keeps the platform’s own words', () => {
    const error = classify(
      400,
      JSON_TYPE,
      envelope(400, 'VALIDATION_ERROR', { reason: 'INVALID', details: ['mon is missing'] }, 'Bad\nschedule'),
    );
    expect(error).toMatchObject({ errorType: 'VALIDATION_ERROR', reason: 'INVALID', viErrorId: 'req-1' });
    expect(error?.message).toContain('"Bad schedule mon is missing"');
  });

  it('tells until when the limit lasts, and copes without', () => {
    expect(classify(429, JSON_TYPE, envelope(429, 'RATE_LIMIT_EXCEEDED', { limitReset: 1584462010106 }))).toMatchObject({
      limitReset: 1584462010106,
      message: expect.stringContaining('until 2020-03-17T16:20:10.106Z'),
    });
    for (const limitReset of [undefined, null, 'soon', -1, 1e300]) {
      expect(classify(429, JSON_TYPE, envelope(429, 'RATE_LIMIT_EXCEEDED', { limitReset }))?.limitReset).toBeUndefined();
    }
  });

  it('names what took the place of a path that is gone', () => {
    expect(classify(410, JSON_TYPE, envelope(410, 'GONE', { replacement: 'GET /iot/v2/x' }))?.message).toContain('GET /iot/v2/x');
  });

  it.each([
    ['a bare record', '{"feature":"a.b","properties":{}}'],
    ['a wrapped record', '{"data":{"feature":"a.b"}}'],
    ['a yes', '{"data":{"success":true,"message":null,"reason":null}}'],
    ['nothing', ''],
  ])('takes %s with 200 as a success', (_, body) => expect(classify(200, JSON_TYPE, body)).toBeUndefined());

  it('has a code and one sentence for whatever comes', () => {
    const anyBody = fc.oneof(
      fc.string(),
      fc.json(),
      fc.record({ errorType: fc.json(), extendedPayload: fc.object(), message: fc.string() }).map((o) => JSON.stringify(o)),
    );
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.constantFrom('', JSON_TYPE, 'text/html'), anyBody, (status, type, body) => {
        const error = classify(status, type, body);
        expect(error?.code).toBeTruthy();
        expect(error?.message).not.toMatch(/[\n\r]/);
        expect(error?.message.length).toBeLessThan(2000);
      }),
    );
  });
});

describe('the error bodies', () => {
  it.each([
    ['device_offline', 400, 'device_offline'],
    ['gateway_offline', 400, 'gateway_offline'],
    ['error_500', 500, 'server_error'],
    ['error_502', 502, 'device_error'],
    ['rate_limit', 429, 'rate_limited'],
    ['expired_token', 401, 'token_expired'],
    ['expired_token', 400, 'token_expired'],
  ] as const)('%s with %i is %s', (name, status, code) => {
    expect(classify(status, JSON_TYPE, errorBody(name))?.code).toBe(code);
  });
});
