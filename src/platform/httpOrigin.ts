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
class Connection {
  readonly #origin: string;
  readonly #options: HttpOptions;
  #client: Promise<Client> | undefined;
  /** Requests that wait or run on it. */
  load = 0;
  /** How often it was opened: unchanged over a request, that request met a kept connection. */
  opened = 0;

  constructor(origin: string, options: HttpOptions) {
    this.#origin = origin;
    this.#options = options;
  }

  /** Loaded when it is first needed: Node's HTTP takes 10 ms, which need not be before the bridge hears commands. */
  get client(): Promise<Client> {
    this.#client ??= this.#load();
    return this.#client;
  }

  async #load(): Promise<Client> {
    const { Client: UndiciClient } = await import('undici');
    const { timeoutMs, maxBytes } = this.#options;
    const client = new UndiciClient(this.#origin, {
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
      this.opened += 1;
    });
    return client;
  }

  async close(): Promise<void> {
    await (await this.client).destroy();
  }
}

/** One server over a kept-alive HTTP/1.1 connection. It follows no redirect and gives an answer of any status. */
export class HttpOrigin {
  readonly origin: string;
  readonly #prefix: string;
  readonly #options: HttpOptions;
  readonly #connection: Connection;
  /** Connects only when a POST meets the connection busy: a command must not wait behind a read that hangs. */
  readonly #second: Connection;

  constructor(address: string, options: HttpOptions) {
    const url = new URL(address);
    this.origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#options = options;
    this.#connection = new Connection(url.origin, options);
    this.#second = new Connection(url.origin, options);
  }

  /** Loads what the first request needs. */
  async prepare(): Promise<void> {
    await this.#connection.client;
  }

  /**
   * The whole answer, of any status; throws PlatformError where there is none. The path is below that of the origin's address. A GET that met a
   * dead connection is sent once more.
   */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const connection = request.method === 'POST' && this.#connection.load > 0 ? this.#second : this.#connection;
    connection.load += 1;
    try {
      for (let isFirst = true; ; isFirst = false) {
        const { opened } = connection;
        const sent = { ...request, path: this.#prefix + request.path };
        const result = await exchange(await connection.client, this.origin, sent, this.#options.timeoutMs);
        if (!(result instanceof Error)) return result;
        // A server may close a kept connection at the moment when it is used again. A read can be sent again.
        const wasKept = connection.opened === opened;
        const isRepeatable = isFirst && request.method === 'GET' && result.code === 'cut' && result.arrived === 'maybe' && wasKept;
        if (!isRepeatable || request.mayRepeat?.() === false) throw result;
      }
    } finally {
      connection.load -= 1;
    }
  }

  /** Ends what is under way and closes the connections. */
  async close(): Promise<void> {
    await Promise.all([this.#connection.close(), this.#second.close()]);
  }
}
