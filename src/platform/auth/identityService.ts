import type * as oauth from 'oauth4webapi';
import * as z from 'zod/mini';
import type { Clock } from '../../shared/clock.ts';
import { jsonObject } from '../../shared/json.ts';
import { PlatformError } from '../errors.ts';
import { httpOrigin } from '../httpOrigin.ts';
import { fillPath, pathsOf } from '../paths.ts';
import { TEXT, withoutSecrets } from '../text.ts';
import { type LoginNames, loginRefused, pageRefusal, type Refusal, refusalOf, renewalRefused } from './refusal.ts';
import { ACCESS_TOKEN, type GivenTokens, type StoredTokens } from './tokens.ts';

/** The fields of the settings section `platform` that the identity service uses. */
export type IdentitySettings = Parameters<typeof pathsOf>[0] &
  LoginNames & { readonly auth_url: string; readonly scope: string; readonly timeout_s: number };

/** A started login: the login URL, and the secrets that verify the answer. */
export type LoginStart = { readonly address: string; readonly state: string; readonly code_verifier: string };

// A token answer is about 2 kB.
const MAX_BYTES = 256 * 1024;
// The lifetime in the specification, for an answer without `expires_in`.
const DEFAULT_LIFETIME_S = 3600;
// Longer than any access token lasts. A much larger number would not be a valid Date.
const LONGEST_LIFETIME_S = 365 * 24 * 3600;

type Client = { readonly lib: typeof oauth; readonly server: oauth.AuthorizationServer; readonly client: oauth.Client };

/** The identity service: logs in (authorization code, PKCE S256) and renews tokens. Throws PlatformError. */
export const identityService = (settings: IdentitySettings, clock: Pick<Clock, 'now'>) => {
  const http = httpOrigin(settings.auth_url, { timeoutMs: settings.timeout_s * 1000, maxBytes: MAX_BYTES });
  const paths = pathsOf(settings);
  const authorizePath = fillPath(paths.authorize, {});
  const tokenPath = fillPath(paths.token, {});

  /** Creates a login with its own secret and state. Sends no request. */
  const begin = async (): Promise<LoginStart> => {
    const { lib, server } = await load();
    const { client_id, redirect_uri, scope } = settings;
    const code_verifier = lib.generateRandomCodeVerifier();
    const state = lib.generateRandomState();
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      client_id,
      redirect_uri,
      response_type: 'code',
      code_challenge: await lib.calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: 'S256',
      scope,
      state,
    })
      .toString()
      // Encodes a space as %20, as the specification does.
      .replaceAll('+', '%20');
    return { address: address.href, state, code_verifier };
  };

  /** Requests the login page, to explain a refusal on the terminal. Throws PlatformError. */
  const checkAddress = async (start: LoginStart): Promise<void> => {
    const { search } = new URL(start.address);
    const path = authorizePath + search;
    const answer = await http.send({ method: 'GET', path, headers: { accept: 'text/html', 'user-agent': 'heating2mqtt' } });
    const refusal = pageRefusal(answer, settings.redirect_uri);
    if (refusal) throw loginRefused(refusal, settings);
  };

  /** The tokens for the code in the answer. Throws PlatformError with a message per refusal. */
  const exchange = async (start: LoginStart, returned: URLSearchParams): Promise<StoredTokens> => {
    const { lib, server, client } = await load();
    const { redirect_uri, scope, client_id } = settings;
    const consent = { scope, consent_at: clock.now(), client_id };
    const answer = new URLSearchParams(returned);
    // The issuer is not known here. The `iss` check is only needed with several identity services.
    answer.delete('iss');
    const denied = refusalOf(0, Object.fromEntries(answer));
    if (denied) throw loginRefused(denied, settings);
    const parameters = lib.validateAuthResponse(server, client, answer, start.state);
    const options = requestOptions(lib, (refusal) => loginRefused(refusal, settings));
    const send = lib.authorizationCodeGrantRequest;
    const response = await send(server, client, lib.None(), parameters, redirect_uri, start.code_verifier, options);
    return { ...consent, ...(await given(lib.processAuthorizationCodeResponse(server, client, response))) };
  };

  /**
   * Renews the tokens. `login_needed` is final; retry after other failures (`identity_unavailable`,
   * `timeout`). `mayLeave` is called when the connection is open.
   */
  const refresh = async (refreshToken: string, signal?: AbortSignal, mayLeave?: () => boolean): Promise<GivenTokens> => {
    const { lib, server, client } = await load();
    const options = requestOptions(lib, renewalRefused, signal, mayLeave);
    const response = await lib.refreshTokenGrantRequest(server, client, lib.None(), refreshToken, options);
    return given(lib.processRefreshTokenResponse(server, client, response));
  };

  // Lazy import: a start with a valid token does not need the library.
  const load = async (): Promise<Client> => {
    const lib = await import('oauth4webapi');
    const { auth_url, client_id } = settings;
    const issuer = auth_url.replace(/\/+$/, '');
    const server = { issuer, authorization_endpoint: issuer + authorizePath, token_endpoint: issuer + tokenPath };
    return { lib, server, client: { client_id } };
  };

  /** The library's options for a token request. It receives only answers with tokens; other answers throw. */
  const requestOptions = (
    lib: typeof oauth,
    refused: (refusal: Refusal) => PlatformError,
    signal?: AbortSignal,
    mayLeave?: () => boolean,
  ): oauth.TokenEndpointRequestOptions => ({
    // Local simulators and proxies have no certificate. The settings check that the address is safe.
    [lib.allowInsecureRequests]: true,
    [lib.customFetch]: async (_, { body, headers }) => {
      const sent = String(body);
      const request = {
        method: 'POST',
        path: tokenPath,
        headers: { ...headers, 'user-agent': 'heating2mqtt' },
        body: sent,
        signal,
        mayLeave,
      } as const;
      const answer = await http.send(request);
      const [status, text] = [answer.status, String(answer.bytes)];
      if (status === 200) return Response.json(TOKEN_ANSWER.safeParse(jsonObject(text)).data ?? null);
      // A refusal may echo the secrets of the request. They must not reach a log or an answer.
      const refusal = refusalOf(status, jsonObject(withoutSecrets(text, secretsIn(new URLSearchParams(sent)))));
      throw refusal ? refused(refusal) : unavailable(status);
    },
  });

  const given = async (answer: Promise<oauth.TokenEndpointResponse>): Promise<GivenTokens> => {
    const answeredAt = clock.now();
    const tokens = await answer.catch((cause: unknown) => {
      throw unavailable(200, cause);
    });
    const { access_token, refresh_token, scope, expires_in = DEFAULT_LIFETIME_S } = tokens;
    const expires_at = answeredAt + expires_in * 1000;
    return { access_token, expires_at, ...(refresh_token && { refresh_token }), ...(scope && { scope }) };
  };

  return { begin, checkAddress, exchange, refresh, close: http.close };
};

