import type { IdentityService, LoginStart } from './identityService.ts';
import type { StoredTokens } from './tokens.ts';

/** The query, where it holds the platform's answer to this login; otherwise undefined. */
export const returnedQuery = (start: LoginStart, query: URLSearchParams): URLSearchParams | undefined => {
  const hasAnswer = Boolean(query.get('code')) || Boolean(query.get('error'));
  return hasAnswer && query.get('state') === start.state ? query : undefined;
};

/** The query of an address that was pasted, however much of its beginning is missing; undefined where it has none. */
export const pastedQuery = (line: string): URLSearchParams | undefined => {
  const query = /\?([^#\s"'>]+)/.exec(line)?.[1];
  return query === undefined ? undefined : new URLSearchParams(query);
};

/** Exchanges the answer of the login page for tokens as they are stored. `now` is the moment of the consent. Throws PlatformError. */
export const finishLogin = async (
  identity: Pick<IdentityService, 'exchange'>,
  start: LoginStart,
  returned: URLSearchParams,
  asked: { readonly scope: string; readonly clientId: string; readonly now: number },
): Promise<StoredTokens> => {
  const given = await identity.exchange(start, returned);
  return {
    access_token: given.accessToken,
    ...(given.refreshToken && { refresh_token: given.refreshToken }),
    expires_at: given.expiresAt,
    scope: given.scope ?? asked.scope,
    consent_at: asked.now,
    client_id: asked.clientId,
  };
};
