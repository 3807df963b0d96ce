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

const request = async (path: string, init: RequestInit): Promise<Readonly<Record<string, unknown>>> => {
  const response = await fetch(apiUrl(path), { ...init, cache: 'no-store', credentials: 'same-origin' });
  const date = Date.parse(response.headers.get('date') ?? '');
  // The header has whole seconds.
  if (Number.isFinite(date) && Math.abs(date - bridgeNow()) > 2000) aheadMs = date - Date.now();
  const text = await response.text();
  const body: Readonly<Record<string, unknown>> = text === '' ? {} : jsonOf(text);
  if (!response.ok) throw new ApiError(response.status, body, response.headers.get('retry-after'));
  return body;
};

const jsonOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : { list: value };
  } catch {
    return {};
  }
};

/** GETs JSON; a list comes as `list`. Throws ApiError, or what `fetch` throws without a connection. */
export const getJson = (path: string): Promise<Readonly<Record<string, unknown>>> => request(path, {});

/** POSTs JSON. Throws as `getJson`. */
export const postJson = (path: string, body: object = {}): Promise<Readonly<Record<string, unknown>>> =>
  request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

/** A new id for a write: also without a secure context. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
