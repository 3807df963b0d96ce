import type { Dispatcher } from 'undici';
import { percentDecoded } from '../shared/percentDecoded.ts';
import { isPrivateHost, lookupPublic } from './publicAddress.ts';

const TIMEOUT_MS = 10_000;
/** The request asks for an uncompressed answer. */
const MOST_BYTES = 5 * 1024 * 1024;
const MOST_REDIRECTS = 3;

/** The kinds of texts: the `accept` header, and the beginning of a valid text. */
const KINDS = {
  calendar: { accept: 'text/calendar, */*;q=0.1', form: /^\s*BEGIN:VCALENDAR/iu },
  'price list': { accept: 'application/json, */*;q=0.1', form: /^\s*[[{]/u },
} as const;

type Kind = keyof typeof KINDS;

/** Why an address was not read. The message never contains the address, which is secret. */
export class AddressError extends Error {
  readonly isGone: boolean;

  constructor(why: string, isGone = false) {
    super(why);
    this.isGone = isGone;
  }
}

/** The cache headers of the last answer, for the next request. */
export type Validators = { readonly etag?: string; readonly modified?: string };

/**
 * Fetches a text; undefined if unchanged. `https:` and `webcal:` to the internet; with `allowPrivate` also
 * `http:` and private networks. Throws AddressError.
 */
export const fetchText = async (
  kind: Kind,
  address: string,
  last: Validators,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly validators: Validators } | undefined> => {
  const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  let url = checked(address, allowPrivate);
  for (let redirects = 0; ; redirects += 1) {
    const { status, headers, body } = await get(kind, url, last, allowPrivate, within);
    if (status === 304 && (last.etag ?? last.modified) !== undefined) return undefined;
    if (status === 404 || status === 410) throw new AddressError(`the server has no such ${kind} (${status})`, true);
    const location = headerOf(headers, 'location');
    if (status >= 300 && status < 400 && location !== undefined) {
      if (redirects === MOST_REDIRECTS) throw new AddressError('too many redirects');
      url = checked(URL.parse(location, url)?.href ?? '', allowPrivate);
      continue;
    }
    if (status !== 200) throw new AddressError(`the server answers ${status}`);
    const text = textOf(body);
    if (!KINDS[kind].form.test(text)) throw new AddressError(`the answer is not a ${kind}`);
    const [etag, modified] = [headerOf(headers, 'etag'), headerOf(headers, 'last-modified')];
    return { text, validators: { ...(etag ? { etag } : {}), ...(modified ? { modified } : {}) } };
  }
};

/**
 * Decodes an answer: UTF-8, else windows-1252 (older programs). A calendar line may be folded inside a
 * multi-byte character, so the lines are joined first.
 */
const textOf = (body: Buffer): string => {
  const bytes = Buffer.from(body.toString('latin1').replaceAll(/\r?\n[ \t]/gu, ''), 'latin1');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
};

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const headerOf = (headers: Headers, name: string): string | undefined => [headers[name]].flat()[0];

const PRIVATE_NETWORK = 'the address is in a private network; this needs the setting allow_private';

const checked = (address: string, allowPrivate: boolean): URL => {
  const url = URL.parse(address.replace(/^webcals?:/iu, 'https:'));
  if (!url || !(url.protocol === 'https:' || (allowPrivate && url.protocol === 'http:')))
    throw new AddressError('the address must begin with https: or webcal:, or with http: and the setting allow_private');
  if (!allowPrivate && (isPrivateHost(url.hostname) || url.hostname === 'localhost')) throw new AddressError(PRIVATE_NETWORK);
  return url;
};

type HttpAnswer = { readonly status: number; readonly headers: Headers; readonly body: Buffer };

const get = async (
  kind: Kind,
  url: URL,
  { etag, modified }: Validators,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<HttpAnswer> => {
  const { Client } = await import('undici');
  const client = new Client(url.origin, {
    allowH2: false,
    maxResponseSize: MOST_BYTES,
    connectTimeout: TIMEOUT_MS,
    ...(allowPrivate ? {} : { connect: { lookup: lookupPublic } }),
  });
  const headers = {
    ...{ accept: KINDS[kind].accept, 'accept-encoding': 'identity', 'user-agent': 'heating2mqtt' },
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(modified === undefined ? {} : { 'if-modified-since': modified }),
    ...(url.username === '' ? {} : { authorization: basic(url) }),
  };
  try {
    return await dispatch(client, { method: 'GET', path: `${url.pathname}${url.search}`, headers }, signal);
  } finally {
    await client.destroy().catch(() => undefined);
  }
};

const basic = ({ username, password }: URL): string =>
  `Basic ${Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`).toString('base64')}`;

const dispatch = (client: Pick<Dispatcher, 'dispatch'>, request: Dispatcher.DispatchOptions, signal: AbortSignal): Promise<HttpAnswer> => {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  let [body, size] = [Buffer.alloc(0), 0];
  let head: Omit<HttpAnswer, 'body'> = { status: 0, headers: {} };
  // Network errors contain at most host and port. Other messages could contain the path.
  const fail = (error: Error & { code?: unknown }): void => {
    const code = typeof error.code === 'string' ? error.code : 'no answer';
    const why = code === 'ENOTPUBLIC' ? PRIVATE_NETWORK : `the server cannot be read (${code})`;
    reject(new AddressError(code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'the answer has more than 5 MB' : why));
  };
  const giveUp = (): void => reject(new AddressError('no answer within 10 s'));
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  else
    client.dispatch(request, {
      onRequestStart: () => undefined,
      onResponseStart: (_, status, headers) => {
        head = { status, headers };
      },
      // Chunks are copied into one buffer. Many small chunks use more memory than their bytes.
      onResponseData: (_, chunk) => {
        const end = size + chunk.length;
        if (end > body.length) body = Buffer.concat([body.subarray(0, size)], Math.max(end, 2 * body.length));
        size += chunk.copy(body, size);
      },
      onResponseEnd: () => resolve({ ...head, body: body.subarray(0, size) }),
      onResponseError: (_, error) => fail(error),
    });
  return promise.finally(() => signal.removeEventListener('abort', giveUp));
};
