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

/** What the identity service needs of the section `platform` of the settings. */
export type IdentitySettings = Parameters<typeof pathsOf>[0] &
  LoginNames & { readonly auth_url: string; readonly scope: string; readonly timeout_s: number };

/** A login that has begun: the address of the login page, and the secrets that its answer is checked against. */
export type LoginStart = { readonly address: string; readonly state: string; readonly code_verifier: string };

// A token answer has some 2 kB.
const MAX_BYTES = 256 * 1024;
// The lifetime shown in the specification, for an answer that does not say.
const DEFAULT_LIFETIME_S = 3600;
// Longer than any access token lasts. A far greater number would give an instant that cannot be printed or stored.
const LONGEST_LIFETIME_S = 365 * 24 * 3600;

type Client = { readonly lib: typeof oauth; readonly server: oauth.AuthorizationServer; readonly client: oauth.Client };

/** The identity service: begins and ends a login (authorization code with PKCE S256), and renews tokens. Throws PlatformError. */
export const identityService = (settings: IdentitySettings, clock: Pick<Clock, 'now'>) => {
  const http = httpOrigin(settings.auth_url, { timeoutMs: settings.timeout_s * 1000, maxBytes: MAX_BYTES });
  const paths = pathsOf(settings);
  const authorizePath = fillPath(paths.authorize, {});
  const tokenPath = fillPath(paths.token, {});

  /** A new login with a secret and a state of its own. No request is made. */
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
      // A space as %20, the form that the specification shows.
      .replaceAll('+', '%20');
    return { address: address.href, state, code_verifier };
  };

  /** Asks for the login page as the browser will, so that a refusal can be explained on the terminal. Throws PlatformError. */
  const checkAddress = async (start: LoginStart): Promise<void> => {
    const { search } = new URL(start.address);
    const path = authorizePath + search;
    const answer = await http.send({ method: 'GET', path, headers: { accept: 'text/html', 'user-agent': 'heating2mqtt' } });
    const refusal = pageRefusal(answer, settings.redirect_uri);
    if (refusal) throw loginRefused(refusal, settings);
  };

  /** The tokens for the code in the answer of the login page, as they are stored. Throws PlatformError, with a sentence of its own for each known refusal. */
  const exchange = async (start: LoginStart, returned: URLSearchParams): Promise<StoredTokens> => {
    const { lib, server, client } = await load();
    const { redirect_uri, scope, client_id } = settings;
    const consent = { scope, consent_at: clock.now(), client_id };
    const answer = new URLSearchParams(returned);
    // The issuer of the service is not known here, and the check of `iss` is needed only with several services.
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
   * New tokens for a refresh token. `login_needed` is final; `identity_unavailable`, `timeout` and the like may be tried again. `mayLeave` is
   * asked when the connection is there.
   */
  const refresh = async (refreshToken: string, signal?: AbortSignal, mayLeave?: () => boolean): Promise<GivenTokens> => {
    const { lib, server, client } = await load();
    const options = requestOptions(lib, renewalRefused, signal, mayLeave);
    const response = await lib.refreshTokenGrantRequest(server, client, lib.None(), refreshToken, options);
    return given(lib.processRefreshTokenResponse(server, client, response));
  };

  // Loaded when it is needed, because a start with a valid token does not need it.
  const load = async (): Promise<Client> => {
    const lib = await import('oauth4webapi');
    const { auth_url, client_id } = settings;
    const issuer = auth_url.replace(/\/+$/, '');
    const server = { issuer, authorization_endpoint: issuer + authorizePath, token_endpoint: issuer + tokenPath };
    return { lib, server, client: { client_id } };
  };

  /** How the library sends a token request. It gets only answers with tokens; others are thrown. */
  const requestOptions = (
    lib: typeof oauth,
    refused: (refusal: Refusal) => PlatformError,
    signal?: AbortSignal,
    mayLeave?: () => boolean,
  ): oauth.TokenEndpointRequestOptions => ({
    // Simulators and proxies on this machine have no certificate. The settings check whether the address is safe.
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
      // A refusal may repeat the secrets of the request, which must not reach a log or an answer.
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

/** Seconds. The default serves for anything that is no lifetime: a token that ends earlier is refused by the platform and renewed then. */
const lifetimeOf = (value: unknown): number => {
  const seconds = typeof value === 'string' ? Number.parseFloat(value) : value;
  return typeof seconds === 'number' && seconds > 0 ? Math.min(seconds, LONGEST_LIFETIME_S) : DEFAULT_LIFETIME_S;
};

/**
 * The members of a token answer that are used. The others, and members of an unusual form, must not cost a rotated refresh token. An ID token
 * (scope openid) is left out, because the library would refuse it: its issuer is not known here.
 */
const TOKEN_ANSWER = z.object({
  access_token: z.catch(z.optional(ACCESS_TOKEN), undefined),
  token_type: z.optional(z.unknown()),
  expires_in: z.pipe(z.optional(z.unknown()), z.transform(lifetimeOf)),
  refresh_token: TEXT,
  scope: TEXT,
});

// Only the message of the cause is kept: the library attaches the whole answer to it, with the tokens.
const unavailable = (status: number, cause?: unknown): PlatformError =>
  new PlatformError(
    'identity_unavailable',
    `The identity service answers with something that holds no tokens (HTTP ${status}). Check platform.auth_url; if it is right, the service is out of order for now.`,
    { arrived: 'yes', status },
    cause instanceof Error ? { cause: cause.message } : {},
  );
