import type { ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { WebAnswer } from '../routes.ts';

/** A smaller answer is not compressed. */
const LEAST_GZIP_BYTES = 1024;
/** A client that does not read its answer is disconnected after this time without progress. */
const STALLED_MS = 60_000;

const CSP = [
  ...[
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
  ],
  ...["base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
];

const NO_FEATURES = 'camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), payment=(), usb=()';

/** Headers are ASCII only: an origin with other letters is written in the form that browsers compare. */
const asciiOrigin = (origin: string): string => URL.parse(origin)?.origin ?? "'none'";

/** The headers of every answer. `frameAncestors`: other sites that may show the page in a frame. */
export const commonHeaders = (frameAncestors: readonly string[], isSecure: boolean): Readonly<Record<string, string>> => ({
  'content-security-policy': [...CSP, ["frame-ancestors 'self'", ...frameAncestors.map(asciiOrigin)].join(' ')].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': NO_FEATURES,
  'cache-control': 'no-store',
  // On plain http, browsers ignore it with a warning.
  ...(isSecure ? { 'cross-origin-opener-policy': 'same-origin' } : {}),
});

type Wanted = { readonly isHead: boolean; readonly takesGzip: boolean };

type Body = { readonly type?: string; readonly bytes: Uint8Array; readonly isGzip: boolean };

const bodyOf = async ({ json, content }: WebAnswer, takesGzip: boolean): Promise<Body> => {
  if (content && 'gzipped' in content)
    return { type: content.type, bytes: takesGzip ? content.gzipped : await promisify(gunzip)(content.gzipped), isGzip: takesGzip };
  if (content && 'bytes' in content) return { ...content, isGzip: false };
  if (!content && json === undefined) return { bytes: Buffer.alloc(0), isGzip: false };
  const [type, text] = content ? [content.type, content.text] : ['application/json', JSON.stringify(json)];
  const bytes = Buffer.from(text);
  if (!takesGzip || bytes.length < LEAST_GZIP_BYTES) return { type, bytes, isGzip: false };
  return { type, bytes: await promisify(gzip)(bytes, { level: 1 }), isGzip: true };
};

/** Sends an answer, compressed if wanted, and without content for HEAD. */
export const send = async (response: ServerResponse, answer: WebAnswer, { isHead, takesGzip }: Wanted): Promise<void> => {
  const { status, headers = {}, stream } = answer;
  if (stream) {
    response.writeHead(status, headers);
    if (isHead) response.end();
    else {
      response.flushHeaders();
      stream(response);
    }
    return;
  }
  response.setTimeout(STALLED_MS, () => response.destroy());
  const { type, bytes, isGzip } = await bodyOf(answer, takesGzip);
  // The length is that of the content, which these statuses do not have.
  const isEmpty = status === 204 || status === 304;
  response.writeHead(status, {
    ...(type === undefined ? {} : { 'content-type': type, vary: 'accept-encoding' }),
    ...(isGzip ? { 'content-encoding': 'gzip' } : {}),
    ...(isEmpty ? {} : { 'content-length': bytes.length }),
    ...headers,
  });
  if (isHead || isEmpty) response.end();
  else response.end(bytes);
};
