import type { SessionReport } from '../../api/answers.ts';
import { isRecord } from '../../shared/json.ts';
import type { Log } from '../../shared/log.ts';
import { get, NO_CONTENT, post, type Route, refused, type WebAnswer, type WebRequest } from '../routes.ts';
import { BoundedQueue, TryLimit } from '../security/limits.ts';
import type { Entry, WebMode } from '../security/listeners.ts';
import { SESSION_MS, type Sessions } from '../security/sessions.ts';

const COOKIE = 'heating2mqtt_session';
/** Separate for https: browsers reject a http cookie if an https one has the same name and host. */
const SECURE_COOKIE = `__Secure-${COOKIE}`;
export const COOKIES = [COOKIE, SECURE_COOKIE] as const;

/**
 * The session cookie. Without a path, the browser uses the folder of the request, `…/api`, which is right
 * below any proxy prefix, known or not.
 */
export const sessionCookie = (token: string, isSecure: boolean): Readonly<Record<string, string>> => {
  const age = token === '' ? 0 : SESSION_MS / 1000;
  return {
    'set-cookie': `${isSecure ? SECURE_COOKIE : COOKIE}=${token}; HttpOnly; SameSite=Strict; Max-Age=${age}${isSecure ? '; Secure' : ''}`,
  };
};

/** The answer after too many tries. */
export const tooOften = (seconds: number): WebAnswer =>
  refused(429, 'too_often', `Too many tries; try again in ${seconds} seconds.`, { headers: { 'retry-after': String(seconds) } });

const WRONG = refused(401, 'wrong_password', 'Wrong password.');

type SessionParts = {
  readonly sessions: Sessions;
  readonly entry: () => Entry;
  readonly mode: () => WebMode;
  readonly accounts: () => SessionReport['accounts'];
  /** Ends the open streams of a session. */
  readonly ended: (token: string) => void;
  readonly elapsedMs: () => number;
  readonly log: Log;
};

/** Session state, login and logout. */
export const sessionRoutes = ({ sessions, entry, mode, accounts: shown, ended, elapsedMs, log }: SessionParts): readonly Route[] => {
  const limit = new TryLimit();
  // Each password check takes 16 MB.
  const checks = new BoundedQueue();
  let isLogged = false;

  const session = ({ login, isIngress, user, session: token, isSecure }: WebRequest): WebAnswer => {
    const isCode = mode() === 'setup' && login === 'needed' && entry() === 'code';
    // The page requests this first, so the cookie is renewed like the session, which each use extends.
    const headers = token === undefined ? {} : sessionCookie(token, isSecure);
    const accounts = login === 'needed' ? undefined : shown();
    const json: SessionReport = { mode: isCode ? 'code' : mode(), login, ingress: isIngress, user, accounts };
    return { status: 200, headers, json };
  };

  const login = async ({ body, client, login: state, isSecure, session: before }: WebRequest): Promise<WebAnswer> => {
    if (state === 'none') return NO_CONTENT;
    const password = isRecord(body) ? body.password : undefined;
    if (typeof password !== 'string') return refused(422, 'invalid', 'password must be a string.');
    const waitS = limit.take(client, elapsedMs());
    if (waitS > 0) {
      if (!isLogged) log.warn({ client }, 'too many wrong passwords for the page; further tries must wait');
      isLogged = true;
      return tooOften(waitS);
    }
    const isRight = await checks.run(() => sessions.isPassword(password));
    if (isRight === undefined) {
      limit.giveBack(client);
      return tooOften(5);
    }
    if (!isRight) return WRONG;
    limit.worked(client);
    isLogged = false;
    if (before !== undefined) await sessions.end(before);
    return { status: 204, headers: sessionCookie(await sessions.begin(), isSecure) };
  };

  const logout = async ({ session: token, isSecure }: WebRequest): Promise<WebAnswer> => {
    if (token === undefined) return NO_CONTENT;
    await sessions.end(token);
    ended(token);
    return { status: 204, headers: sessionCookie('', isSecure) };
  };

  return [get('api/session', session, 'open'), post('api/login', login, 'open'), post('api/logout', logout, 'open')];
};
