import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

export type WebReply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly json: () => Record<string, unknown>;
};

export type Asked = {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly raw?: string | Buffer;
};

/** A client of the page that sends just the headers that it is told, and a browser's where it writes. */
export const webClient = (port: number, host = '127.0.0.1') => {
  const ask = (path: string, { method, headers = {}, body, raw }: Asked = {}): Promise<WebReply> =>
    new Promise((resolve, reject) => {
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const type = sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(sent) };
      const asked = request({
        host,
        port,
        path,
        method: method ?? (sent === undefined ? 'GET' : 'POST'),
        headers: { ...type, ...headers },
        agent: false,
      });
      asked.once('error', reject);
      asked.once('response', (response) => {
        textOf(response).then(
          (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: () => JSON.parse(text) }),
          reject,
        );
      });
      asked.end(sent);
    });
  return {
    ask,
    get: (path: string, headers: OutgoingHttpHeaders = {}) => ask(path, { headers }),
    /** As the page itself posts, over plain http. */
    post: (path: string, body: unknown, headers: OutgoingHttpHeaders = {}) =>
      ask(path, { method: 'POST', body, headers: { origin: `http://${host}:${port}`, ...headers } }),
  };
};

export type WebClient = ReturnType<typeof webClient>;

/** The cookie that an answer sets, as a browser sends it back. */
export const cookieOf = ({ headers }: WebReply): string => (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
