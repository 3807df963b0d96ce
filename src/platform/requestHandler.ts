import type { Dispatcher } from 'undici';
import type { Arrived, PlatformError } from './errors.ts';
import { type Stop, transportError } from './transportError.ts';

/** One answer, read to its end. */
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

const headerText = (value: string | string[] | undefined): string => (Array.isArray(value) ? (value[0] ?? '') : (value ?? ''));

const dateOf = (header: string): number | undefined => {
  const instant = Date.parse(header);
  return Number.isNaN(instant) ? undefined : instant;
};

/** One request on its way: undici's handler, and what is known of its arrival. */
export class RequestHandler implements Dispatcher.DispatchHandler {
  #controller: Dispatcher.DispatchController | undefined;
  #arrived: Arrived = 'no';
  #stop: Stop | undefined;
  #status = 0;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};
  #body: Buffer = Buffer.alloc(0);
  #size = 0;
  readonly #origin: string;
  readonly #settle: (result: HttpAnswer | PlatformError) => void;
  readonly #onSend: (() => void) | undefined;

  constructor(origin: string, settle: (result: HttpAnswer | PlatformError) => void, onSend: (() => void) | undefined) {
    this.#origin = origin;
    this.#settle = settle;
    this.#onSend = onSend;
  }

  /** Ends the request at once, also while it waits for a connection. */
  stop(stop: Stop): void {
    this.#stop ??= stop;
    this.#fail(undefined);
    this.#controller?.abort(new Error(stop.kind));
  }

  // undici calls this in the tick in which it writes. Before that, no byte was sent.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#stop) {
      controller.abort(new Error(this.#stop.kind));
      return;
    }
    this.#controller = controller;
    this.#arrived = 'maybe';
    this.#onSend?.();
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
    this.#append(chunk);
  }

  onResponseEnd(): void {
    this.#settle({
      status: this.#status,
      contentType: headerText(this.#headers['content-type']),
      date: dateOf(headerText(this.#headers.date)),
      location: headerText(this.#headers.location),
      text: this.#body.toString('utf8', 0, this.#size),
    });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#fail(error);
  }

  /** Copied, as a kept chunk costs more memory than it has bytes where a body comes byte by byte. */
  #append(chunk: Buffer): void {
    const size = this.#size + chunk.length;
    if (size > this.#body.length) {
      const larger = Buffer.alloc(Math.max(size, 2 * this.#body.length));
      this.#body.copy(larger, 0, 0, this.#size);
      this.#body = larger;
    }
    chunk.copy(this.#body, this.#size);
    this.#size = size;
  }

  #fail(cause: Error | undefined): void {
    this.#settle(transportError(this.#origin, cause, this.#arrived, this.#stop));
  }
}
