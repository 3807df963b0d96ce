import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { refused, type WebAnswer } from '../routes.ts';

export const MOST_BODY_BYTES = 65_536;

const TOO_LARGE = refused(413, 'too_large', `A request has at most ${MOST_BODY_BYTES} bytes.`, { headers: { connection: 'close' } });
const NO_JSON = refused(400, 'no_json', 'The request holds no JSON.');

/** The JSON of a request, or the refusal. No more than the limit is ever held. */
export const readJsonBody = async (request: IncomingMessage): Promise<{ readonly value: unknown } | WebAnswer> => {
  if (Number(request.headers['content-length'] ?? 0) > MOST_BODY_BYTES) return TOO_LARGE;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // The connection stays for the answer.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    bytes += chunk.length;
    if (bytes > MOST_BODY_BYTES) return TOO_LARGE;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (body.length === 0) return { value: undefined };
  if (!isUtf8(body)) return NO_JSON;
  try {
    return { value: JSON.parse(body.toString('utf8')) };
  } catch {
    return NO_JSON;
  }
};