export type IdentityService = ReturnType<typeof identityService>;

const secretsIn = (sent: URLSearchParams): readonly (string | null)[] =>
  ['refresh_token', 'code', 'code_verifier'].map((name) => sent.get(name));

/**
 * Lifetime in seconds; the default if invalid. The platform refuses a token that ends earlier; then it is
 * renewed.
 */
const lifetimeOf = (value: unknown): number => {
  const seconds = typeof value === 'string' ? Number.parseFloat(value) : value;
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, LONGEST_LIFETIME_S) : DEFAULT_LIFETIME_S;
};

/**
 * The used members of a token answer. Other or malformed members must not lose a rotated refresh token. An ID
 * token (scope openid) is left out: the library would refuse it, because its issuer is not known here.
 */
const TOKEN_ANSWER = z.object({
  access_token: z.catch(z.optional(ACCESS_TOKEN), undefined),
  token_type: z.optional(z.unknown()),
  expires_in: z.pipe(z.optional(z.unknown()), z.transform(lifetimeOf)),
  refresh_token: TEXT,
  scope: TEXT,
});

// Keep only the message of the cause: the library attaches the whole answer with the tokens.
const unavailable = (status: number, cause?: unknown): PlatformError =>
  new PlatformError(
    'identity_unavailable',
    status >= 500 || status === 429
      ? `The identity service does not work now (HTTP ${status}); try again in some minutes.`
      : `The answer of the identity service contains no tokens (HTTP ${status}). Check platform.auth_url; if it is right, try again in some minutes.`,
    { arrived: 'yes', status },
    cause instanceof Error ? { cause: cause.message } : {},
  );
