import type { AuthReport } from '../../bridge/ports.ts';
import { DAY_MS } from '../../shared/clock.ts';
import type { StoredTokens } from './tokens.ts';

/** How the login stands. Instants are epoch milliseconds by this machine's clock. */
export type AuthState = {
  readonly state: 'ok' | 'refreshing' | 'failing' | 'login_needed';
  /** When this state began. */
  readonly since: number;
  /** When a new login is needed, where that is known: the end of a token that cannot be renewed. */
  readonly login_needed_at?: number;
  /** When the refresh token ends. Renewals do not change it. */
  readonly consent_expires_at?: number;
  /** One sentence: what is wrong and what to do. */
  readonly message: string;
};

const WARN_BEFORE_MS = 30 * DAY_MS;

const minute = (instant: number): string => `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

const okMessage = (tokens: StoredTokens, consentEnd: number | undefined, now: number, logIn: string): string => {
  if (consentEnd === undefined) {
    return `Logged in until ${minute(tokens.expires_at)}. ${logIn} before then, or add offline_access to platform.scope and log in once more.`;
  }
  if (consentEnd - now > WARN_BEFORE_MS) return 'Logged in.';
  return consentEnd > now
    ? `Logged in, but the consent ends on ${minute(consentEnd)}. ${logIn} before then.`
    : `Logged in, but the consent is past its ${minute(consentEnd)}. ${logIn} soon.`;
};

/** The part of the state that follows from the tokens, with the message for a login that works. `logIn`: what people do for another one. */
export const describeTokens = (
  tokens: StoredTokens | undefined,
  now: number,
  consentDays: number,
  logIn: string,
): Omit<AuthState, 'state' | 'since'> => {
  if (!tokens) return { message: `Nobody is logged in. ${logIn}.` };
  const consentEnd = tokens.refresh_token === undefined ? undefined : tokens.consent_at + consentDays * DAY_MS;
  return {
    ...(consentEnd === undefined ? { login_needed_at: tokens.expires_at } : { consent_expires_at: consentEnd }),
    message: okMessage(tokens, consentEnd, now, logIn),
  };
};

/** True in the last 30 days of the consent, and after them. */
export const consentEndsSoon = ({ consent_expires_at: end }: Pick<AuthState, 'consent_expires_at'>, now: number): boolean =>
  end !== undefined && end - now <= WARN_BEFORE_MS;

const instant = (ms: number): string => new Date(ms).toISOString();

/** The content of `bridge/auth`, with the address of a login that was begun. */
export const authReport = (
  { state, since, login_needed_at: next, consent_expires_at: end, message }: AuthState,
  loginUrl: string | undefined,
): AuthReport => ({
  state,
  since: instant(since),
  ...(next === undefined ? {} : { login_needed_at: instant(next) }),
  ...(end === undefined ? {} : { consent_expires_at: instant(end) }),
  ...(loginUrl === undefined ? {} : { login_url: loginUrl }),
  message:
    loginUrl === undefined
      ? message
      : `${message} Or open login_url, log in, and publish the address that the browser is then sent to on bridge/auth/set within 20 seconds.`,
});
