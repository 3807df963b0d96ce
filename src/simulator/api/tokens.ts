import { createHash, randomBytes } from 'node:crypto';

/** Lifetimes as observed at the live service: code 20 s, access token 1 hour, refresh token 180 days. */
const CODE_LIFETIME_MS = 20_000;
const ACCESS_LIFETIME_S = 3600;
const REFRESH_LIFETIME_MS = 180 * 24 * 60 * 60 * 1000;

/** The request for a code. The code is valid only with the same client, address and verifier. */
export type Grant = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly method: 'S256' | 'plain';
  readonly scope: string;
};

/** The token answer of the platform. `expires_in` in seconds. */
export type TokenAnswer = { access_token: string; refresh_token?: string; token_type: 'Bearer'; expires_in: number };

type Held = { readonly scope: string; readonly until: number };

/** True if the challenge was made from this verifier (RFC 7636 §4.6). */
export const verifies = (grant: Grant, verifier: string): boolean =>
  grant.challenge === (grant.method === 'plain' ? verifier : createHash('sha256').update(verifier).digest('base64url'));

/** The issued codes, access tokens and refresh tokens. Times in epoch ms. */
export class Tokens {
  readonly #codes = new Map<string, Grant & { readonly until: number }>();
  readonly #access = new Map<string, Held>();
  readonly #refresh = new Map<string, Held>();
  readonly #now: () => number;
  readonly #rotate: boolean;

  constructor(now: () => number, rotate: boolean) {
    this.#now = now;
    this.#rotate = rotate;
  }

  newCode(grant: Grant): string {
    const code = randomBytes(24).toString('base64url');
    this.#codes.set(code, { ...grant, until: this.#now() + CODE_LIFETIME_MS });
    return code;
  }

  /** The grant of a code. A code works once, within 20 s; later calls return undefined. */
  takeCode(code: string): Grant | undefined {
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    return grant && this.#now() <= grant.until ? grant : undefined;
  }

  /** New tokens; a refresh token only with the scope `offline_access`. */
  issue(scope: string): TokenAnswer {
    if (!scope.split(' ').includes('offline_access')) return this.#answer(scope);
    const refresh = randomBytes(32).toString('base64url');
    this.#refresh.set(refresh, { scope, until: this.#now() + REFRESH_LIFETIME_MS });
    return { ...this.#answer(scope), refresh_token: refresh };
  }

  /** A new access token, with the same refresh token or (if rotated) a new one that replaces it. */
  renew(refresh: string): TokenAnswer | undefined {
    const held = this.#refresh.get(refresh);
    if (!held || this.#now() > held.until) return undefined;
    if (!this.#rotate) return { ...this.#answer(held.scope), refresh_token: refresh };
    this.#refresh.delete(refresh);
    const next = randomBytes(32).toString('base64url');
    this.#refresh.set(next, held);
    return { ...this.#answer(held.scope), refresh_token: next };
  }

  /** The scopes of a valid access token; undefined for an expired or unknown token. */
  scopes(access: string): readonly string[] | undefined {
    const held = this.#access.get(access);
    return held && this.#now() < held.until ? held.scope.split(' ') : undefined;
  }

  expireAccess(): void {
    this.#access.clear();
  }

  revokeRefresh(): void {
    this.#refresh.clear();
  }

  #answer(scope: string): TokenAnswer {
    const access = randomBytes(32).toString('base64url');
    this.#access.set(access, { scope, until: this.#now() + ACCESS_LIFETIME_S * 1000 });
    return { access_token: access, token_type: 'Bearer', expires_in: ACCESS_LIFETIME_S };
  }
}
