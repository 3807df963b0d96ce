import { signal } from '@preact/signals';
import type { SessionReport } from '../../api/answers.ts';
import { ApiError, getJson, postJson } from './api.ts';

/** What the page may show. */
type Session = Pick<SessionReport, 'mode' | 'login' | 'ingress'>;

/** Undefined until the server has answered for the first time. */
export const session = signal<Session | undefined>();

/** Asks the server what the page may show. Throws as `getJson`. */
export const loadSession = async (): Promise<Session> => {
  const found = await getJson('api/session');
  session.value = found;
  return found;
};

/** True for the answer to somebody who is not logged in (any more). */
export const isLoggedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** The session has ended: the page shows its login, or what to do under Home Assistant. */
export const endSession = (): void => {
  const { mode, ingress } = session.value ?? { mode: 'run', ingress: false };
  session.value = { mode, login: 'needed', ingress };
};

/** Logs in with the password of the page. Throws ApiError with `wrong_password` or status 429. */
export const login = async (password: string): Promise<void> => {
  await postJson('api/login', { password });
  await loadSession();
};

/** Ends the session in this browser. */
export const logout = async (): Promise<void> => {
  await postJson('api/logout');
  endSession();
};
