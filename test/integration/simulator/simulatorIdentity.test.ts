import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { at, type Caller, type Seen, startCaller } from './simulatorCaller.ts';

const VERIFIER = 'a-verifier_that~is.long-enough-for-the-rule-of-RFC7636';
const S256 = createHash('sha256').update(VERIFIER).digest('base64url');
const REDIRECT = 'http://localhost:4200/';
const QUERY = {
  client_id: 'heating2mqtt-demo',
  redirect_uri: REDIRECT,
  response_type: 'code',
  code_challenge: S256,
  code_challenge_method: 'S256',
  scope: 'IoT User',
};

type Fields = Readonly<Record<string, string>>;

const authorizePath = (fields: Fields): string => `/idp/v2/authorize?${new URLSearchParams(fields)}`;

const login = (
  caller: Caller,
  fields: Fields = {},
  form: Fields = { username: 'anna', password: 'secret', action: 'allow' },
): Promise<Seen> => caller.send(authorizePath({ ...QUERY, ...fields }), { method: 'POST', body: new URLSearchParams(form) });

const codeOf = (seen: Seen): string => new URL(seen.headers.get('location') ?? '').searchParams.get('code') ?? '';

const exchange = (caller: Caller, fields: Fields): Promise<Seen> =>
  caller.send('/idp/v2/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: QUERY.client_id,
      redirect_uri: REDIRECT,
      code_verifier: VERIFIER,
      ...fields,
    }),
  });

describe('authorize', () => {
  test('shows a login form with the captcha’s place', async () => {
    const caller = await startCaller();
    const seen = await caller.send(authorizePath(QUERY), {});
    expect([seen.status, seen.type]).toEqual([200, 'text/html;charset=utf-8']);
    expect(seen.text).toMatch(/<form method="post">[\s\S]*name="username"[\s\S]*name="password"[\s\S]*captcha[\s\S]*value="deny"/);
  });

  test('sends a logged-in user back with a code and the state, in Location and in the body', async () => {
    const caller = await startCaller();
    const seen = await login(caller, { state: 'a b&c' });
    const location = seen.headers.get('location') ?? '';
    expect(seen.status).toBe(302);
    expect(location).toMatch(/^http:\/\/localhost:4200\/\?code=[\w-]+&state=a\+b%26c$/);
    expect(seen.text).toContain(`href="${location.replace('&', '&#38;')}"`);
    expect((await login(caller)).headers.get('location')).not.toContain('state');
  });

  test('puts one slash behind a registered address without one', async () => {
    const caller = await startCaller({ redirectUris: ['http://localhost:4200', 'http://localhost:4200/back'] });
    const where = async (redirect_uri: string) => (await login(caller, { redirect_uri })).headers.get('location');
    expect(await where('http://localhost:4200')).toMatch(/^http:\/\/localhost:4200\/\?code=/);
    expect(await where('http://localhost:4200/back')).toMatch(/^http:\/\/localhost:4200\/back\/\?code=/);
  });

  test.each(['GET', 'POST'])('HTTP Basic gives the code without a form (%s); a wrong or empty password the form', async (method) => {
    const caller = await startCaller();
    const ask = (credentials: string, redirect_uri: string) =>
      caller.send(authorizePath({ ...QUERY, redirect_uri }), {
        method,
        headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      });
    const seen = await ask('anna:se:cret ä', 'vicare://oauth-callback/everest');
    expect([seen.status, seen.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^vicare:\/\/oauth-callback\/everest\/\?code=/),
    ]);
    for (const wrong of ['anna:wrong', 'anna:', 'anna', ':secret']) {
      const refused = await ask(wrong, REDIRECT);
      expect([refused.status, refused.type, refused.headers.get('location')], wrong).toEqual([200, 'text/html;charset=utf-8', null]);
    }
    const form = await login(caller, {}, { username: 'anna', password: 'wrong' });
    expect([form.status, form.headers.get('location')]).toEqual([200, null]);
  });

  test('a denied login comes back as access_denied, an empty one gets the form again', async () => {
    const caller = await startCaller();
    const denied = await login(caller, { state: 's' }, { action: 'deny' });
    expect(denied.headers.get('location')).toBe('http://localhost:4200/?error=access_denied&state=s');
    const empty = await login(caller, {}, { username: 'anna', password: '' });
    expect([empty.status, empty.headers.get('location')]).toEqual([200, null]);
  });

  test.each([
    ['client_id', 'someone', 'invalid_client', 'Client not registered.'],
    ['client_id', '', 'invalid_request', 'Invalid request: Missing or empty client_id parameter'],
    ['redirect_uri', 'http://localhost:4200', 'invalid_request', 'Invalid redirection URI.'],
    ['redirect_uri', 'http://evil.example/', 'invalid_request', 'Invalid redirection URI.'],
    ['response_type', '', 'invalid_request', 'Invalid request: Missing or empty response_type parameter'],
    ['code_challenge', '', 'invalid_request', 'Invalid request: Missing or empty code_challenge parameter'],
    ['scope', '', 'invalid_request', 'Invalid request: Missing or empty scope parameter'],
  ])('%s=%s is refused without a redirect', async (name, value, error, error_description) => {
    const caller = await startCaller();
    for (const seen of [await caller.send(authorizePath({ ...QUERY, [name]: value }), {}), await login(caller, { [name]: value })]) {
      expect(seen.status).toBe(400);
      expect(seen.body).toEqual({ error, error_description });
    }
  });

  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'IoT Everything' }, 'invalid_scope'],
    [{ code_challenge_method: 'S512' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
  ])('%o is refused by redirect', async (fields, error) => {
    const caller = await startCaller();
    const seen = await caller.send(authorizePath({ ...QUERY, ...fields }), {});
    expect([seen.status, seen.headers.get('location')]).toEqual([302, `http://localhost:4200/?error=${error}`]);
  });

  test('a parameter given twice is refused', async () => {
    const caller = await startCaller();
    const seen = await caller.send(`${authorizePath(QUERY)}&scope=IoT`, {});
    expect(at(seen.body, 'error')).toBe('invalid_request');
  });
});

