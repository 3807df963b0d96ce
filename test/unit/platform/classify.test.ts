import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify as classifyBody, jsonOf } from '../../../src/platform/classify.ts';
import { expectTable } from '../../support/golden.ts';

const classify = (status: number, type: string, body: string) => classifyBody(status, jsonOf(type, body));

const JSON_TYPE = 'application/json;charset=utf-8';

const envelope = (statusCode: number, errorType: string, extendedPayload?: object, message = 'x'): string =>
  JSON.stringify({ viErrorId: 'req-1', statusCode, errorType, message, ...(extendedPayload && { extendedPayload }) });

describe('an answer of the platform that failed', () => {
  it('has a code and a sentence', () =>
    expectTable('failures', 39, (_: string, status: number, type: string, body: string) => {
      const error = classify(status, type, body);
      expect(error).toMatchObject({ status, arrived: 'yes', message: expect.stringMatching(/^[A-Z].+[."]$/) });
      // In the time zone of this machine.
      return [error?.code, error?.message.replace(/again at [^.]+/, 'again at …')];
    }));

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
      message: expect.stringMatching(/^The call limit of the platform is reached \(429\)\. Calls are possible again at \d\d:\d\d \S+\.$/),
      limitReset: 1584462010106,
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
