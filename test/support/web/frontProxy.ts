import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createGunzip, createGzip } from 'node:zlib';

export type FrontProxyOptions = {
  /** The port of the page, or of its ingress. */
  readonly port: number;
  /** Where the proxy shows the page: `/heating`. */
  readonly prefix: string;
  /** `kept` and `stripped`: a plain proxy that leaves the prefix in its requests, or takes it off. `ingress`: as Home Assistant and its Supervisor. */
  readonly kind: 'kept' | 'stripped' | 'ingress';
  /** Holds streams back, as Home Assistant did by compressing them. */
  readonly holdsStreams?: boolean;
};

/** The user of Home Assistant, as the Supervisor names it. */
const USER = { 'x-remote-user-id': 'abc', 'x-remote-user-name': 'paula', 'x-remote-user-display-name': 'Paula' };

const requestHeaders = ({ headers, socket }: IncomingMessage, { kind, prefix }: FrontProxyOptions): OutgoingHttpHeaders => {
  const forwarded = { 'x-forwarded-for': socket.remoteAddress, 'x-forwarded-host': headers.host, 'x-forwarded-proto': 'http' };
  const { 'accept-encoding': encoding, ...others } = headers;
  if (kind !== 'ingress') return { ...headers, ...forwarded };
  return { ...others, ...forwarded, ...USER, 'x-ingress-path': prefix, 'x-hass-source': 'core.ingress' };
};

/** Home Assistant drops the charset, takes the encoding off, and compresses at its own border. */
const ingressAnswer = (asked: IncomingMessage, answer: IncomingMessage, response: ServerResponse): void => {
  const { 'content-encoding': encoding, 'content-length': _, 'content-type': type = '', ...headers } = answer.headers;
  const takesGzip = String(asked.headers['accept-encoding'] ?? '').includes('gzip');
  response.writeHead(answer.statusCode ?? 502, {
    ...headers,
    'content-type': type.replace(/;.*$/, ''),
    'referrer-policy': 'no-referrer',
    ...(takesGzip ? { 'content-encoding': 'gzip' } : {}),
  });
  const plain = encoding === 'gzip' ? answer.pipe(createGunzip()) : answer;
  if (takesGzip) plain.pipe(createGzip()).pipe(response);
  else plain.pipe(response);
};

/** A proxy before the page, on a port of its own. */
export const startFrontProxy = async (options: FrontProxyOptions): Promise<{ readonly port: number; close(): Promise<void> }> => {
  const { port, prefix, kind, holdsStreams = false } = options;
  const sockets = new Set<Socket>();
  const server = createServer((asked, response) => {
    const { url = '', method } = asked;
    if (!url.startsWith(`${prefix}/`)) {
      response.writeHead(502).end();
      return;
    }
    const path = kind === 'kept' ? url : url.slice(prefix.length);
    const forwarded = request({ host: '127.0.0.1', port, path, method, headers: requestHeaders(asked, options), agent: false });
    forwarded.on('error', () => response.destroy());
    forwarded.on('response', (answer) => {
      answer.on('error', () => response.destroy());
      const isStream = answer.headers['content-type'] === 'text/event-stream';
      if (isStream && holdsStreams) answer.resume();
      else if (kind === 'ingress' && !isStream && answer.statusCode !== 204) ingressAnswer(asked, answer, response);
      else {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
      }
    });
    response.on('close', () => void forwarded.destroy());
    asked.pipe(forwarded);
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
