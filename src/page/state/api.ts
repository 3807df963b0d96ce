import { computed, signal } from '@preact/signals';
import type { GetAnswers, PostAnswers, SessionReport, TopicHistory } from '../../api/answers.ts';
import { jsonObject } from '../../shared/json.ts';
import { accountName, processPlace } from './place.ts';

/** What the server answered, other than with success. */
export class ApiError extends Error {
  readonly status: number;
  /** The server's word for it: `wrong_password`. */
  readonly code: string;
  /** All of the answer. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Seconds after which another try makes sense; 0 where the server does not say. */
  readonly retryAfterS: number;

  constructor(status: number, body: Readonly<Record<string, unknown>>, retryAfter: string | null = null) {
    super(typeof body['message'] === 'string' ? body['message'] : `HTTP ${status}`);
    this.status = status;
    this.code = typeof body['error'] === 'string' ? body['error'] : '';
    this.body = body;
    this.retryAfterS = Number(retryAfter) || 0;
  }
}

/** An address of the server; relative, since the page can lie below any path. */
export const apiUrl = (path: string): string => {
  // A session's cookie is for `api/` of the process alone.
  const ofAccount = accountName !== '' && OF_ACCOUNT.test(path) ? path.replace('api/', `api/a/${accountName}/`) : path;
  return new URL(processPlace + ofAccount, location.href).href;
};

/** What is asked of the account whose page this is; the rest is that of the process. */
const OF_ACCOUNT = /^api\/(?:state|stream|changes|history|faults|performance|change-history|calls|write)\b/;

/** Milliseconds by which the bridge's clock is ahead of the browser's. */
let aheadMs = 0;

/** The bridge's time (epoch ms), as its last answer told it. */
export const bridgeNow = (): number => Date.now() + aheadMs;

/** What the page may show; undefined until the server has answered for the first time. */
export const session = signal<SessionReport | undefined>();

/** True for the answer to somebody who is not logged in (any more). */
export const isLoggedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** True while Home Assistant refuses the page: its cookie for the frame ran out while nobody looked. Its own window makes a new one within a minute of being seen. */
export const isRefusedByHub = signal(false);

/** False while the page has to wait for a login or for Home Assistant: what was asked for meanwhile is asked for again after it. */
export const isLetIn = computed(() => session.value?.login !== 'needed' && !isRefusedByHub.value);

const SESSION = 'api/session';

/** Somebody is not logged in any more: the page asks for the password, and under Home Assistant tries again. */
const endSession = (path: string, status: number): void => {
  const found = session.value ?? { mode: 'run', ingress: false };
  if (found.ingress && status === 401) isRefusedByHub.value = true;
  // Without a session a set-up asks for another code; one that has ended elsewhere is not there any more.
  else if (found.mode !== 'setup') session.value = { ...found, login: 'needed' };
  // Where a proxy refuses this too, it is not asked for again at once.
  else if (path !== SESSION) void loadSession().catch(() => undefined);
};

/** What is asked for answers in this time, or the connection leads nowhere. */
const GET_MS = 15_000;

type Body = Readonly<Record<string, unknown>>;

/** Asks the server; undefined for an answer without content, and for what a proxy shows in the place of the bridge. Throws as `getJson`. */
export const request = async (path: string, init: RequestInit): Promise<Body | undefined> => {
  const response = await fetch(apiUrl(path), { ...init, cache: 'no-store', credentials: 'same-origin' });
  const date = Date.parse(response.headers.get('date') ?? '');
  // The header has whole seconds.
  if (Number.isFinite(date) && Math.abs(date - bridgeNow()) > 2000) aheadMs = date - Date.now();
  const body = jsonObject(await response.text());
  if (response.status === 401 || (response.status === 404 && session.value?.mode === 'setup')) endSession(path, response.status);
  else isRefusedByHub.value = false;
  if (!response.ok) throw new ApiError(response.status, body ?? {}, response.headers.get('retry-after'));
  return body;
};

/** GETs an answer. Where the login has ended, the page shows that from then on. Throws ApiError, what `fetch` throws without a connection or an answer in time, and TypeError for what is no answer of the bridge. */
export const getJson = async <P extends keyof GetAnswers>(path: P, query = ''): Promise<GetAnswers[P]> => {
  const body = await request(path + query, { signal: AbortSignal.timeout(GET_MS) });
  if (!body) throw new TypeError(path);
  return body as GetAnswers[P];
};

/** GETs the values that a topic had in the last days. Throws as `getJson`. */
export const historyOf = (topic: string, days: number): Promise<TopicHistory> =>
  getJson('api/history', `?topic=${encodeURIComponent(topic)}&days=${days}`);

/** POSTs JSON. Throws as `getJson`. */
export const postJson = async <P extends string>(
  path: P,
  body: object = {},
): Promise<P extends keyof PostAnswers ? PostAnswers[P] : unknown> =>
  ((await request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })) ?? {}) as never;

/** Asks the server what the page may show. Throws as `getJson`. */
export const loadSession = async (): Promise<SessionReport> => {
  session.value = await getJson(SESSION);
  return session.value;
};

/** Logs in with the password of the page. False where the browser keeps no cookie of it. Throws ApiError with `wrong_password` or status 429. */
export const login = async (password: string): Promise<boolean> => {
  await postJson('api/login', { password });
  return (await loadSession()).login !== 'needed';
};

/** Ends the session in this browser. Of what was shown nothing stays. */
export const logout = async (): Promise<void> => {
  await postJson('api/logout');
  location.reload();
};
