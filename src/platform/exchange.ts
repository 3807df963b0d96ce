import type { Dispatcher } from 'undici';
import type { Arrived, PlatformError } from './errors.ts';
import { type Stop, transportError } from './transportError.ts';

/** The end of the year 9999. One day after JavaScript's latest date causes a RangeError. */
const LATEST_MS = 253_402_300_800_000;
/** The maximum buffer that a content-length header allocates in advance. */
const MOST_ROOM = 1024 * 1024;

export type HttpRequest = {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Called in the tick of the write; false cancels. The process may have been paused since other checks. */
  readonly mayLeave?: (() => boolean) | undefined;
  /** Called when the request is written to a connection. */
  readonly onSend?: () => void;
  /** Called before a GET is repeated after a dead connection. */
  readonly mayRepeat?: () => boolean;
};

/** One complete answer. */
export type HttpAnswer = {
  readonly status: number;
  /** Empty if the header is missing. */
  readonly contentType: string;
  /** Epoch milliseconds of the Date header; undefined if missing or invalid. */
  readonly date: number | undefined;
  /** The redirect target, which is never followed; empty if there is none. */
  readonly location: string;
  readonly bytes: Buffer;
};

/** Sends one request and reads the whole answer, of any status. Returns a failure; never rejects. */
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
        // undici calls this in the tick of the write. Before that, no byte was sent.
        onRequestStart: (started) => {
          if (request.mayLeave?.() === false) stop({ kind: 'caller', reason: new Error('the request may no longer be sent') });
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
        // Chunks are copied into one buffer. Many small chunks use more memory than their bytes.
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
