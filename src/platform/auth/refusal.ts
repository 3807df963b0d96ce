import * as z from 'zod/mini';
import { jsonObject } from '../../shared/json.ts';
import { PlatformError } from '../errors.ts';
import type { HttpAnswer } from '../exchange.ts';
import { CODE, WORDS } from '../text.ts';

const REFUSAL = z.object({ error: CODE, error_description: WORDS });

/** A refusal of the identity service (RFC 6749 §5.2): HTTP status, `error`, and `error_description`. */
export type Refusal = { readonly status: number; readonly error: string; readonly description: string };

/** Parses the refusal in an error answer; undefined for another body (HTML of a proxy, empty). */
export const refusalOf = (status: number, body: unknown): Refusal | undefined => {
  const { error = '', error_description: description = '' } = REFUSAL.safeParse(body).data ?? {};
  return error === '' ? undefined : { status, error, description };
};

/** Finds a refusal in the authorize answer (JSON, text or redirect); undefined for a login page. */
export const pageRefusal = (answer: Pick<HttpAnswer, 'status' | 'location' | 'bytes'>, redirectUri: string): Refusal | undefined => {
  const { status, location } = answer;
  if (status >= 300 && status < 400 && location.startsWith(redirectUri.replace(/\/$/, ''))) {
    return refusalOf(status, Object.fromEntries(URL.parse(location)?.searchParams ?? []));
  }
  if (status < 400 || status >= 500) return undefined;
  const text = String(answer.bytes);
  const words = /Client not registered|Invalid redirection URI/i.exec(text)?.[0];
  return (
    refusalOf(status, jsonObject(text)) ?? (words === undefined ? undefined : { status, error: 'invalid_request', description: words })
  );
};

/** The login settings that a message may name. */
export type LoginNames = { readonly client_id: string; readonly redirect_uri: string };

/** `word`: the key under which the page knows the refusal. */
type Row = { readonly word: string; readonly when: (refusal: Refusal) => boolean; readonly says: (names: LoginNames) => string };

// The first match wins. The description decides: most errors are invalid_request (reference, OAuth).
const LOGIN_ROWS: readonly Row[] = [
  {
    word: 'redirect',
    when: ({ description }) => /redirect/i.test(description),
    says: (names) =>
      `The platform does not accept the redirect URI ${names.redirect_uri}. Write platform.redirect_uri exactly as it is registered, with or without the slash at its end.`,
  },
  {
    word: 'invalid_client',
    when: ({ error, description }) => ['invalid_client', 'unauthorized_client'].includes(error) || /not registered/i.test(description),
    says: (names) =>
      `The platform does not know the client ${names.client_id}. Compare platform.client_id with the registered client id; a new client can take up to an hour to work.`,
  },
  {
    word: 'invalid_grant',
    when: ({ error, description }) => error === 'invalid_grant' || /\bcode parameter\b/i.test(description),
    says: () => 'The code of this login is older than 20 seconds, used or missing. Log in again; this time you need no password.',
  },
  {
    word: 'access_denied',
    when: ({ error }) => error === 'access_denied',
    says: () => 'The login was denied, so nothing was changed. Log in again and allow the access.',
  },
  {
    word: 'invalid_scope',
    when: ({ error }) => error === 'invalid_scope',
    says: () => 'The platform does not know the requested scope. Check platform.scope; the documented scope is `IoT User`.',
  },
];

const quoted = ({ error, description }: Refusal): string => [error, description].filter((word) => word !== '').join(': ');

/** The error for a refused login. Its message says what to do. */
export const loginRefused = (refusal: Refusal, names: LoginNames): PlatformError => {
  const row = LOGIN_ROWS.find(({ when }) => when(refusal));
  const sentence = row?.says(names) ?? 'The platform refuses the login. Check the section `platform` of the settings, then log in again.';
  const details = { arrived: 'yes', status: refusal.status, errorType: row?.word ?? refusal.error } as const;
  return new PlatformError('login_needed', `${sentence} (${quoted(refusal)})`, details);
};

const TERMINAL: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_request']);

/** The error for a refused renewal: `login_needed` if final, else `identity_unavailable` (retry). */
export const renewalRefused = (refusal: Refusal): PlatformError => {
  const details = { arrived: 'yes', status: refusal.status, errorType: refusal.error } as const;
  const isFinal = (refusal.status === 400 || refusal.status === 401) && TERMINAL.has(refusal.error);
  return isFinal
    ? new PlatformError('login_needed', `The platform no longer accepts the refresh token (${quoted(refusal)}).`, details)
    : new PlatformError('identity_unavailable', `The identity service cannot renew the token now (${quoted(refusal)}).`, details);
};
