import * as z from 'zod/mini';
import { TEXT } from '../text.ts';

/** The characters allowed after `Bearer ` (RFC 6750 §2.1). None of them can end the header. */
export const ACCESS_TOKEN = z.string().check(z.regex(/^[\x21-\x7e]+$/));

const INSTANT = z.pipe(
  z.string(),
  z.pipe(
    z.transform((text: string) => Date.parse(text)),
    z.number(),
  ),
);

/** The content of `tokens.json`. Instants are RFC 3339 in the file and epoch milliseconds here. */
export const STORED_TOKENS = z.object({
  access_token: ACCESS_TOKEN,
  refresh_token: TEXT,
  expires_at: INSTANT,
  scope: z.catch(z.string(), ''),
  /** When a person last logged in: the 180 days of the refresh token start here. */
  consent_at: INSTANT,
  login_id: TEXT,
  /** The client of the login: no other client can renew it. */
  client_id: TEXT,
});
export type StoredTokens = Readonly<z.infer<typeof STORED_TOKENS>>;

/** The tokens of an answer. Without a refresh token or scope, the previous one stays valid. */
export type GivenTokens = Pick<StoredTokens, 'access_token' | 'expires_at'> & Partial<Pick<StoredTokens, 'refresh_token' | 'scope'>>;
