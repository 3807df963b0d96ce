import * as z from 'zod/mini';
import { TEXT } from '../text.ts';

/** What may stand in an HTTP header after `Bearer ` (RFC 6750 §2.1): nothing that could end the header. */
export const ACCESS_TOKEN = z.string().check(z.regex(/^[\x21-\x7e]+$/));

const INSTANT = z.pipe(
  z.string(),
  z.pipe(
    z.transform((text: string) => Date.parse(text)),
    z.number(),
  ),
);

/** What `tokens.json` holds; instants are RFC 3339 there and epoch milliseconds here. */
export const STORED_TOKENS = z.object({
  access_token: ACCESS_TOKEN,
  refresh_token: TEXT,
  expires_at: INSTANT,
  scope: z.catch(z.string(), ''),
  /** When a person last logged in: the refresh token counts its 180 days from there. */
  consent_at: INSTANT,
  login_id: TEXT,
  /** The client that the login was made for: no other can renew it. */
  client_id: TEXT,
});
export type StoredTokens = Readonly<z.infer<typeof STORED_TOKENS>>;

/** The members that an answer of the identity service gives; one without a refresh token or a scope leaves the one before in force. */
export type GivenTokens = Pick<StoredTokens, 'access_token' | 'expires_at'> & Partial<Pick<StoredTokens, 'refresh_token' | 'scope'>>;

/** Days for which the platform takes a refresh token after the login (reference of the platform, OAuth), unless a setting says otherwise. */
export const CONSENT_DAYS = 180;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Epoch milliseconds at which the consent of these tokens ends; undefined where there is no refresh token to end. */
export const consentExpiresAt = (tokens: StoredTokens, days: number): number | undefined =>
  tokens.refresh_token === undefined ? undefined : tokens.consent_at + days * DAY_MS;
