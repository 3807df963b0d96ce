import { expect, test } from 'vitest';
import { type Caller, startCaller } from './simulatorCaller.ts';

const CURVE = 'heating.circuits.0.heating.curve';
const NOW = Date.UTC(2026, 10, 21, 12);

const set = (caller: Caller, shift: number) => caller.post(caller.path('0', CURVE, 'setCurve'), { shift, slope: 1 });
const read = (caller: Caller) => caller.get(caller.path('0', CURVE));
const posts = (caller: Caller): number => caller.calls().filter(({ method }) => method === 'POST').length;
const limited = (payload: object) => ({ errorType: 'RATE_LIMIT_EXCEEDED', extendedPayload: payload });
const offline = (reason: string) => ({ errorType: 'DEVICE_COMMUNICATION_ERROR', extendedPayload: { code: '404', reason } });

test.each<[string, number, RegExp | object]>([
  ['html502', 502, /^<html>/],
  ['html503', 503, /^<html>/],
  ['html200', 200, /^<html>/],
  ['rate_limited', 429, limited({ limitReset: NOW + 60_000, requestCountLimit: 1450 })],
  ['rate_limited_10_minutes', 429, limited({ limitReset: NOW + 60_000, requestCountLimit: 120 })],
  ['rate_limited_bare', 429, limited(expect.not.objectContaining({ limitReset: expect.anything() }))],
  ['gateway_offline', 400, offline('GATEWAY_OFFLINE')],
  ['device_offline', 400, offline('DEVICE_OFFLINE')],
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
  ['no_data', 200, /^\{\}$/],
  ['null_data', 200, { data: null }],
  ['empty', 200, /^$/],
  ['empty_list', 200, { data: [] }],
  ['expired_token', 401, { error: 'EXPIRED TOKEN', errorType: 'UNAUTHORIZED' }],
  ['expired_token_bare', 401, { error: 'EXPIRED TOKEN' }],
  ['identity_error', 500, { error: 'server_error' }],
  ['invalid_grant', 400, { error: 'invalid_grant' }],
  ['invalid_client', 400, { error: 'invalid_client' }],
])('%s answers once as the table says, and then the platform is well again', async (kind, status, body) => {
  const caller = await startCaller({ now: () => NOW });
  caller.control({ command: 'fault', kind, times: 1 });
  const seen = await read(caller);
  expect(seen.status).toBe(status);
  if (body instanceof RegExp) expect(seen.text).toMatch(body);
  else expect(seen.body).toMatchObject(body);
  expect((await read(caller)).status).toBe(200);
});

test('large is the true answer in 3 MB, huge more than 8 MB of JSON, token_down meets the token endpoint alone', async () => {
  const caller = await startCaller();
  const { body } = await read(caller);
  caller.control({ command: 'fault', kind: 'large', times: 1 });
  const large = await read(caller);
  expect([Buffer.byteLength(large.text), large.body]).toEqual([3 * 1024 * 1024, body]);
  caller.control({ command: 'fault', kind: 'huge', times: 1 });
  const huge = await read(caller);
  expect([huge.text.length > 8 * 1024 * 1024, huge.body]).toEqual([true, expect.anything()]);
  caller.control({ command: 'fault', kind: 'token_down' });
  expect((await caller.send('/idp/v3/token', { method: 'POST' })).status).toBe(503);
  expect((await read(caller)).status).toBe(200);
});

test('faults of one’s own: answer, match by method and path, times, clear one and all', async () => {
  const caller = await startCaller();
  const own = { status: 418, body: 'short', contentType: 'text/plain', headers: { 'Retry-After': '7' }, slowMsPerByte: 1, delayMs: 5 };
  caller.control({ command: 'fault', times: 1, ...own });
  const { status: given, text, headers } = await read(caller);
  expect([given, text, headers.get('content-type'), headers.get('retry-after')]).toEqual([418, 'short', 'text/plain', '7']);
  const id = caller.control({ command: 'fault', match: { method: 'post', path: 'setCurve$' }, status: 500 });
  caller.control({ command: 'fault', match: { path: 'modes' }, status: 501, times: 2 });
  const modes = caller.path('0', 'heating.dhw.operating.modes.active');
  const answers = [read(caller), set(caller, 1), caller.get(modes), caller.get(modes)];
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 500, 501, 501]);
  expect((await caller.get(modes)).status).toBe(200);
  expect(caller.control({ command: 'clear', id })).toEqual({ cleared: 1 });
  expect((await set(caller, 1)).status).toBe(200);
  expect(caller.control({ command: 'clear' })).toEqual({ cleared: 0 });
  const wrong = [{ kind: '__proto__' }, { status: 99 }, { cut: 'somewhere' }, { match: { path: '(' } }, { times: 0 }, { padBytes: 1e9 }];
  for (const fault of [...wrong, { status: 200, headers: { 'x\ny': '1' } }, { status: 200, contentType: 'a\r\nb' }, { statsu: 500 }])
    expect(() => caller.control({ command: 'fault', ...fault })).toThrow(/\.$/);
});

test.each([
  [{ kind: 'success_false' }, 200, 0],
  [{ kind: 'rebooting' }, 202, 5],
  [{ kind: 'timeout504', execute: true }, 504, 5],
  [{ kind: 'cut_before' }, undefined, 0],
  [{ kind: 'cut_headers' }, undefined, 5],
  [{ kind: 'cut_middle' }, undefined, 5],
  [{ kind: 'cut_after_effect' }, undefined, 5],
])('a command meets %o: its status %s, or none where the connection breaks, and then the shift is %i', async (fault, status, shift) => {
  const caller = await startCaller();
  caller.control({ command: 'fault', times: 1, ...fault });
  const seen = await set(caller, 5).catch(() => undefined);
  expect([seen?.status, await caller.values(CURVE)]).toMatchObject([status, { shift }]);
});

test.each([
  ['hang_middle', (whole: string) => Math.floor(Buffer.byteLength(whole) / 2)],
  ['trickle', () => 1],
])('%s: the body begins, and does not end', async (kind, begun) => {
  const caller = await startCaller();
  const whole = (await read(caller)).text;
  caller.control({ command: 'fault', kind });
  const headers = { authorization: `Bearer ${caller.issueTokens().access_token}` };
  const response = await fetch(`${caller.url}${caller.path('0', CURVE)}`, { headers });
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(whole)));
  const reader = response.body?.getReader();
  expect((await reader?.read())?.value?.length).toBe(begun(whole));
  const more = reader?.read();
  await caller.close();
  await expect(more).rejects.toThrow();
});

test.each([
  ['hang', { kind: 'hang', match: { method: 'POST' } }, 0],
  ['an answer that is late', { delayMs: 3_600_000, match: { method: 'POST' } }, 5],
  ['token_hang', { kind: 'token_hang' }, 0],
])('%s: others are served meanwhile, and the end of the simulator ends it', async (what, fault, shift) => {
  const caller = await startCaller();
  caller.control({ command: 'fault', ...fault });
  const request = what === 'token_hang' ? caller.send('/idp/v3/token', { method: 'POST' }) : set(caller, 5);
  const ended = expect(request).rejects.toThrow();
  while (posts(caller) === 0) await read(caller);
  const values = await caller.values(CURVE);
  await caller.close();
  await ended;
  expect(values).toMatchObject({ shift });
});
