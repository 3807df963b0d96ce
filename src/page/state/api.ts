import { type GetAnswers, MEMBERS, type PostAnswers } from '../../api/answers.ts';
import { jsonObject } from '../../shared/json.ts';

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
export const apiUrl = (path: string): string => new URL(path, location.href).href;

/** Milliseconds by which the bridge's clock is ahead of the browser's. */
let aheadMs = 0;

/** The bridge's time (epoch ms), as its last answer told it. */
export const bridgeNow = (): number => Date.now() + aheadMs;

type Body = Readonly<Record<string, unknown>>;

const request = async (path: string, init: RequestInit): Promise<Body> => {
  const response = await fetch(apiUrl(path), { ...init, cache: 'no-store', credentials: 'same-origin' });
  const date = Date.parse(response.headers.get('date') ?? '');
  // The header has whole seconds.
  if (Number.isFinite(date) && Math.abs(date - bridgeNow()) > 2000) aheadMs = date - Date.now();
  const body = jsonObject(await response.text()) ?? {};
  if (!response.ok) throw new ApiError(response.status, body, response.headers.get('retry-after'));
  return body;
};

/** GETs an answer. Throws ApiError, what `fetch` throws without a connection, and TypeError for what is no answer of the bridge. */
export const getJson = async <P extends keyof GetAnswers>(path: P, query = ''): Promise<GetAnswers[P]> => {
  const body = await request(path + query, {});
  if (!(MEMBERS[path] in body)) throw new TypeError(path);
  return body as GetAnswers[P];
};

/** POSTs JSON. Throws as `getJson`. */
export const postJson = async <P extends string>(
  path: P,
  body: object = {},
): Promise<P extends keyof PostAnswers ? PostAnswers[P] : unknown> =>
  (await request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })) as never;
