import type { Client } from 'undici';
import { exchange, type HttpAnswer, type HttpRequest } from './exchange.ts';

export type HttpOptions = {
  /** For all of a request: waiting for a connection, connecting, headers and body. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
};

// Load balancers commonly close what is idle for 60 s; a shorter time stated by the server counts more.
const KEEP_ALIVE_MS = 50_000;

/** One kept-alive connection. */
const connectionTo = (origin: string, { timeoutMs, maxBytes }: HttpOptions) => {
  let loaded: Promise<Client> | undefined;
  const connection = {
    /** Requests that wait or run on it. */
    load: 0,
    /** How often it was opened: unchanged over a request, that request met a kept connection. */
    opened: 0,
    /** Loaded when it is first needed: Node's HTTP takes 10 ms, which need not be before the bridge hears commands. */
    client: (): Promise<Client> => {
      loaded ??= load();
      return loaded;
    },
  };
  const load = async (): Promise<Client> => {
    const { Client: UndiciClient } = await import('undici');
    const client = new UndiciClient(origin, {
      // With HTTP/2 it could not be known whether a request was sent.
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxResponseSize: maxBytes,
      // The request's own timer covers these three together.
      connectTimeout: timeoutMs,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    client.on('connect', () => {
      connection.opened += 1;
    });
    return client;
  };
  return connection;
};

/** One server over a kept-alive HTTP/1.1 connection. It follows no redirect and gives an answer of any status. */
export const httpOrigin = (address: string, options: HttpOptions) => {
  const { origin, pathname } = new URL(address);
  const prefix = pathname.replace(/\/+$/, '');
  const usual = connectionTo(origin, options);
  /** Connects only when a POST meets the connection busy: a command must not wait behind a read that hangs. */
  const second = connectionTo(origin, options);

  /**
   * The whole answer, of any status; throws PlatformError where there is none. The path is below that of the origin's address. A GET that met a
   * dead connection is sent once more.
   */
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    const connection = request.method === 'POST' && usual.load > 0 ? second : usual;
    connection.load += 1;
    try {
      for (let isFirst = true; ; isFirst = false) {
        const { opened } = connection;
        const result = await exchange(await connection.client(), origin, { ...request, path: prefix + request.path }, options.timeoutMs);
        if (!(result instanceof Error)) return result;
        // A server may close a kept connection at the moment when it is used again. A read can be sent again.
        const wasKept = connection.opened === opened;
        const isRepeatable = isFirst && request.method === 'GET' && result.code === 'cut' && result.arrived === 'maybe' && wasKept;
        if (!isRepeatable || request.mayRepeat?.() === false) throw result;
      }
    } finally {
      connection.load -= 1;
    }
  };

  return {
    send,
    /** Loads what the first request needs. */
    prepare: async (): Promise<void> => void (await usual.client()),
    /** Ends what is under way and closes the connections. */
    close: async (): Promise<void> => {
      await Promise.all([usual, second].map(async ({ client }) => (await client()).destroy()));
    },
  };
};
