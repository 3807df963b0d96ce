import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CircuitBreaker } from '../../../../src/bridge/reads/circuitBreaker.ts';
import { MOST_JITTER_MS, rateLimitOf } from '../../../../src/bridge/reads/rateLimitResponse.ts';
import { backOffMs } from '../../../../src/bridge/reads/retryPolicy.ts';
import { classify as classifyBody, jsonOf } from '../../../../src/platform/classify.ts';
import { failureOf } from '../../../../src/shared/failures.ts';
import { errorBody } from '../../../support/devices/deviceFiles.ts';
import { expectTable } from '../../../support/golden.ts';

const classify = (status: number, type: string, body: string) => classifyBody(status, jsonOf(type, body));

const longestMs = (code: string): number => {
  const { retry } = failureOf(code);
  return retry.kind === 'backoff' ? retry.maxMs : 24 * 60 * MINUTE_MS;
};

const JSON_TYPE = 'application/json';
const MINUTE_MS = 60_000;

describe('what follows from a failed read', () => {
  test.each([
    [402, '{"errorType":"PACKAGE_NOT_PAID_FOR"}', 'hours', 'read'],
    [404, '{"errorType":"FEATURE_NOT_FOUND"}', 'hours', 'read'],
    [410, '{"errorType":"GONE"}', 'hours', 'platform'],
    [403, '{"errorType":"GATEWAY_IS_UPDATING"}', 'backoff', 'read'],
    [503, '<html><body>Service Unavailable</body></html>', 'backoff', 'platform'],
    [504, '{"statusCode":504,"errorType":"ECONNABORTED"}', 'backoff', 'platform'],
  ])('%i %s: %s, for %s', (status, body, kind, scope) => {
    const failure = classify(status, body.startsWith('<') ? 'text/html' : JSON_TYPE, body);
    expect(failureOf(failure?.code ?? '')).toMatchObject({ retry: { kind }, scope });
  });

  test('after failures, of one poll a minute, it is asked again after so many minutes', () =>
    expectTable('backOffs', 9, (code: string, failures: number) => backOffMs(code, failures, MINUTE_MS, 0, 0) / MINUTE_MS));

  test('a pause never shrinks with the failures, is no shorter than the interval, and has a cap', () => {
    const code = fc.constantFrom('unreachable', 'gateway_offline', 'bad_answer', 'not_paid', 'login_needed');
    fc.assert(
      fc.property(
        code,
        fc.nat(1000),
        fc.integer({ min: 1, max: 1e7 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (word, failures, interval, random) => {
          const pause = backOffMs(word, failures + 1, interval, 0.1, random);
          expect(pause).toBeGreaterThanOrEqual(Math.min(interval, backOffMs(word, failures + 1, interval, 0.1, 0)));
          expect(backOffMs(word, failures + 2, interval, 0.1, random)).toBeGreaterThanOrEqual(pause);
          expect(pause).toBeGreaterThanOrEqual(interval);
          expect(pause).toBeLessThanOrEqual(1.1 * Math.max(interval, longestMs(word)));
        },
      ),
    );
  });
});

const target = (feature: string, device = '0', gateway = 'g') => ({ installation: '1', gateway, device, feature });
const pause = (failures: number): number => failures * 1000;

test.each([
  ['gateway_offline', 400, 'backoff', 'gateway'],
  ['device_offline', 400, 'backoff', 'device'],
  ['error_500', 500, 'backoff', 'platform'],
  ['error_502', 502, 'backoff', 'read'],
  ['expired_token', 401, 'backoff', 'platform'],
  ['rate_limit', 429, 'interval', 'platform'],
])('the error bodies: %s (%i): %s, for %s', (name, status, kind, scope) => {
  const failure = classify(status, JSON_TYPE, errorBody(name));
  expect(failureOf(failure?.code ?? '')).toMatchObject({ retry: { kind }, scope });
});

describe('one probe per outage', () => {
  test('two reads in a row that get no answer hold all others, until one works', () => {
    const outages = new CircuitBreaker();
    outages.failed(target('a'), 'unreachable', 3, 0, pause);
    expect(outages.heldUntilMs(target('c'))).toBe(0);
    outages.failed(target('b'), 'timeout', 3, 10, pause);
    expect(outages.heldUntilMs(target('c', '7', 'other'))).toBe(1010);
    outages.failed(target('c'), 'server_error', 3, 1010, pause);
    expect(outages.heldUntilMs(target('a'))).toBe(3010);
    outages.worked(target('a'));
    expect(outages.heldUntilMs(target('b'))).toBe(0);
  });

  test('the only read of all stands for the platform', () => {
    const outages = new CircuitBreaker();
    outages.failed(target('a'), 'cut', 1, 0, pause);
    expect(outages.platform).toBe(true);
  });

  test.each(['a gateway', 'a device'])('%s that is offline holds its own reads alone', (what) => {
    const outages = new CircuitBreaker();
    const code = what === 'a gateway' ? 'gateway_offline' : 'device_offline';
    outages.failed(target('a'), code, 3, 0, pause);
    expect(outages.heldUntilMs(target('b'))).toBe(1000);
    expect(outages.heldUntilMs(target('a', '1')) > 0).toBe(what === 'a gateway');
    expect(outages.heldUntilMs(target('a', '0', 'other'))).toBe(0);
  });

  test.each(['server_error', 'gateway_offline'])('reads that fail (%s) while others work hold nothing any more', (code) => {
    const outages = new CircuitBreaker();
    for (const feature of ['bad', 'worse']) outages.failed(target(feature), code, 3, 0, pause);
    expect(outages.heldUntilMs(target('good'))).toBeGreaterThan(0);
    outages.worked(target('good'));
    for (const feature of ['bad', 'worse', 'bad', 'worse']) outages.failed(target(feature), code, 3, 5000, pause);
    expect(outages.heldUntilMs(target('good'))).toBe(0);
    outages.worked(target('bad'));
    outages.worked(target('worse'));
    for (const feature of ['bad', 'worse']) outages.failed(target(feature), code, 3, 9000, pause);
    expect(outages.heldUntilMs(target('good'))).toBeGreaterThan(9000);
  });
});

describe('what a 429 says', () => {
  const NOW = Date.parse('2026-11-21T12:00:00Z');
  test.each([
    [{ limitReset: NOW + 3_600_000, limitName: 'ViCare day limit' }, 'day', 3_600_000],
    [{ limitReset: NOW + 3_600_000 }, 'day', 3_600_000],
    [{ limitReset: NOW + 300_000 }, 'ten', 300_000],
    [{ limitReset: NOW - 5000 }, 'ten', 60_000],
    [{ limitReset: NOW + 9e9 }, 'ten', 600_000],
    [{ limitReset: NOW + 86_400_000 }, 'day', 86_400_000],
    [{ limitName: 'development portal "x" daily limit' }, 'day', 600_000],
    [{}, 'ten', 600_000],
  ])('%o: the window is %s, the pause %i ms and some more', (failure, window, pauseMs) => {
    const clocks = { oursMs: NOW, platformMs: NOW };
    expect(rateLimitOf(failure, clocks, 1, 0)).toEqual({ window, pauseMs });
    expect(rateLimitOf(failure, clocks, 1, 0.999).pauseMs).toBeLessThan(pauseMs + MOST_JITTER_MS);
  });

  test('an end that only one of two clocks can believe is believed; of two the nearer', () => {
    const pause = (oursMs: number, platformMs: number): number =>
      rateLimitOf({ limitReset: NOW + 1_800_000, limitName: 'day limit' }, { oursMs, platformMs }, 1, 0).pauseMs;
    expect(pause(NOW, NOW - 86_400_000)).toBe(1_800_000);
    expect(pause(NOW - 9e9, NOW)).toBe(1_800_000);
    expect(pause(NOW + 9e9, NOW)).toBe(1_800_000);
    expect(pause(NOW - 3_600_000, NOW)).toBe(1_800_000);
  });

  test('whatever a 429 says and the clocks show, the pause is at least a minute and at most a day; refusals in a row make it longer', () => {
    const clock = fc.oneof(fc.constant(NOW), fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }));
    const failure = fc.record({
      limitReset: fc.option(fc.oneof(clock, fc.double({ min: 1e-300, max: 8.64e15, noNaN: true })), { nil: undefined }),
      limitName: fc.option(fc.constantFrom('ViCare day limit', 'x'), { nil: undefined }),
    });
    fc.assert(
      fc.property(failure, clock, clock, fc.integer({ min: 1, max: 5000 }), (limit, oursMs, platformMs, refusals) => {
        const pauses = [refusals, refusals + 1].map((times) => rateLimitOf(limit, { oursMs, platformMs }, times, 0).pauseMs);
        expect(pauses[0]).toBeGreaterThanOrEqual(refusals > 6 ? 3_600_000 : 60_000);
        expect(pauses[1]).toBeLessThanOrEqual(87_000_000);
        expect(pauses[1]).toBeGreaterThanOrEqual(pauses[0] ?? 0);
      }),
    );
  });
});
