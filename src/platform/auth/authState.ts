import type { AuthReport } from '../../bridge/ports.ts';
import { DAY_MS } from '../../shared/clock.ts';
import type { StoredTokens } from './tokens.ts';

/** The login state that `bridge/auth` publishes. Instants come from this machine's clock. */
export type AuthState = Omit<AuthReport, 'login_url'>;

const WARN_BEFORE_MS = 30 * DAY_MS;

export const instant = (ms: number): string => new Date(ms).toISOString();

const minute = (ms: number): string => `${instant(ms).slice(0, 16).replace('T', ' ')} UTC`;

const okMessage = (tokens: StoredTokens, consentEnd: number | undefined, now: number, logIn: string): string => {
  if (consentEnd === undefined) {
    return `Logged in until ${minute(tokens.expires_at)}. ${logIn} before then, or add offline_access to platform.scope and log in again once.`;
  }
  if (consentEnd - now > WARN_BEFORE_MS) return 'Logged in.';
  return consentEnd > now
    ? `Logged in, but the consent ends on ${minute(consentEnd)}. ${logIn} before then.`
    : `Logged in, but the consent ended on ${minute(consentEnd)}. ${logIn} soon.`;
};

/** The state that follows from the tokens. `logIn` tells the user how to log in again. */
export const describeTokens = (
  tokens: StoredTokens | undefined,
  now: number,
  consentDays: number,
  logIn: string,
): Omit<AuthState, 'state' | 'since'> => {
  if (!tokens) return { message: `heating2mqtt is not logged in. ${logIn}.` };
  const consentEnd = tokens.refresh_token === undefined ? undefined : tokens.consent_at + consentDays * DAY_MS;
  return {
    ...(consentEnd === undefined ? { login_needed_at: instant(tokens.expires_at) } : { consent_expires_at: instant(consentEnd) }),
    message: okMessage(tokens, consentEnd, now, logIn),
  };
};

/** True during the last 30 days of the consent and after its end. */
export const consentEndsSoon = ({ consent_expires_at: end }: Pick<AuthState, 'consent_expires_at'>, now: number): boolean =>
  end !== undefined && Date.parse(end) - now <= WARN_BEFORE_MS;

/** The content of `bridge/auth`, with the login URL of a pending login. */
export const authReport = (state: AuthState, login_url: string | undefined): AuthReport => {
  if (login_url === undefined) return state;
  const how = 'Or open login_url, log in, and publish the address that the browser then shows on bridge/auth/set within 20 seconds.';
  return { ...state, login_url, message: `${state.message} ${how}` };
};