describe('token', () => {
  test.each([
    ['S256', { code_challenge: S256, code_challenge_method: 'S256' }],
    ['plain', { code_challenge: VERIFIER, code_challenge_method: 'plain' }],
  ])('a code and its verifier (%s) become a token that the API takes', async (_method, fields) => {
    const caller = await startCaller();
    const seen = await exchange(caller, { code: codeOf(await login(caller, fields)) });
    expect([seen.status, seen.type]).toEqual([200, 'application/json']);
    expect(seen.body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 });
    const authorization = `Bearer ${at(seen.body, 'access_token')}`;
    expect((await caller.get('/users/v1/users/me?sections=identity', { authorization })).status).toBe(200);
  });

  test('no method means plain', async () => {
    const caller = await startCaller();
    const { code_challenge_method: _none, ...query } = { ...QUERY, code_challenge: VERIFIER };
    const form = new URLSearchParams({ username: 'a', password: 'b' });
    const seen = await caller.send(authorizePath(query), { method: 'POST', body: form });
    expect((await exchange(caller, { code: codeOf(seen) })).status).toBe(200);
  });

  test('a code works once and for 20 seconds', async () => {
    let now = 5_000_000;
    const caller = await startCaller({ now: () => now });
    const tooOld = { error: 'invalid_request', error_description: 'Invalid request: Missing or empty code parameter' };
    const first = codeOf(await login(caller));
    now += 20_000;
    expect((await exchange(caller, { code: first })).status).toBe(200);
    expect((await exchange(caller, { code: first })).body).toEqual(tooOld);
    const second = codeOf(await login(caller));
    now += 20_001;
    expect((await exchange(caller, { code: second })).body).toEqual(tooOld);
  });

  test.each([
    [{ code_verifier: `${VERIFIER}x` }, 'invalid_grant', 'Invalid code verifier.'],
    [{ code_verifier: S256 }, 'invalid_grant', 'Invalid code verifier.'],
    [{ code_verifier: 'short' }, 'invalid_request', expect.stringContaining('43 to 128')],
    [{ code_verifier: '' }, 'invalid_request', 'Invalid request: Missing or empty code_verifier parameter'],
    [{ code: '' }, 'invalid_request', 'Invalid request: Missing or empty code parameter'],
    [{ code: 'guessed' }, 'invalid_request', 'Invalid request: Missing or empty code parameter'],
    [{ redirect_uri: 'http://localhost:4200' }, 'invalid_request', 'Invalid redirection URI.'],
    [{ client_id: 'someone' }, 'invalid_client', 'Client not registered.'],
    [{ grant_type: 'password' }, 'unsupported_grant_type', expect.any(String)],
    [{ grant_type: '' }, 'invalid_request', 'Invalid request: Missing or empty grant_type parameter'],
  ])('%o is refused', async (fields, error, error_description) => {
    const caller = await startCaller();
    const seen = await exchange(caller, { code: codeOf(await login(caller)), ...fields });
    expect(seen.status).toBe(400);
    expect(seen.body).toEqual({ error, error_description });
  });

  test('only a form by POST is taken', async () => {
    const caller = await startCaller();
    const form = { grant_type: 'authorization_code', client_id: QUERY.client_id, redirect_uri: REDIRECT, code_verifier: VERIFIER };
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify({ ...form, code: codeOf(await login(caller)) });
    expect(at((await caller.send('/idp/v2/token', { ...json, body })).body, 'error')).toBe('invalid_request');
    const fields = new URLSearchParams({ ...form, code: codeOf(await login(caller)) });
    const plain = await caller.send('/idp/v2/token', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: String(fields) });
    expect([plain.status, at(plain.body, 'error')]).toEqual([400, 'invalid_request']);
    const query = `/idp/v2/token?${new URLSearchParams({ ...form, code: codeOf(await login(caller)) })}`;
    expect((await caller.send(query, {})).status).toBe(400);
    expect((await caller.send(query, { method: 'POST' })).status).toBe(400);
  });

  test('the life of the token is an option', async () => {
    const caller = await startCaller({ tokenLifetimeS: 7 });
    expect(caller.issueTokens()).toMatchObject({ expires_in: 7 });
  });
});

