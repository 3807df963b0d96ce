import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Route, refused, type WebAnswer } from '../routes.ts';

export const MOST_BODY_BYTES = 65_536;

const tooLarge = (most: number): WebAnswer =>
  refused(413, 'too_large', `The request is too large; the maximum is ${most} bytes.`, { headers: { connection: 'close' } });
const NO_JSON = refused(400, 'no_json', 'The request is not valid JSON.');

/** The JSON, form fields or file (at most `mostFileBytes`) of a request, else a refusal. Size-limited. */
export const readBody = async (
  request: IncomingMessage,
  { mostFileBytes, isForm }: Pick<Route, 'mostFileBytes' | 'isForm'>,
): Promise<{ readonly value: unknown } | WebAnswer> => {
  const most = mostFileBytes ?? MOST_BODY_BYTES;
  if (Number(request.headers['content-length'] ?? 0) > most) return tooLarge(most);
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays open for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > most) return tooLarge(most);
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (mostFileBytes !== undefined) return { value: body };
  if (bytes === 0) return { value: undefined };
  if (!isUtf8(body)) return NO_JSON;
  if (isForm) return { value: Object.fromEntries(new URLSearchParams(body.toString('utf8'))) };
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    return NO_JSON;
  }
};
