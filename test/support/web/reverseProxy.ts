import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';
import { onTestFinished } from 'vitest';

/** `keeps`: passes the path as it is, with the browser's `Host`. `strips`: takes the prefix off, and asks the bridge by its own name. `ingress`: as Home Assistant. */
export type ProxyStyle = 'keeps' | 'strips' | 'ingress';

export type ReverseProxy = {
  /** Where a browser finds the page. */
  readonly url: string;
  readonly port: number;
  /** Where the page lies, without a slash at its end. */
  readonly prefix: string;
  /** For a browser that takes its names from here, as from a DNS of the home: any name leads to this proxy. */
  readonly server: string;
  /** Answers that passed: `GET 200 api/state`. */
  readonly passed: readonly string[];
  /** Where the bridge listens. */
  leadTo(port: number): void;
  /** The browser's login at Home Assistant has ended. */
  end(): void;
  /** Home Assistant's own window has made a new one. */
  renew(): void;
};

export type ProxyOptions = {
  /** The name that the browser asks for; without it the address. */
  readonly name?: string;
  /** The browser's own address. */
  readonly client?: string;
  /** Compresses streams too, and so holds them back, as Home Assistant did until 2026. */
  readonly holdsStreams?: boolean;
};

const INGRESS = '/api/hassio_ingress/Xq3-TokenOfOneAddOn_9';
const DASHBOARD = `<!doctype html><title>Home</title><style>body{margin:0}iframe{border:0;width:100vw;height:100vh}</style><iframe title="Heating" src="${INGRESS}/"></iframe>`;

const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'proxy-connection', 'upgrade']);

/** As Home Assistant adds them; what a browser forged is gone. */
const ingressHeaders = (headers: IncomingHttpHeaders): Record<string, string | string[] | undefined> => {
  const { 'accept-encoding': _encoding, ...rest } = headers;
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('x-remote-user'))),
    'x-ingress-path': INGRESS,
    'x-hass-source': 'core.ingress',
    'x-remote-user-id': '5f2c8e0e4b9d4a7d',
    'x-remote-user-name': 'anna',
    'x-remote-user-display-name': Buffer.from('Änna B.').toString('latin1'),
  };
};

/** A reverse proxy before the page. It shares no code with what it tests. All of it ends with the test. */
export const startReverseProxy = async (
  style: ProxyStyle,
  { name, client, holdsStreams = false }: ProxyOptions = {},
): Promise<ReverseProxy> => {
  const prefix = style === 'ingress' ? INGRESS : '/heating';
  const passed: string[] = [];
  let target = 0;
  let isOpen = true;

  const pass = (incoming: IncomingMessage, outgoing: ServerResponse, path: string): void => {
    const { headers, method = '', socket } = incoming;
    const own = Object.fromEntries(Object.entries(headers).filter(([header]) => !HOP_BY_HOP.has(header)));
    const asked = request({
      ...{ host: '127.0.0.1', port: target, method, path },
      headers: {
        ...(style === 'ingress' ? ingressHeaders(own) : own),
        ...(style === 'strips' ? { host: `127.0.0.1:${target}` } : {}),
        'x-forwarded-for': client ?? socket.remoteAddress,
        'x-forwarded-host': headers.host,
        'x-forwarded-proto': 'http',
      },
    });
    asked.on('response', (answer) => {
      passed.push(`${method} ${answer.statusCode} ${path.replace(/^\/(?:heating\/)?/, '')}`);
      const kept = Object.fromEntries(Object.entries(answer.headers).filter(([header]) => !HOP_BY_HOP.has(header)));
      if (style !== 'ingress') {
        outgoing.writeHead(answer.statusCode ?? 502, kept);
        outgoing.flushHeaders();
        answer.pipe(outgoing);
        return;
      }
      const { 'content-type': type, 'content-length': _length, ...rest } = kept;
      const isStream = type === 'text/event-stream';
      const isPacked = answer.statusCode !== 204 && (!isStream || holdsStreams) && String(headers['accept-encoding']).includes('gzip');
      outgoing.writeHead(answer.statusCode ?? 502, {
        ...rest,
        ...(type === undefined ? {} : { 'content-type': String(type).split(';')[0] }),
        ...(isPacked ? { 'content-encoding': 'gzip' } : {}),
        'referrer-policy': 'no-referrer',
      });
      outgoing.flushHeaders();
      if (isPacked) answer.pipe(createGzip()).pipe(outgoing);
      else answer.pipe(outgoing);
    });
    asked.on('error', () => outgoing.destroy());
    outgoing.on('close', () => asked.destroy());
    incoming.pipe(asked);
  };

  const server = createServer((incoming, outgoing) => {
    // A browser that uses this as its proxy says the whole address.
    const { pathname, search } = new URL(incoming.url ?? '', 'http://home');
    if (style === 'ingress' && pathname === '/dashboard') outgoing.writeHead(200, { 'content-type': 'text/html' }).end(DASHBOARD);
    else if (!isOpen) outgoing.writeHead(401).end('401: Unauthorized');
    else if (pathname !== prefix && !pathname.startsWith(`${prefix}/`)) outgoing.writeHead(404).end('404: Not Found');
    else pass(incoming, outgoing, (style === 'keeps' ? pathname : pathname.slice(prefix.length)) + search);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const place = `127.0.0.1:${port}`;
  return {
    url: `http://${name ?? place}${style === 'ingress' ? '/dashboard' : `${prefix}/`}`,
    ...{ port, prefix },
    server: `http://${place}`,
    passed,
    leadTo: (to) => {
      target = to;
    },
    end: () => {
      isOpen = false;
    },
    renew: () => {
      isOpen = true;
    },
  };
};
