import { type Answer, htmlAnswer, identityAnswer, oauthError, type Request } from '../http/answer.ts';
import { type Grant, type Tokens, verifies } from './tokens.ts';

/** The registered client. Redirect addresses must match exactly, trailing slash included. */
export type Client = { readonly clientId: string; readonly redirectUris: readonly string[] };

/** The only password that is refused. */
const WRONG_PASSWORD = 'wrong';
const FORM = 'application/x-www-form-urlencoded';
const SCOPES: ReadonlySet<string> = new Set(['IoT', 'User', 'offline_access', 'openid', 'Internal', 'internal']);
// RFC 7636 §4.1 and §4.2: 43 to 128 unreserved characters.
const PKCE_TEXT = /^[A-Za-z0-9._~-]{43,128}$/;

const invalid = (description: string): Answer => oauthError('invalid_request', description);
const missing = (name: string): Answer => invalid(`Invalid request: Missing or empty ${name} parameter`);
const NOT_REGISTERED = (): Answer => oauthError('invalid_client', 'Client not registered.');
const WRONG_REDIRECT = (): Answer => invalid('Invalid redirection URI.');

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, content: string): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${content}</body></html>`;

/** The login form. It posts to its own URL with the query, so no state is stored between requests. */
const loginPage = (note = ''): Answer =>
  htmlAnswer(
    200,
    page(
      'Log in (simulated platform)',
      `<h1>Log in</h1><p>This is a simulated platform: it accepts any user name and any password except <code>wrong</code>.</p>${note && `<p role="alert">${note}</p>`}