describe('refresh', () => {
  const refresh = (caller: Caller, refresh_token: unknown): Promise<Seen> =>
    exchange(caller, { grant_type: 'refresh_token', refresh_token: String(refresh_token) });
  const refused = { error: 'invalid_grant', error_description: expect.any(String) };

  test('comes only with offline_access, and keeps its token by default', async () => {
    const caller = await startCaller();
    const seen = await exchange(caller, { code: codeOf(await login(caller, { scope: 'IoT User offline_access' })) });
    const token = at(seen.body, 'refresh_token');
    const renewed = await refresh(caller, token);
    expect(renewed.body).toEqual({ access_token: expect.any(String), refresh_token: token, token_type: 'Bearer', expires_in: 3600 });
    expect(at(renewed.body, 'access_token')).not.toBe(at(seen.body, 'access_token'));
    expect((await refresh(caller, token)).status).toBe(200);
    expect(caller.issueTokens('IoT User').refresh_token).toBeUndefined();
  });

  test('rotated: the new one works, the old one does not', async () => {
    const caller = await startCaller({ rotateRefreshTokens: true });
    const { refresh_token } = caller.issueTokens();
    const next = at((await refresh(caller, refresh_token)).body, 'refresh_token');
    expect(next).not.toBe(refresh_token);
    expect((await refresh(caller, refresh_token)).body).toEqual(refused);
    expect((await refresh(caller, next)).status).toBe(200);
  });

  test('lives for 180 days', async () => {
    let now = 0;
    const caller = await startCaller({ now: () => now });
    const { refresh_token } = caller.issueTokens();
    now = 180 * 86_400_000;
    expect((await refresh(caller, refresh_token)).status).toBe(200);
    now += 1;
    expect((await refresh(caller, refresh_token)).body).toEqual(refused);
  });

  test('tokens can be ended from outside', async () => {
    const caller = await startCaller();
    const { access_token, refresh_token } = caller.issueTokens();
    caller.control({ command: 'expire_tokens' });
    expect((await caller.get(caller.path(), { authorization: `Bearer ${access_token}` })).body).toMatchObject({ error: 'EXPIRED TOKEN' });
    expect((await refresh(caller, refresh_token)).status).toBe(200);
    caller.control({ command: 'revoke_refresh_tokens' });
    expect((await refresh(caller, refresh_token)).body).toEqual(refused);
    expect((await refresh(caller, '')).body).toMatchObject({ error: 'invalid_request' });
  });

  test('the registered client can be changed while it runs', async () => {
    const caller = await startCaller();
    caller.control({ command: 'client', clientId: 'other', redirectUris: ['http://127.0.0.1:9/'] });
    expect((await login(caller, { client_id: 'other', redirect_uri: 'http://127.0.0.1:9/' })).status).toBe(302);
    expect((await login(caller)).status).toBe(400);
  });
});
