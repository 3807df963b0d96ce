import { describe, expect, test } from 'vitest';
import { at, type Caller, startCaller } from './simulatorCaller.ts';

const CURVE = 'heating.circuits.0.heating.curve';

const set = (caller: Caller, shift: number) => caller.post(caller.path('0', CURVE, 'setCurve'), { shift, slope: 1 });
const read = (caller: Caller) => caller.get(caller.path('0', CURVE));

const NOW = Date.UTC(2026, 10, 21, 12);

describe('known faults by name', () => {
  test.each<[string, number, RegExp | Record<string, unknown>]>([
    ['html502', 502, /^<html>/],
    ['html503', 503, /^<html>/],
    ['html200', 200, /^<html>/],
    ['rate_limited', 429, { errorType: 'RATE_LIMIT_EXCEEDED', extendedPayload: { limitReset: NOW + 60_000, requestCountLimit: 1450 } }],
    [
      'rate_limited_10_minutes',
      429,
      { errorType: 'RATE_LIMIT_EXCEEDED', extendedPayload: { limitReset: NOW + 60_000, requestCountLimit: 120 } },
    ],
    [
      'rate_limited_bare',
      429,
      { errorType: 'RATE_LIMIT_EXCEEDED', extendedPayload: expect.not.objectContaining({ limitReset: expect.anything() }) },
    ],
    ['gateway_offline', 400, { errorType: 'DEVICE_COMMUNICATION_ERROR', extendedPayload: { code: '404', reason: 'GATEWAY_OFFLINE' } }],
    ['device_offline', 400, { errorType: 'DEVICE_COMMUNICATION_ERROR', extendedPayload: { code: '404', reason: 'DEVICE_OFFLINE' } }],
    ['communication_error', 502, { extendedPayload: { reason: 'INTERNAL_SERVER_ERROR' } }],
    ['updating', 403, { errorType: 'GATEWAY_IS_UPDATING' }],
    ['not_paid', 402, { errorType: 'PACKAGE_NOT_PAID_FOR' }],
    ['not_found', 404, { errorType: 'FEATURE_NOT_FOUND' }],
    ['validation', 422, { errorType: 'VALIDATION_ERROR' }],
    ['gone', 410, { errorType: 'GONE', extendedPayload: { replacement: expect.stringContaining('/iot/v2/') } }],
    ['internal_error', 500, { errorType: 'INTERNAL_ERROR' }],
    ['proxy_error', 500, /^Proxy error$/],
    ['timeout504', 504, { errorType: 'ECONNABORTED' }],
    ['timeout200', 200, { extendedPayload: { reason: 'TIMEOUT' } }],
    ['success_false', 200, { data: { success: false } }],
    ['rebooting', 202, /^$/],
    ['rubbish', 200, /^\{"data":\[\{"feature":$/],
    ['no_data', 200, {}],
    ['null_data', 200, { data: null }],
    ['empty', 200, /^$/],
    ['empty_list', 200, { data: [] }],
    ['expired_token', 401, { error: 'EXPIRED TOKEN', errorType: 'UNAUTHORIZED' }],
    ['expired_token_bare', 401, { error: 'EXPIRED TOKEN' }],
    ['identity_error', 500, { error: 'server_error' }],
    ['invalid_grant', 400, { error: 'invalid_grant' }],
    ['invalid_client', 400, { error: 'invalid_client' }],
  ])('%s', async (kind, status, body) => {
    const caller = await startCaller({ now: () => NOW });
    caller.control({ command: 'fault', kind, times: 1 });
    const seen = await read(caller);
    expect(seen.status).toBe(status);
    if (body instanceof RegExp) expect(seen.text).toMatch(body);
    else expect(seen.body).toMatchObject(body);
    expect(caller.calls().map((call) => call.status)).toEqual([status]);
    expect((await read(caller)).status).toBe(200);
  });

  test('large is the true answer in 3 MB', async () => {
    const caller = await startCaller();
    const { body } = await read(caller);
    caller.control({ command: 'fault', kind: 'large' });
    const seen = await read(caller);
    expect(Buffer.byteLength(seen.text)).toBe(3 * 1024 * 1024);
    expect(seen.body).toEqual(body);
  });

  test('token_down meets the token endpoint alone', async () => {
    const caller = await startCaller();
    caller.control({ command: 'fault', kind: 'token_down' });
    expect((await caller.send('/idp/v3/token', { method: 'POST' })).status).toBe(503);
    expect((await read(caller)).status).toBe(200);
  });

  test('huge is JSON of more than 8 MB', async () => {
    const caller = await startCaller();
    caller.control({ command: 'fault', kind: 'huge' });
    const seen = await read(caller);
    expect(seen.text.length).toBeGreaterThan(8 * 1024 * 1024);
    expect(seen.body).toBeDefined();
  });

  test('a command met by a fault has no effect, unless the fault executes it', async () => {
    const caller = await startCaller();
    caller.control({ command: 'fault', kind: 'success_false', times: 1 });
    await set(caller, 5);
    expect(await caller.values(CURVE)).toMatchObject({ shift: 0 });
    caller.control({ command: 'fault', kind: 'timeout504', times: 1, execute: true });
    expect((await set(caller, 6)).status).toBe(504);
    expect(await caller.values(CURVE)).toMatchObject({ shift: 6 });
    caller.control({ command: 'fault', kind: 'rebooting', times: 1 });
    expect((await set(caller, 7)).status).toBe(202);
    expect(await caller.values(CURVE)).toMatchObject({ shift: 7 });
  });
});

describe('faults of one’s own', () => {
  test('status, body, headers and content type as given', async () => {
    const caller = await startCaller();
    caller.control({ command: 'fault', status: 418, body: 'short', contentType: 'text/plain', headers: { 'Retry-After': '7' } });
    const seen = await read(caller);
    expect([seen.status, seen.text, seen.type, seen.headers.get('retry-after')]).toEqual([418, 'short', 'text/plain', '7']);
  });

  test('match by method and path; times; clear one and all; the oldest first', async () => {
    const caller = await startCaller();
    const id = caller.control({ command: 'fault', match: { method: 'post', path: 'setCurve$' }, status: 500 });
    caller.control({ command: 'fault', match: { path: '/idp/v2/token' }, kind: 'identity_error' });
    caller.control({ command: 'fault', match: { path: 'modes' }, status: 501, times: 2 });
    expect((await read(caller)).status).toBe(200);
    expect((await set(caller, 1)).status).toBe(500);
    expect((await caller.send('/idp/v2/token', { method: 'POST' })).status).toBe(500);
    const modes = caller.path('0', 'heating.dhw.operating.modes.active');
    expect([(await caller.get(modes)).status, (await caller.get(modes)).status, (await caller.get(modes)).status]).toEqual([501, 501, 200]);
    expect(caller.control({ command: 'clear', id })).toEqual({ cleared: 1 });
    expect((await set(caller, 1)).status).toBe(200);
    expect(caller.control({ command: 'clear' })).toEqual({ cleared: 1 });
    expect((await caller.send('/idp/v2/token', { method: 'POST' })).status).toBe(400);
  });

  test.each([
    { kind: 'unheard_of' },
    { kind: '__proto__' },
    { status: 99 },
    { status: 200.5 },
    { cut: 'somewhere' },
    { match: { path: '(' } },
    { times: 0 },
    { padBytes: -1 },
    { padBytes: 1e9 },
    { delayMs: -1 },
    { status: 200, headers: { 'x\ny': '1' } },
    { headers: { 'x-y': '1' } },
    { status: 200, contentType: 'a\r\nb' },
    { statsu: 500 },
  ])('%o is refused', async (fault) => {
    const caller = await startCaller();
    expect(() => caller.control({ command: 'fault', ...fault })).toThrow(/\.$/);
    expect((await read(caller)).status).toBe(200);
  });
});

describe('connections', () => {
  test.each([
    ['before', 0, 0],
    ['headers', 5, 200],
    ['middle', 5, 200],
    ['after_effect', 5, 0],
  ])('cut %s', async (cut, shift, status) => {
    const caller = await startCaller();
    caller.control({ command: 'fault', cut, times: 1 });
    await expect(set(caller, 5)).rejects.toThrow();
    expect(caller.calls().map((call) => call.status)).toEqual([status]);
    expect(await caller.values(CURVE)).toMatchObject({ shift });
  });

  test('cut in the middle leaves half of the body', async () => {
    const caller = await startCaller();
    const whole = (await read(caller)).text;
    caller.control({ command: 'fault', cut: 'middle', times: 1 });
    const { access_token } = caller.issueTokens();
    const response = await fetch(`${caller.url}${caller.path('0', CURVE)}`, { headers: { authorization: `Bearer ${access_token}` } });
    const got: Uint8Array[] = [];
    await expect(
      (async () => {
        for await (const chunk of response.body ?? []) got.push(chunk);
      })(),
    ).rejects.toThrow();
    expect(Buffer.concat(got).toString()).toBe(whole.slice(0, Math.floor(whole.length / 2)));
  });

  test.each([
    ['hang_middle', (whole: string) => Math.floor(Buffer.byteLength(whole) / 2)],
    ['trickle', () => 1],
  ])('%s: the body begins, and does not end', async (kind, begun) => {
    const caller = await startCaller();
    const whole = (await read(caller)).text;
    caller.control({ command: 'fault', kind });
    const { access_token } = caller.issueTokens();
    const response = await fetch(`${caller.url}${caller.path('0', CURVE)}`, { headers: { authorization: `Bearer ${access_token}` } });
    expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(whole)));
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value?.length).toBe(begun(whole));
    const more = reader?.read();
    await caller.close();
    await expect(more).rejects.toThrow();
  });

  test('token_hang: the token endpoint does not answer, the rest does', async () => {
    const caller = await startCaller();
    caller.control({ command: 'fault', kind: 'token_hang' });
    const waiting = caller.send('/idp/v3/token', { method: 'POST' });
    while (caller.calls().every(({ method }) => method !== 'POST')) await read(caller);
    await caller.close();
    await expect(waiting).rejects.toThrow();
  });

  const posts = (caller: Caller): number => caller.calls().filter(({ method }) => method === 'POST').length;

  test.each([{ hang: true }, { delayMs: 3_600_000 }])('%o: others are served meanwhile, and the end ends it', async (fault) => {
    const caller = await startCaller();
    caller.control({ command: 'fault', match: { method: 'POST' }, ...fault });
    const waiting = set(caller, 5).then(
      () => 'answered',
      () => 'ended',
    );
    while (posts(caller) === 0) await read(caller);
    expect((await read(caller)).status).toBe(200);
    await caller.close();
    expect(await waiting).toBe('ended');
  });

  test('a delayed answer comes in the end, with its effect', async () => {
    const caller = await startCaller();
    caller.control({ command: 'fault', delayMs: 20, times: 1 });
    expect((await set(caller, 5)).status).toBe(200);
    expect(await caller.values(CURVE)).toMatchObject({ shift: 5 });
  });

  test('a command that hangs has no effect', async () => {
    const caller = await startCaller();
    caller.control({ command: 'fault', match: { method: 'POST' }, hang: true });
    const abort = new AbortController();
    const { access_token } = caller.issueTokens();
    const hung = fetch(`${caller.url}${caller.path('0', CURVE, 'setCurve')}`, {
      method: 'POST',
      body: '{"shift":5,"slope":1}',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      signal: abort.signal,
    }).catch(() => 'aborted');
    while (posts(caller) === 0) await read(caller);
    expect(await caller.values(CURVE)).toMatchObject({ shift: 0 });
    abort.abort();
    expect(await hung).toBe('aborted');
  });

  test('a slow body is whole in the end', async () => {
    const caller = await startCaller();
    caller.control({ command: 'fault', status: 200, body: { data: [] }, slowMsPerByte: 1, times: 1 });
    expect((await read(caller)).body).toEqual({ data: [] });
  });
});

