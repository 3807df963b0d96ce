import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { RequestHandler } from './requestHandler.ts';
import { plainAddress } from './security/clientAddress.ts';

/** For a client that neither sends nor reads; the page's event stream has a comment every 20 seconds. */
const SILENT_MS = 60_000;
export const HEADER_BYTES = 16_384;
/** Time limits for headers and for a whole request. Each check (`checkMs`) wakes even an idle process. */
export type Timeouts = { readonly headersMs: number; readonly requestMs: number; readonly checkMs: number };

export const TIMEOUTS: Timeouts = { headersMs: 10_000, requestMs: 30_000, checkMs: 30_000 };

export type Listening = {
  readonly port: number;
  /** True while no more clients can connect. */
  isFull(): boolean;
  close(): Promise<void>;
};

export type Place = {
  /** All addresses if absent. */
  readonly address?: string | undefined;
  readonly port: number;
  /** Other peers are disconnected before anything is read; all are allowed if absent. */
  readonly peers?: readonly string[];
  readonly timeouts?: Timeouts | undefined;
};

/** Listens for requests to the handler. Rejects with the system's error. */
export const listen = async (handler: RequestHandler, { address, port, peers, timeouts = TIMEOUTS }: Place): Promise<Listening> => {
  /** The last answer on each connection. */
  const answers = new WeakMap<Socket, ServerResponse>();
  const server = createServer(
    {
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkMs,
    },
    (request, response) => {
      answers.set(request.socket, response);
      void handler.handle(request, response);
    },
  );
  server.setTimeout(SILENT_MS, (socket) => {
    // If the answer has not begun, its work continues.
    if (answers.get(socket)?.headersSent ?? true) socket.destroy();
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket.writable && error.code !== 'ECONNRESET')
      socket.write(`HTTP/1.1 ${STATUS_LINES[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
    // Otherwise a client that keeps its side open would keep the connection.
    if (socket instanceof Socket) socket.destroySoon();
    else socket.destroy();
  });
  const limit = handler.connections;
  server.on('connection', (socket) => {
    if ((peers && !peers.includes(plainAddress(socket.remoteAddress))) || !limit.takes(socket)) socket.destroy();
  });
  server.listen({ port, ...(address === undefined ? {} : { host: address }) });
  await once(server, 'listening');
  const { port: opened } = server.address() as AddressInfo;
  return { port: opened, isFull: () => limit.isFull, close: () => close(server) };
};

const STATUS_LINES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Time for answers that are being sent. */
const LAST_ANSWERS_MS = 500;

const close = async (server: Server): Promise<void> => {
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await closed;
  clearTimeout(timer);
};
