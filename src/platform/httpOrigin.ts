import type { Client } from 'undici';
import { exchange, type HttpAnswer, type HttpRequest } from './exchange.ts';

export type HttpOptions = {
  /** For the whole request: wait for a connection, connect, headers and body. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
};

// Load balancers usually close connections idle for 60 s. A shorter time from the server takes priority.
const KEEP_ALIVE_MS = 50_000;

/** One kept-alive connection. */
const connectionTo = (origin: string, { timeoutMs, maxBytes }: HttpOptions) => {
  let loaded: Promise<Client> | undefined;
  const connection = {
    /** Waiting and running requests. */
    load: 0,
    /**
     * How often it was opened. If a request does not change it, that request used a kept-alive connection.
     */
    opened: 0,
    /** Loaded on first use: Node's HTTP takes 10 ms, and the bridge must hear commands first. */
    client: (): Promise<Client> => {
      loaded ??= load();
      return loaded;
    },
  };
  const load = async (): Promise<Client> => {
    const { Client: UndiciClient } = await import('undici');
    const client = new UndiciClient(origin, {
      // With HTTP/2 the client cannot know whether a request was sent.
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxResponseSize: maxBytes,
      // The request's own timer covers all three.
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

/** One server over a kept-alive HTTP/1.1 connection. Follows no redirects; returns any status. */
export const httpOrigin = (address: string, options: HttpOptions) => {
  const { origin, pathname } = new URL(address);
  const prefix = pathname.replace(/\/+$/, '');
  const usual = connectionTo(origin, options);
  /** Connects only for a POST on a busy connection: a command must not wait behind a hanging read. */
  const second = connectionTo(origin, options);

  /**
   * The whole answer, of any status; otherwise throws PlatformError. The path is relative to the address. A
   * GET on a dead connection is sent once more.
   */
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    const connection = request.method === 'POST' && usual.load > 0 ? second : usual;
    connection.load += 1;
    try {
      for (let isFirst = true; ; isFirst = false) {
        const { opened } = connection;
        const result = await exchange(await connection.client(), origin, { ...request, path: prefix + request.path }, options.timeoutMs);
        if (!(result instanceof Error)) return result;
        // A server may close a kept-alive connection just before its next use. A read can be repeated.
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
    /** Cancels running requests and closes the connections. */
    close: async (): Promise<void> => {
      await Promise.all([usual, second].map(async ({ client }) => (await client()).destroy()));
    },
  };
};