<form method="post">
<p><label>User name <input name="username" autocomplete="off"></label></p>
<p><label>Password <input name="password" type="password" autocomplete="off"></label></p>
<div class="captcha">Here the real service shows its captcha.</div>
<p><button name="action" value="allow">Log in</button> <button name="action" value="deny">Deny</button></p>
</form>`,
    ),
    { 'cache-control': 'no-store' },
  );

/** The final 302 of the authorize endpoint: the URL in `Location` and as a link in the HTML body. */
const redirectPage = (location: string): Answer =>
  htmlAnswer(302, page('Redirect', `<a href="${escaped(location)}">${escaped(location)}</a>`), { location, 'cache-control': 'no-store' });

const firstMissing = (fields: URLSearchParams, names: readonly string[]): Answer | undefined => {
  const repeated = names.find((name) => fields.getAll(name).length > 1);
  if (repeated) return invalid(`Invalid request: Repeated ${repeated} parameter`);
  const absent = names.find((name) => !fields.get(name));
  return absent === undefined ? undefined : missing(absent);
};

const isForm = (request: Request): boolean => request.contentType === FORM;

/** `<redirect_uri>/?…`: exactly one slash, even if the registered URL ends with one. */
const location = (redirectUri: string, answer: Readonly<Record<string, string>>, state: string | null): string =>
  `${redirectUri.replace(/\/$/, '')}/?${new URLSearchParams({ ...answer, ...(state === null ? {} : { state }) })}`;

/** Checks the query of the authorize request: returns the grant for a code, or the error. */
const readAuthorize = (query: URLSearchParams, client: Client): Grant | Answer => {
  const clientId = query.get('client_id') ?? '';
  const redirectUri = query.get('redirect_uri') ?? '';
  const lacking = firstMissing(query, ['client_id', 'redirect_uri', 'response_type', 'code_challenge', 'scope']);
  if (lacking) return lacking;
  if (clientId !== client.clientId) return NOT_REGISTERED();
  if (!client.redirectUris.includes(redirectUri)) return WRONG_REDIRECT();
  const refuse = (error: string): Answer => redirectPage(location(redirectUri, { error }, query.get('state')));
  if (query.get('response_type') !== 'code') return refuse('unsupported_response_type');
  const scope = query.get('scope') ?? '';
  if (!scope.split(' ').every((word) => SCOPES.has(word))) return refuse('invalid_scope');
  const method = query.get('code_challenge_method') ?? 'plain';
  const challenge = query.get('code_challenge') ?? '';
  if ((method !== 'plain' && method !== 'S256') || !PKCE_TEXT.test(challenge)) return refuse('invalid_request');
  return { clientId, redirectUri, challenge, method, scope };
};

/** User and password of HTTP Basic (RFC 7617), which the live login page also accepts; else undefined. */
const readBasic = (authorization: string | undefined): { readonly username: string; readonly password: string } | undefined => {
  const encoded = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [username = '', ...password] = Buffer.from(encoded, 'base64').toString().split(':');
  return { username, password: password.join(':') };
};

/**
 * The login page: GET shows the form; POST sends it and returns a code, or `access_denied`.
 * With HTTP Basic both return the code at once, for programs without a browser.
 */
export const authorize = (request: Request, client: Client, tokens: Tokens): Answer => {
  if (request.method !== 'GET' && request.method !== 'POST') return invalid(`Invalid request: Method ${request.method} is not allowed`);
  const grant = readAuthorize(request.query, client);
  if ('status' in grant) return grant;
  const basic = readBasic(request.authorization);
  if (request.method === 'GET' && !basic) return loginPage();
  const form = new URLSearchParams(isForm(request) ? request.body : '');
  const state = request.query.get('state');
  if (form.get('action') === 'deny') return redirectPage(location(grant.redirectUri, { error: 'access_denied' }, state));
  const username = basic?.username ?? form.get('username');
  const password = basic?.password ?? form.get('password');
  // A wrong password gets the form again with 200, without a Location (observed at the live service).
  if (!username || !password) return loginPage('Enter a user name and a password.');
  if (password === WRONG_PASSWORD) return loginPage('Wrong password.');
  return redirectPage(location(grant.redirectUri, { code: tokens.newCode(grant) }, state));
};

const exchange = (form: URLSearchParams, tokens: Tokens): Answer => {
  const lacking = firstMissing(form, ['code', 'code_verifier', 'redirect_uri']);
  if (lacking) return lacking;
  const grant = tokens.takeCode(form.get('code') ?? '');
  // The platform has one message for a missing, a used, and an expired (20 s) code.
  if (!grant || grant.clientId !== form.get('client_id')) return missing('code');
  if (grant.redirectUri !== form.get('redirect_uri')) return WRONG_REDIRECT();
  const verifier = form.get('code_verifier') ?? '';
  if (!PKCE_TEXT.test(verifier)) return invalid('Invalid request: code_verifier must be 43 to 128 characters of A-Z a-z 0-9 - . _ ~');
  return verifies(grant, verifier) ? identityAnswer(200, tokens.issue(grant.scope)) : oauthError('invalid_grant', 'Invalid code verifier.');
};

const refresh = (form: URLSearchParams, tokens: Tokens): Answer => {
  const lacking = firstMissing(form, ['refresh_token']);
  if (lacking) return lacking;
  const renewed = tokens.renew(form.get('refresh_token') ?? '');
  return renewed ? identityAnswer(200, renewed) : oauthError('invalid_grant', 'Invalid refresh token.');
};

/** The token endpoint, form-encoded POST only; grants `authorization_code` (PKCE) and `refresh_token`. */
export const token = (request: Request, client: Client, tokens: Tokens): Answer => {
  if (request.method !== 'POST') return invalid(`Invalid request: Method ${request.method} is not allowed`);
  if (!isForm(request)) return invalid(`Invalid request: Content-Type must be ${FORM}`);
  const form = new URLSearchParams(request.body);
  const lacking = firstMissing(form, ['grant_type', 'client_id']);
  if (lacking) return lacking;
  if (form.get('client_id') !== client.clientId) return NOT_REGISTERED();
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return exchange(form, tokens);
    case 'refresh_token':
      return refresh(form, tokens);
    default:
      return oauthError('unsupported_grant_type', 'Unsupported grant type.');
  }
};