describe('the state changes by itself', () => {
  test('a value is set and stays; a sensor is pulled out and put in', async () => {
    let now = NOW;
    const caller = await startCaller({ now: () => now });
    const outside = 'heating.sensors.temperature.outside';
    caller.control({ command: 'set', feature: outside, property: 'value', value: -17.5 });
    now += 1_800_000;
    expect(await caller.values(outside)).toEqual({ status: 'connected', value: -17.5 });
    caller.control({ command: 'remove_value', feature: outside });
    const { body } = await caller.get(caller.path('0', outside));
    expect(at(body, 'properties')).toEqual({
      status: { type: 'string', value: 'notConnected' },
      value: { type: 'number', unit: 'celsius' },
    });
    caller.control({ command: 'set', feature: outside, value: 4 });
    expect(await caller.values(outside)).toEqual({ status: 'connected', value: 4 });
    caller.control({ command: 'live', on: true });
    now += 60_000;
    expect(await caller.values(outside)).not.toEqual({ status: 'connected', value: 4 });
  });

  test('a feature disappears, comes back, and is disabled', async () => {
    const caller = await startCaller();
    caller.control({ command: 'remove_feature', feature: CURVE, device: '0' });
    expect((await read(caller)).body).toMatchObject({ errorType: 'FEATURE_NOT_FOUND' });
    expect((await caller.get(caller.path('0'))).text).not.toContain(`"${CURVE}"`);
    caller.control({ command: 'restore_feature', feature: CURVE });
    expect(await caller.values(CURVE)).toMatchObject({ shift: 0 });
    caller.control({ command: 'disable_feature', feature: CURVE });
    const { body } = await read(caller);
    expect([at(body, 'isEnabled'), at(body, 'properties'), at(body, 'commands')]).toEqual([false, {}, {}]);
  });
});
