import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Arrived, PlatformError } from './errors.ts';
import { type Stop, transportError } from './transport.ts';

export type HttpRequest = {
  readonly method: 'GET' | 'POST';
  /** Below the path of the origin's address, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called for each time the request is handed to the network: once, or twice for a GET that met a dead connection. */
  readonly onSend?: () => void;
};

export type HttpAnswer = {
  readonly status: number;
  /** Empty where there is none. */
  readonly contentType: string;
  /** Epoch milliseconds of the Date header; undefined where there is none. */
  readonly date: number | undefined;
  /** Where a redirect points, which is never followed; empty where there is none. */
  readonly location: string;
  readonly text: string;
};

export type HttpOptions = {
  /** For all of a request: waiting for a connection, connecting, headers and body. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
};

// Load balancers commonly close what is idle for 60 s; a shorter time stated by the server counts more.
const KEEP_ALIVE_MS = 50_000;
// One is in use; the second opens only for a command while a read hangs on the first.
const CONNECTIONS = 2;

const headerText = (value: string | string[] | undefined): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''));

const dateOf = (header: string): number | undefined => {
  const instant = Date.parse(header);
  return Number.isNaN(instant) ? undefined : instant;
};

/** One request on its way: undici's handler, the clock that ends it, and what is known of its arrival. */
class Exchange implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #arrived: Arrived = 'no';
  #stop: Stop | undefined;
  #status = 0;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};
  readonly #chunks: Buffer[] = [];
  readonly #origin: string;
  readonly #settle: (result: HttpAnswer | PlatformError) => void;

  constructor(origin: string, settle: (result: HttpAnswer | PlatformError) => void) {
    this.#origin = origin;
    this.#settle = settle;
  }

  /** Ends the exchange from our side: at once, also while it still waits for a connection. */
  stop(stop: Stop): void {
    this.#stop ??= stop;
    this.#fail(undefined);
    this.#controller?.abort(new Error(stop.by));
  }

  // undici calls this in the tick in which it writes: before it, surely no byte was sent.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#stop) {
      controller.abort(new Error(this.#stop.by));
      return;
    }
    this.#controller = controller;
    this.#arrived = 'maybe';
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#arrived = 'yes';
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle({
      status: this.#status,
      contentType: headerText(this.#headers['content-type']),
      date: dateOf(headerText(this.#headers.date)),
      location: headerText(this.#headers.location),
      text: Buffer.concat(this.#chunks).toString('utf8'),
    });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  #fail(cause: Error | undefined): void {
    this.#settle(transportError(this.#origin, cause, this.#arrived, this.#stop));
  }
}

/** One server over kept-alive HTTP/1.1 connections. It follows no redirect and gives every status as an answer. */
export class HttpOrigin {
  readonly origin: string;
  readonly #prefix: string;
  readonly #pool: Pool;
  readonly #options: HttpOptions;
  #connected = 0;

  constructor(address: string, options: HttpOptions) {
    const url = new URL(address);
    this.origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#options = options;
    this.#pool = new Pool(url.origin, {
      connections: CONNECTIONS,
      // HTTP/2 would be taken where offered, but tells less about what was sent.
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxResponseSize: options.maxBytes,
      // The exchange's own clock covers these three together.
      connectTimeout: options.timeoutMs,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#pool.on('connect', () => {
      this.#connected += 1;
    });
  }

  /** The whole answer, whatever its status; throws PlatformError where there is none. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const before = this.#connected;
    const result = await this.#exchange(request);
    if (!(result instanceof Error)) return result;
    // A server may close a kept connection in the moment in which it is used again. A read can simply be asked once more.
    const wasReused = this.#connected === before;
    if (!(request.method === 'GET' && result.code === 'cut' && result.arrived === 'maybe' && wasReused)) throw result;
    const second = await this.#exchange(request);
    if (second instanceof Error) throw second;
    return second;
  }

  /** Ends what is under way and closes the connections. */
  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  #exchange(request: HttpRequest): Promise<HttpAnswer | PlatformError> {
    return new Promise((resolve) => {
      const { signal, body } = request;
      const { timeoutMs } = this.#options;
      const settle = (result: HttpAnswer | PlatformError): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        resolve(result);
      };
      const exchange = new Exchange(this.origin, settle);
      const giveUp = (): void => exchange.stop({ by: 'caller', reason: signal?.reason });
      const timer = setTimeout(() => exchange.stop({ by: 'timeout', ms: timeoutMs }), timeoutMs);
      if (signal?.aborted) {
        giveUp();
        return;
      }
      signal?.addEventListener('abort', giveUp, { once: true });
      request.onSend?.();
      const { method, headers } = request;
      this.#pool.dispatch({ method, path: this.#prefix + request.path, headers: { ...headers }, body: body ?? null }, exchange);
    });
  }
}
