import type { Dispatcher } from 'undici';
import type { Arrived, PlatformError } from './errors.ts';
import { type Stop, transportError } from './transportError.ts';

export type HttpRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called when the request is written to a connection. */
  readonly onSend?: () => void;
};

/** One answer, read to its end. */
export type HttpAnswer = {
  readonly status: number;
  /** Empty where there is none. */
  readonly contentType: string;
  /** Epoch milliseconds of the Date header; undefined where there is none. */
  readonly date: number | undefined;
  /** Where a redirect points, which is never followed; empty where there is none. */
  readonly location: string;
  /** The body. */
  readonly bytes: Buffer;
  /** The body as text. It is decoded at each call, as most answers are known by their bytes. */
  readonly text: () => string;
};

type Headers = Readonly<Record<string, string | string[] | undefined>>;

const answerOf = (status: number, headers: Headers, bytes: Buffer): HttpAnswer => {
  const header = (name: string): string => [headers[name] ?? ''].flat()[0] ?? '';
  const date = Date.parse(header('date'));
  return {
    status,
    contentType: header('content-type'),
    date: Number.isNaN(date) ? undefined : date,
    location: header('location'),
    bytes,
    text: () => bytes.toString('utf8'),
  };
};

/** A body is given so much room at once where its header says that it is that long. */
const MOST_ROOM = 1024 * 1024;

/** Chunks are copied together, as a kept chunk costs more memory than it has bytes where a body comes byte by byte. */
class Body {
  #bytes: Buffer = Buffer.alloc(0);
  #size = 0;

  /** `length`: what the header says. */
  expect(length: number): void {
    this.#bytes = Buffer.allocUnsafe(Math.min(length || 0, MOST_ROOM));
  }

  append(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (size > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, 2 * this.#bytes.length));
      this.#bytes.copy(larger, 0, 0, this.#size);
      this.#bytes = larger;
    }
    chunk.copy(this.#bytes, this.#size);
    this.#size = size;
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }
}

/** Sends one request to `origin` and reads the whole answer, of any status; gives what is known of a failure. Never rejects. */
export const exchange = (
  client: Pick<Dispatcher, 'dispatch'>,
  origin: string,
  request: HttpRequest,
  timeoutMs: number,
): Promise<HttpAnswer | PlatformError> => {
  const { promise, resolve } = Promise.withResolvers<HttpAnswer | PlatformError>();
  const { method, path, headers, body = null, signal } = request;
  const received = new Body();
  let controller: Dispatcher.DispatchController | undefined;
  let arrived: Arrived = 'no';
  let stopped: Stop | undefined;
  let head: { readonly status: number; readonly headers: Headers } = { status: 0, headers: {} };
  const settle = (result: HttpAnswer | PlatformError): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
    resolve(result);
  };
  const fail = (cause?: Error): void => settle(transportError(origin, cause, arrived, stopped));
  /** Ends the request at once, also while it waits for a connection. */
  const stop = (why: Stop): void => {
    stopped ??= why;
    fail();
    controller?.abort(new Error(why.kind));
  };
  const giveUp = (): void => stop({ kind: 'caller', reason: signal?.reason });
  const timer = setTimeout(() => stop({ kind: 'timeout', ms: timeoutMs }), timeoutMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  if (signal?.aborted) giveUp();
  else
    client.dispatch(
      { method, path, headers: { ...headers }, body },
      {
        // undici calls this in the tick in which it writes. Before that, no byte was sent.
        onRequestStart: (started) => {
          if (stopped) {
            started.abort(new Error(stopped.kind));
            return;
          }
          controller = started;
          arrived = 'maybe';
          request.onSend?.();
        },
        onResponseStart: (_, status, fields) => {
          arrived = 'yes';
          head = { status, headers: fields };
          received.expect(Number(fields['content-length']));
        },
        onResponseData: (_, chunk) => received.append(chunk),
        onResponseEnd: () => settle(answerOf(head.status, head.headers, received.bytes)),
        onResponseError: (_, error) => fail(error),
      },
    );
  return promise;
};
