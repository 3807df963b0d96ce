import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { at, type Caller, type Seen, startCaller } from './simulatorCaller.ts';

const VERIFIER = 'a-verifier_that~is.long-enough-for-the-rule-of-RFC7636';
const REDIRECT = 'http://localhost:4200/';
const QUERY = {
  client_id: 'heating2mqtt-demo',
  redirect_uri: REDIRECT,
  response_type: 'code',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
  scope: 'IoT User',
};
const ANNA = { username: 'anna', password: 'secret', action: 'allow' };

type Fields = Readonly<Record<string, string>>;

const login = (caller: Caller, fields: Fields = {}, form: Fields = ANNA): Promise<Seen> =>
  caller.send(`/idp/v2/authorize?${new URLSearchParams({ ...QUERY, ...fields })}`, { method: 'POST', body: new URLSearchParams(form) });

const codeOf = (seen: Seen): string => new URL(seen.headers.get('location') ?? '').searchParams.get('code') ?? '';

const exchange = (caller: Caller, fields: Fields): Promise<Seen> => {
  const code = { grant_type: 'authorization_code', client_id: QUERY.client_id, redirect_uri: REDIRECT, code_verifier: VERIFIER };
  return caller.send('/idp/v2/token', { method: 'POST', body: new URLSearchParams({ ...code, ...fields }) });
};

const refresh = (caller: Caller, refresh_token: unknown): Promise<Seen> =>
  exchange(caller, { grant_type: 'refresh_token', refresh_token: String(refresh_token) });

const missing = (name: string) => `Invalid request: Missing or empty ${name} parameter`;

test.each([
  [{ client_id: 'someone' }, 'invalid_client', 'Client not registered.'],
  [{ client_id: '' }, 'invalid_request', missing('client_id')],
  [{ redirect_uri: 'http://localhost:4200' }, 'invalid_request', 'Invalid redirection URI.'],
  [{ code_challenge: '' }, 'invalid_request', missing('code_challenge')],
])('a login with %o is refused without a redirect', async (fields, error, error_description) => {
  const seen = await login(await startCaller(), fields);
  expect([seen.status, seen.body]).toEqual([400, { error, error_description }]);
});

test.each([
  [{ response_type: 'token' }, ANNA, 'unsupported_response_type'],
  [{ scope: 'IoT Everything' }, ANNA, 'invalid_scope'],
  [{ code_challenge: 'short' }, ANNA, 'invalid_request'],
  [{}, { action: 'deny' }, 'access_denied'],
])('a login with %o and the form %o is refused by redirect', async (fields, form, error) => {
  const seen = await login(await startCaller(), { ...fields, state: 's' }, form);
  expect([seen.status, seen.headers.get('location')]).toEqual([302, `http://localhost:4200/?error=${error}&state=s`]);
});

test.each([
  [{ code_verifier: `${VERIFIER}x` }, 'invalid_grant', 'Invalid code verifier.'],
  [{ code: 'guessed' }, 'invalid_request', missing('code')],
  [{ redirect_uri: 'http://localhost:4200' }, 'invalid_request', 'Invalid redirection URI.'],
  [{ client_id: 'someone' }, 'invalid_client', 'Client not registered.'],
  [{ grant_type: 'password' }, 'unsupported_grant_type', expect.any(String)],
])('an exchange with %o is refused', async (fields, error, error_description) => {
  const caller = await startCaller();
  const seen = await exchange(caller, { code: codeOf(await login(caller)), ...fields });
  expect([seen.status, seen.body]).toEqual([400, { error, error_description }]);
});

test('a wrong password gets the form again; a code is good once and for 20 seconds, its token for an hour and its scope', async () => {
  let now = 5_000_000;
  const caller = await startCaller({ now: () => now });
  expect((await login(caller, {}, { ...ANNA, password: 'wrong' })).text).toMatch(/name="username"[\s\S]*name="password"/);
  const [first, second] = [codeOf(await login(caller, { scope: 'IoT' })), codeOf(await login(caller))];
  now += 20_000;
  const { body } = await exchange(caller, { code: first });
  expect(body).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 3600 });
  const headers = { authorization: `Bearer ${at(body, 'access_token')}` };
  now += 1;
  for (const code of [first, second]) expect(at((await exchange(caller, { code })).body, 'error_description')).toBe(missing('code'));
  expect((await caller.get('/users/v1/users/me?sections=identity', headers)).body).toMatchObject({ statusCode: 403 });
  now += 3_599_998;
  expect((await caller.get(caller.path('0'), headers)).status).toBe(200);
  now += 1;
  expect((await caller.get(caller.path('0'), headers)).body).toMatchObject({ statusCode: 401, error: 'EXPIRED TOKEN' });
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
