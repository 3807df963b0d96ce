import type { Dispatcher } from 'undici';
import type { Arrived, PlatformError } from './errors.ts';
import { type Stop, transportError } from './transportError.ts';

/** The end of the year 9999. A day after the latest date of JavaScript ends in a RangeError. */
const LATEST_MS = 253_402_300_800_000;
/** A body is given so much room at once where its header says that it is that long. */
const MOST_ROOM = 1024 * 1024;

export type HttpRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Asked in the tick in which the request is written: false gives it up. A process may have been paused since it asked for more. */
  readonly mayLeave?: (() => boolean) | undefined;
  /** Called when the request is written to a connection. */
  readonly onSend?: () => void;
  /** Asked before a GET that met a dead connection is sent once more. */
  readonly mayRepeat?: () => boolean;
};

/** One answer, read to its end. */
export type HttpAnswer = {
  readonly status: number;
  /** Empty where there is none. */
  readonly contentType: string;
  /** Epoch milliseconds of the Date header; undefined where there is none that makes sense. */
  readonly date: number | undefined;
  /** Where a redirect points, which is never followed; empty where there is none. */
  readonly location: string;
  readonly bytes: Buffer;
};

/** Sends one request to `origin` and reads the whole answer, of any status; gives what is known of a failure. Never rejects. */
export const exchange = (
  client: Pick<Dispatcher, 'dispatch'>,
  origin: string,
  request: HttpRequest,
  timeoutMs: number,
): Promise<HttpAnswer | PlatformError> => {
  const { promise, resolve } = Promise.withResolvers<HttpAnswer | PlatformError>();
  const { method, path, headers, body = null, signal } = request;
  let controller: Dispatcher.DispatchController | undefined;
  let arrived: Arrived = 'no';
  let stopped: Stop | undefined;
  let head: Omit<HttpAnswer, 'bytes'> = { status: 0, contentType: '', date: undefined, location: '' };
  let bytes = Buffer.alloc(0);
  let size = 0;
  const fail = (cause?: Error): void => resolve(transportError(origin, cause, arrived, stopped));
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
          if (request.mayLeave?.() === false) stop({ kind: 'caller', reason: new Error('it may not leave any more') });
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
          const [contentType = '', date = '', location = ''] = ['content-type', 'date', 'location'].map((name) => [fields[name]].flat()[0]);
          const atMs = Date.parse(date);
          head = { status, contentType, date: atMs > 0 && atMs < LATEST_MS ? atMs : undefined, location };
          bytes = Buffer.allocUnsafe(Math.min(Number(fields['content-length']) || 0, MOST_ROOM));
        },
        // Chunks are copied together, as a kept chunk costs more memory than it has bytes where a body comes byte by byte.
        onResponseData: (_, chunk) => {
          const end = size + chunk.length;
          if (end > bytes.length) bytes = Buffer.concat([bytes.subarray(0, size)], Math.max(end, 2 * bytes.length));
          size += chunk.copy(bytes, size);
        },
        onResponseEnd: () => resolve({ ...head, bytes: bytes.subarray(0, size) }),
        onResponseError: (_, error) => fail(error),
      },
    );
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  });
};
