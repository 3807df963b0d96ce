import { describe, expect, it, test } from 'vitest';
import { loginRefused, pageRefusal, renewalRefused } from '../../../src/platform/auth/refusal.ts';
import { pastedQuery, returnedQuery } from '../../../src/platform/auth/returnedQuery.ts';

const start = { address: '', state: 'our-state', code_verifier: '' };

describe('what comes back from the browser', () => {
  test.each([
    ['a code', 'code=1&state=our-state', true],
    ['a denial', 'error=access_denied&state=our-state', true],
    ['no code', 'state=our-state', false],
    ['an empty code', 'code=&state=our-state', false],
    ['another state', 'code=1&state=other', false],
    ['no state', 'code=1', false],
    ['nothing', '', false],
  ])('%s: is it the answer?', (_, query, expected) =>
    expect(returnedQuery(start, new URLSearchParams(query)) !== undefined).toBe(expected),
  );
});

describe('what is pasted', () => {
  test.each([
    ['http://localhost:4200/?code=a%2Bb&state=s', 'a+b'],
    ['  http://localhost:4200/?code=1&state=s#fragment ', '1'],
    ['localhost:4200/?code=1&state=s', '1'],
    ['"http://localhost:4200/?code=1"', '1'],
    ['<http://localhost:4200/?code=1>', '1'],
  ])('%s', (line, code) => expect(pastedQuery(line)?.get('code')).toBe(code));

  it('is no address without a query', () => {
    expect(pastedQuery('http://localhost:4200/')).toBeUndefined();
    expect(pastedQuery('abcdef')).toBeUndefined();
  });
});

const names = { client_id: 'my-client', redirect_uri: 'http://localhost:4200/' };

describe('each known refusal of a login says what to do, and by its word the page says it', () => {
  test.each([
    [
      'invalid_request',
      'Invalid redirection URI.',
      'redirect',
      /redirect URI http:\/\/localhost:4200\/\. Write platform\.redirect_uri exactly/,
    ],
    ['invalid_request', 'Invalid request: Missing or empty code parameter', 'invalid_grant', /older than 20 seconds/],
    ['invalid_grant', '', 'invalid_grant', /older than 20 seconds/],
    ['invalid_client', 'Client not registered.', 'invalid_client', /does not know the client my-client.*up to an hour/],
    ['invalid_request', 'Client not registered.', 'invalid_client', /up to an hour/],
    ['unauthorized_client', '', 'invalid_client', /platform\.client_id/],
    ['access_denied', '', 'access_denied', /was denied/],
    ['invalid_scope', '', 'invalid_scope', /platform\.scope/],
    ['something_new', 'Odd.', 'something_new', /Check the section `platform`.*something_new: Odd\./],
  ])('%s %s', (error, description, errorType, sentence) => {
    expect(loginRefused({ status: 400, error, description }, names)).toMatchObject({
      ...{ code: 'login_needed', errorType, message: expect.stringMatching(sentence) },
    });
  });
});

const page = (status: number, text: string, location = '') => ({ status, bytes: Buffer.from(text), location });

describe('the answer to the authorize address', () => {
  test.each([
    ['the login page', page(200, '<html>'), undefined],
    ['a refusal as JSON', page(400, '{"error":"invalid_request","error_description":"Invalid redirection URI."}'), 'invalid_request'],
    ['a refusal in words', page(400, '<p>Client not registered.</p>'), 'invalid_request'],
    ['a way to another page', page(302, '', 'https://login.example/?error=x'), undefined],
    ['a way back with an error', page(302, '', 'http://localhost:4200/?error=invalid_scope'), 'invalid_scope'],
    ['a way back with a code', page(302, '', 'http://localhost:4200/?code=1'), undefined],
    ['a firewall', page(403, '<html>'), undefined],
    ['a failure', page(502, '<html>'), undefined],
  ])('%s', (_, answer, error) => expect(pageRefusal(answer, names.redirect_uri)?.error).toBe(error));
});

describe('a refused renewal', () => {
  test.each([
    [400, 'invalid_grant', 'login_needed'],
    [401, 'invalid_client', 'login_needed'],
    [400, 'unauthorized_client', 'login_needed'],
    [400, 'invalid_request', 'login_needed'],
    [400, 'temporarily_unavailable', 'identity_unavailable'],
    [429, 'invalid_request', 'identity_unavailable'],
    [500, 'invalid_grant', 'identity_unavailable'],
    [500, 'server_error', 'identity_unavailable'],
  ])('with %i %s is %s', (status, error, code) => expect(renewalRefused({ status, error, description: '' }).code).toBe(code));
});
