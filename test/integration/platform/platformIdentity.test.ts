import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { type IdentityService, identityService } from '../../../src/platform/auth/identityService.ts';

/** An identity service that answers every token request with this body. */
const answering = async (body: object, status = 200, headers: object = {}): Promise<IdentityService> => {
  const server = createServer((_, response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const service = identityService(
    {
      profile: 'v1',
      auth_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      client_id: 'a-client',
      redirect_uri: 'http://localhost:4200/',
      scope: 'openid',
      timeout_s: 5,
    },
    { now: () => 0 },
  );
  onTestFinished(() => service.close());
  return service;
};

const TOKENS = { access_token: 'secret-1', refresh_token: 'secret-2', token_type: 'Bearer', expires_in: 3600 };

it('takes an answer that also names the service and holds an ID token, as with scope openid', async () => {
  const service = await answering({ ...TOKENS, id_token: 'a.b.c', scope: 'openid' });
  const start = await service.begin();
  const returned = new URLSearchParams({ code: '1', state: start.state, iss: 'https://another.name.example' });
  expect(await service.exchange(start, returned)).toMatchObject({
    access_token: 'secret-1',
    refresh_token: 'secret-2',
    expires_at: 3_600_000,
    scope: 'openid',
  });
});

it('takes an hour where the answer does not say how long, and a number written as text', async () => {
  const { expires_in: _, ...silent } = TOKENS;
  expect((await (await answering(silent)).refresh('r')).expires_at).toBe(3_600_000);
  expect((await (await answering({ ...TOKENS, expires_in: '60' })).refresh('r')).expires_at).toBe(60_000);
});

it.each([
  ['no type', { token_type: undefined }],
  ['another type', { token_type: 'mac' }],
  ['no token', { access_token: undefined, refresh_token: 'secret-2' }],
  ['a token of another type', { access_token: 7 }],
  ['a token that no header can hold', { access_token: 'secret-1\nx' }],
])('an answer with %s may be tried again, and shows no token, not even in its cause', async (_, changes) => {
  const service = await answering({ ...TOKENS, ...changes });
  const error = await service.refresh('secret-0').catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'identity_unavailable', message: expect.stringContaining('contains no tokens') });
  expect(inspect(error, { depth: 9 })).not.toMatch(/secret-\d/);
});

it.each([
  [503, 'The identity service does not work now (HTTP 503); try again in some minutes.'],
  [404, expect.stringMatching(/^The answer of the identity service .*\(HTTP 404\)\. Check platform\.auth_url;/)],
])('a refusal without a reason (%i) names the settings only if they may be wrong', async (status, message) => {
  const service = await answering({}, status);
  await expect(service.refresh('secret-0')).rejects.toMatchObject({ code: 'identity_unavailable', message });
});

it.each([302, 307])('a redirect (%i) is not followed with a refresh token', async (status) => {
  let asked = 0;
  const elsewhere = createServer((_, response) => {
    asked += 1;
    response.end(JSON.stringify(TOKENS));
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void elsewhere.close());
  const service = await answering({}, status, { location: `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/` });
  await expect(service.refresh('secret-0')).rejects.toMatchObject({ code: 'identity_unavailable' });
  expect(asked).toBe(0);
});
