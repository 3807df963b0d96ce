import { type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export type WebReply = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: Buffer;
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
        buffer(response).then((bytes) => {
          const text = bytes.toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, bytes, json: () => JSON.parse(text) });
        }, reject);
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

export type Heard = { readonly event: string; readonly id?: string; readonly data: Record<string, unknown> };

export type Follower = {
  readonly headers: IncomingHttpHeaders;
  readonly heard: readonly Heard[];
  /** The first event, heard already after `from` or still to come, that fits. */
  until(fits: (event: Heard) => boolean, from?: number): Promise<Heard>;
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>;
  close(): void;
};

const HEAR_MS = 20_000;

const readEvent = (block: string): Heard | undefined => {
  const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  const [event, data, id] = ['event', 'data', 'id'].map((name) => fields.get(name));
  return event === undefined ? undefined : { event, data: JSON.parse(data ?? '{}'), ...(id === undefined ? {} : { id }) };
};

/** Follows a stream of server-sent events until the test ends. Rejects with its status where there is none. */
export const follow = (port: number, path = '/api/stream', headers: OutgoingHttpHeaders = {}): Promise<Follower> =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers, agent: false });
    onTestFinished(() => void asked.destroy());
    asked.once('error', reject);
    asked.once('response', (response) => {
      asked.on('error', () => undefined);
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`status ${response.statusCode}`));
        return;
      }
      const heard: Heard[] = [];
      const waiting = new Set<() => void>();
      let rest = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const event = readEvent(block.replace(/^retry: \d+\n/, ''));
          if (event) heard.push(event);
        }
        for (const look of waiting) look();
      });
      const until: Follower['until'] = (fits, from = 0) =>
        new Promise((found, failed) => {
          const timer = setTimeout(() => failed(new Error(`not heard; heard last: ${JSON.stringify(heard.slice(-5))}`)), HEAR_MS);
          const look = (): void => {
            const event = heard.slice(from).find(fits);
            if (!event) return;
            clearTimeout(timer);
            waiting.delete(look);
            found(event);
          };
          waiting.add(look);
          look();
        });
      const ended = new Promise<void>((done) => response.once('close', () => done()).on('error', () => done()));
      resolve({ headers: response.headers, heard, until, ended, close: () => void asked.destroy() });
    });
    asked.end();
  });
