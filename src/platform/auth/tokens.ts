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
