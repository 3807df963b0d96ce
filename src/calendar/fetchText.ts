import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { percentDecoded } from '../shared/percentDecoded.ts';
import { isPrivateHost, lookupPublic } from './publicAddress.ts';

const TIMEOUT_MS = 10_000;
/** Also after unpacking. */
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
type Validators = { readonly etag?: string | undefined; readonly modified?: string | undefined };

/**
 * Fetches a text; undefined if it is unchanged since the last time. `https:` and `webcal:` to the internet;
 * with `allowPrivate` also `http:` and private networks. Throws AddressError.
 */
export const textReader = (kind: Kind, address: string, allowPrivate: boolean) => {
  let last: Validators = {};
  return async (signal: AbortSignal): Promise<string | undefined> => {
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
      const text = textOf(/^(?:x-)?gzip$/iu.test(headerOf(headers, 'content-encoding') ?? '') ? await unpacked(body) : body);
      if (!KINDS[kind].form.test(text)) throw new AddressError(`the answer is not a ${kind}`);
      last = { etag: headerOf(headers, 'etag'), modified: headerOf(headers, 'last-modified') };
      return text;
    }
  };
};

const TOO_LARGE = 'the answer has more than 5 MB';

/**
 * Some servers send stored files compressed to everybody. The request asks for none: with compression Apache
 * changes its ETag, and then never answers 304.
 */
const unpacked = (body: Buffer): Promise<Buffer> =>
  promisify(gunzip)(body, { maxOutputLength: MOST_BYTES }).catch((error: Error & { code?: unknown }) => {
    throw new AddressError(error.code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : 'the answer cannot be unpacked');
  });

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
    ...(etag ? { 'if-none-match': etag } : {}),
    ...(modified ? { 'if-modified-since': modified } : {}),
    ...(url.username === '' ? {} : { authorization: basic(url) }),
  };
  try {
    const answer = await client.request({ method: 'GET', path: `${url.pathname}${url.search}`, headers, signal });
    return { status: answer.statusCode, headers: answer.headers, body: await bytesOf(answer.body) };
  } catch (error) {
    throw new AddressError(signal.aborted ? 'no answer within 10 s' : whyNot(error));
  } finally {
    await client.destroy().catch(() => undefined);
  }
};

const basic = ({ username, password }: URL): string =>
  `Basic ${Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`).toString('base64')}`;

/** Chunks are copied into one buffer. Many small chunks use more memory than their bytes. */
const bytesOf = async (chunks: AsyncIterable<Buffer>): Promise<Buffer> => {
  let [body, size] = [Buffer.alloc(0), 0];
  for await (const chunk of chunks) {
    const end = size + chunk.length;
    if (end > body.length) body = Buffer.concat([body.subarray(0, size)], Math.max(end, 2 * body.length));
    size += chunk.copy(body, size);
  }
  return body.subarray(0, size);
};

/** Network errors contain at most host and port. Other messages could contain the path. */
const whyNot = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'no answer';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return TOO_LARGE;
  return code === 'ENOTPUBLIC' ? PRIVATE_NETWORK : `the server cannot be read (${code})`;
};
