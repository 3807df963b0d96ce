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

const exchange = (caller: Caller, fields: Fields): Promise<Seen> => {
  const code = { grant_type: 'authorization_code', client_id: QUERY.client_id, redirect_uri: REDIRECT, code_verifier: VERIFIER };
  return caller.send('/idp/v2/token', { method: 'POST', body: new URLSearchParams({ ...code, ...fields }) });
};

const refresh = (caller: Caller, refresh_token: unknown): Promise<Seen> =>
  exchange(caller, { grant_type: 'refresh_token', refresh_token: String(refresh_token) });

const missing = (name: string) => `Invalid request: Missing or empty ${name} parameter`;

describe('authorize', () => {
  test('shows a login form, and sends a logged-in user back with a code and the state', async () => {
    const caller = await startCaller();
    const form = await caller.send(authorizePath(QUERY), {});
    expect(form.text).toMatch(/<form method="post">[\s\S]*name="username"[\s\S]*name="password"[\s\S]*captcha[\s\S]*value="deny"/);
    const seen = await login(caller, { state: 'a b&c' });
    expect([seen.status, seen.headers.get('location')]).toEqual([
      302,
      expect.stringMatching(/^http:\/\/localhost:4200\/\?code=[\w-]+&state=a\+b%26c$/),
    ]);
  });

  test('a denied login comes back as access_denied, an empty or wrong one gets the form again', async () => {
    const caller = await startCaller();
    const denied = await login(caller, { state: 's' }, { action: 'deny' });
    expect(denied.headers.get('location')).toBe('http://localhost:4200/?error=access_denied&state=s');
    for (const password of ['', 'wrong']) {
      const { status, headers } = await login(caller, {}, { username: 'anna', password });
      expect([status, headers.get('location')]).toEqual([200, null]);
    }
  });

  test('HTTP Basic gives the code without a form; a wrong or empty password the form', async () => {
    const caller = await startCaller();
    const ask = async (credentials: string) => {
      const headers = { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
      const redirect_uri = 'vicare://oauth-callback/everest';
      const seen = await caller.send(authorizePath({ ...QUERY, redirect_uri }), { method: 'POST', headers });
      return [seen.status, seen.headers.get('location')];
    };
    expect(await ask('anna:se:cret ä')).toEqual([302, expect.stringMatching(/^vicare:\/\/oauth-callback\/everest\/\?code=/)]);
    for (const wrong of ['anna:wrong', 'anna:', ':secret']) expect(await ask(wrong)).toEqual([200, null]);
  });

  test.each([
    [{ client_id: 'someone' }, 'invalid_client', 'Client not registered.'],
    [{ client_id: '' }, 'invalid_request', missing('client_id')],
    [{ redirect_uri: 'http://localhost:4200' }, 'invalid_request', 'Invalid redirection URI.'],
    [{ code_challenge: '' }, 'invalid_request', missing('code_challenge')],
  ])('%o is refused without a redirect', async (fields, error, error_description) => {
    const caller = await startCaller();
    const seen = await login(caller, fields);
    expect([seen.status, seen.body]).toEqual([400, { error, error_description }]);
  });

  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: 'IoT Everything' }, 'invalid_scope'],
    [{ code_challenge: 'short' }, 'invalid_request'],
  ])('%o is refused by redirect', async (fields, error) => {
    const caller = await startCaller();
    const seen = await caller.send(authorizePath({ ...QUERY, ...fields }), {});
    expect([seen.status, seen.headers.get('location')]).toEqual([302, `http://localhost:4200/?error=${error}`]);
  });
});

describe('token', () => {
  test('a code and its verifier become a token that the API takes, once and for 20 seconds', async () => {
    let now = 5_000_000;
    const caller = await startCaller({ now: () => now });
    const [first, second] = [codeOf(await login(caller)), codeOf(await login(caller))];
    now += 20_000;
    const { status, body } = await exchange(caller, { code: first });
    expect([status, body]).toEqual([200, { access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 }]);
    const authorization = `Bearer ${at(body, 'access_token')}`;
    expect((await caller.get('/users/v1/users/me?sections=identity', { authorization })).status).toBe(200);
    now += 1;
    for (const code of [first, second]) expect(at((await exchange(caller, { code })).body, 'error_description')).toBe(missing('code'));
  });

  test.each([
    [{ code_verifier: `${VERIFIER}x` }, 'invalid_grant', 'Invalid code verifier.'],
    [{ code: 'guessed' }, 'invalid_request', missing('code')],
    [{ redirect_uri: 'http://localhost:4200' }, 'invalid_request', 'Invalid redirection URI.'],
    [{ client_id: 'someone' }, 'invalid_client', 'Client not registered.'],
    [{ grant_type: 'password' }, 'unsupported_grant_type', expect.any(String)],
  ])('%o is refused', async (fields, error, error_description) => {
    const caller = await startCaller();
    const seen = await exchange(caller, { code: codeOf(await login(caller)), ...fields });
    expect([seen.status, seen.body]).toEqual([400, { error, error_description }]);
  });

  test('a refresh token comes with offline_access alone, lives for 180 days, is rotated where that is chosen, and can be revoked', async () => {
    let now = 0;
    const refused = { error: 'invalid_grant', error_description: expect.any(String) };
    const caller = await startCaller({ now: () => now });
    expect(caller.issueTokens('IoT User').refresh_token).toBeUndefined();
    const { body } = await exchange(caller, { code: codeOf(await login(caller, { scope: 'IoT User offline_access' })) });
    const token = at(body, 'refresh_token');
    now = 180 * 86_400_000;
    expect((await refresh(caller, token)).body).toMatchObject({ refresh_token: token, expires_in: 3600 });
    now += 1;
    expect((await refresh(caller, token)).body).toEqual(refused);
    const rotating = await startCaller({ rotateRefreshTokens: true });
    const { refresh_token } = rotating.issueTokens();
    const next = at((await refresh(rotating, refresh_token)).body, 'refresh_token');
    expect((await refresh(rotating, refresh_token)).body).toEqual(refused);
    expect((await refresh(rotating, next)).status).toBe(200);
    rotating.control({ command: 'revoke_refresh_tokens' });
    expect((await refresh(rotating, next)).body).toEqual(refused);
  });

  test('another client can be registered while it runs', async () => {
    const caller = await startCaller();
    caller.control({ command: 'client', clientId: 'other', redirectUris: ['http://127.0.0.1:9/'] });
    expect((await login(caller, { client_id: 'other', redirect_uri: 'http://127.0.0.1:9/' })).status).toBe(302);
    expect((await login(caller)).status).toBe(400);
  });
});
