/** What the identity service gave at a login or a renewal, in our words. */
export type GivenTokens = {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Epoch milliseconds by our clock. */
  readonly expiresAt: number;
  /** From the answer to its end. */
  readonly lifetimeMs: number;
  /** The scope granted; undefined where the answer does not say. */
  readonly scope?: string;
};

/** What `tokens.json` holds, with instants as epoch milliseconds. */
export type StoredTokens = {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly expires_at: number;
  readonly scope: string;
  /** When a person last logged in: the refresh token counts its 180 days from there. */
  readonly consent_at: number;
  readonly login_id?: string;
  /** The client that the login was made for: no other can renew it. */
  readonly client_id?: string;
};

/** True for what may stand in an HTTP header after `Bearer ` (RFC 6750 §2.1), and holds nothing that could end the header. */
export const isAccessToken = (value: unknown): value is string => typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);

/** Days for which the platform takes a refresh token after the login (reference of the platform, OAuth), unless a setting says otherwise. */
export const CONSENT_DAYS = 180;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Epoch milliseconds at which the consent of these tokens ends; undefined where there is no refresh token to end. */
export const consentExpiresAt = (tokens: StoredTokens, days: number): number | undefined =>
  tokens.refresh_token === undefined ? undefined : tokens.consent_at + days * DAY_MS;
