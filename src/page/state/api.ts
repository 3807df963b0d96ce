import { computed, signal } from '@preact/signals';
import type { GetAnswers, PostAnswers, SessionReport, TopicHistory } from '../../api/answers.ts';
import { jsonObject } from '../../shared/json.ts';
import { accountName, processPlace } from './place.ts';

/** An unsuccessful answer of the server. */
export class ApiError extends Error {
  readonly status: number;
  /** The server's error code: `wrong_password`. */
  readonly code: string;
  /** The whole answer. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Seconds until a retry makes sense; 0 if the server gives none. */
  readonly retryAfterS: number;

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter: string | null = null) {
    super(typeof body['message'] === 'string' ? body['message'] : `HTTP ${status}`);
    this.status = status;
    this.code = typeof body['error'] === 'string' ? body['error'] : '';
    this.body = body;
    this.retryAfterS = Number(retryAfter) || 0;
  }
}

/** A URL of the server; relative to the page, which can be below any path. */
export const apiUrl = (path: string): string => {
  // The session cookie is valid for `api/` of the process only.
  const ofAccount = accountName !== '' && OF_ACCOUNT.test(path) ? path.replace('api/', `api/a/${accountName}/`) : path;
  return new URL(processPlace + ofAccount, location.href).href;
};

/** Requests for the page's account; all others go to the process. */
const OF_ACCOUNT = /^api\/(?:state|stream|changes|history|faults|performance|change-history|calls|write)\b/;

/** The bridge's clock minus the browser's, in ms. */
let aheadMs = 0;

/** The bridge's time (epoch ms), from its last answer. */
export const bridgeNow = (): number => Date.now() + aheadMs;

/** The session: what the page may show. Undefined until the server's first answer. */
export const session = signal<SessionReport | undefined>();

/** True if the login is missing or has expired. */
export const isLoggedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** True while Home Assistant refuses the page: its cookie expired. A visible window renews it in 1 min. */
export const isRefusedByHub = signal(false);

/** False while the page waits for a login or for Home Assistant. Missed requests are repeated afterwards. */
export const isLetIn = computed(() => session.value?.login !== 'needed' && !isRefusedByHub.value);

const SESSION = 'api/session';

/** The login has expired: the page asks for the password; under Home Assistant it retries. */
const endSession = (path: string, status: number): void => {
  const found = session.value ?? { mode: 'run', ingress: false };
  if (found.ingress && status === 401) isRefusedByHub.value = true;
  // Without a session a setup requires a new code; a setup that has ended elsewhere no longer exists.
  else if (found.mode !== 'setup') session.value = { ...found, login: 'needed' };
  // If a proxy refuses this request too, it is not repeated at once.
  else if (path !== SESSION) void loadSession().catch(() => undefined);
};

/** A request without an answer in this time counts as a dead connection. */
const GET_MS = 15_000;

type Body = Readonly<Record<string, unknown>>;

/** Sends a request. Undefined for an empty answer or one of a proxy. Throws like `getJson`. */
export const request = async (path: string, init: RequestInit): Promise<Body | undefined> => {
  const response = await fetch(apiUrl(path), { ...init, cache: 'no-store', credentials: 'same-origin' });
  const date = Date.parse(response.headers.get('date') ?? '');
  // The Date header has whole seconds.
  if (Number.isFinite(date) && Math.abs(date - bridgeNow()) > 2000) aheadMs = date - Date.now();
  const body = jsonObject(await response.text());
  if (response.status === 401 || (response.status === 404 && session.value?.mode === 'setup')) endSession(path, response.status);
  else isRefusedByHub.value = false;
  if (!response.ok) throw new ApiError(response.status, body ?? {}, response.headers.get('retry-after'));
  return body;
};

/**
 * GETs an answer. After the login has expired, the page shows that from then on. Throws ApiError, what
 * `fetch` throws (no connection, timeout), and TypeError for an answer that is not from the bridge.
 */
export const getJson = async <P extends keyof GetAnswers>(path: P, query = ''): Promise<GetAnswers[P]> => {
  const body = await request(path + query, { signal: AbortSignal.timeout(GET_MS) });
  if (!body) throw new TypeError(path);
  return body as GetAnswers[P];
};

/** GETs the values of a topic in the last days. Throws like `getJson`. */
export const historyOf = (topic: string, days: number): Promise<TopicHistory> =>
  getJson('api/history', `?topic=${encodeURIComponent(topic)}&days=${days}`);

/** POSTs JSON. Throws like `getJson`. */
export const postJson = async <P extends string>(
  path: P,
  body: object = {},
): Promise<P extends keyof PostAnswers ? PostAnswers[P] : unknown> =>
  ((await request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })) ?? {}) as never;

/** Loads the session. Throws like `getJson`. */
export const loadSession = async (): Promise<SessionReport> => {
  session.value = await getJson(SESSION);
  return session.value;
};

/** Logs in. False if the browser rejects the cookie. Throws ApiError (`wrong_password` or status 429). */
export const login = async (password: string): Promise<boolean> => {
  await postJson('api/login', { password });
  return (await loadSession()).login !== 'needed';
};

/** Ends the session in this browser and clears the page. */
export const logout = async (): Promise<void> => {
  await postJson('api/logout');
  location.reload();
};
