import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod/mini';
import type { Clock } from '../../shared/clock.ts';
import { jsonObject } from '../../shared/json.ts';
import { readPlainFile, replaceFile } from '../../shared/plainFile.ts';

const FILE = 'login-links.json';
const MOST_BYTES = 1_048_576;
const LINK_MS = 86_400_000;

/** `used`: the end times (epoch ms) of used links, by id. */
const Stored = z.object({ key: z.string().check(z.minLength(43)), used: z.record(z.string(), z.number()) });
type Stored = z.infer<typeof Stored>;

/** `client`: a digest of the client id. A link is not valid for a new account with the same name. */
const Claims = z.object({ account: z.string(), client: z.string(), ends: z.number(), id: z.string() });
export type Claims = z.infer<typeof Claims>;

/** Why a link is rejected. `gone`: its account was removed or has another client id. */
export type LinkFault = 'altered' | 'expired' | 'used' | 'gone';

/**
 * Links that let a person log one account in without the page password: signed (HMAC-SHA-256), valid for 24
 * hours and one login. `data_dir` has the key and the used links, readable only by its owner. Throws if
 * storing fails.
 */
export const loginLinks = (dataDir: string, clock: Pick<Clock, 'now'>, clientIdOf: (account: string) => string | undefined) => {
  const path = join(dataDir, FILE);
  let stored: Stored | undefined;

  /** A new link's token and its end (epoch ms); undefined for an unknown account. */
  const make = (account: string): { readonly token: string; readonly endsMs: number } | undefined => {
    const clientId = clientIdOf(account);
    if (clientId === undefined) return undefined;
    const endsMs = clock.now() + LINK_MS;
    const claims: Claims = { account, client: sign(clientId), ends: endsMs, id: randomBytes(12).toString('base64url') };
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    return { token: `${payload}.${sign(payload)}`, endsMs };
  };

  /** The claims of a valid link, or why it is invalid. */
  const check = (token: string): Claims | LinkFault => {
    const [payload = '', signature = '', ...more] = token.split('.');
    const claims = claimsOf(payload);
    // Checked first: without a link, it must not be visible which accounts exist.
    if (!claims || more.length > 0 || !isSame(signature, sign(payload))) return 'altered';
    const clientId = clientIdOf(claims.account);
    if (clientId === undefined || sign(clientId) !== claims.client) return 'gone';
    if (load().used[claims.id] !== undefined) return 'used';
    return clock.now() < claims.ends ? claims : 'expired';
  };

  /** Marks the link as used, over restarts too. */
  const use = ({ id, ends }: Pick<Claims, 'id' | 'ends'>): void => {
    const { key, used } = load();
    store({ key, used: { ...used, [id]: ends } });
  };

  const sign = (text: string): string => createHmac('sha256', load().key).update(text).digest('base64url');

  const load = (): Stored => {
    if (stored) return stored;
    const found = Stored.safeParse(read());
    if (!found.success) return store({ key: randomBytes(32).toString('base64url'), used: {} });
    stored = found.data;
    return found.data;
  };

  const read = (): unknown => {
    try {
      return jsonObject(readPlainFile(path, MOST_BYTES).toString('utf8'));
    } catch {
      // A new key invalidates all existing links.
      return undefined;
    }
  };

  const store = (now: Stored): Stored => {
    replaceFile(path, `${JSON.stringify(now)}\n`);
    stored = now;
    return now;
  };

  return { make, check, use };
};

const claimsOf = (payload: string): Claims | undefined =>
  Claims.safeParse(jsonObject(Buffer.from(payload, 'base64url').toString('utf8'))).data;

const isSame = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
