import type { ServerResponse } from 'node:http';
import { ALIVE_MS, type StreamEvents } from '../../api/answers.ts';
import type { LiveState } from './liveState.ts';

export const MOST_STREAMS = 50;
/** A client with this much unread data is disconnected; it asks again with its number. */
const MOST_WAITING_BYTES = 1_000_000;
/** After this time a browser reconnects. */
const RETRY_MS = 3000;

type Stream = { readonly response: ServerResponse; readonly session: string | undefined };

const field = <E extends keyof StreamEvents>(event: E, data: StreamEvents[E]): string =>
  `event: ${event}\n${'rev' in data ? `id: ${data.rev}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

/** Server-sent events for all followers (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export class Streams {
  readonly #state: LiveState;
  readonly #open = new Set<Stream>();
  /** Runs while there are followers. */
  #timer: NodeJS.Timeout | undefined;
  /** The events of one event loop turn are sent together, serialized once for all clients. */
  #waiting: string[] = [];

  constructor(state: LiveState) {
    this.#state = state;
    state.on('event', ({ kind, ...data }) => this.#open.size > 0 && this.#add(field(kind, data)));
    state.on('reset', () => this.#open.size > 0 && this.#add(field('reset', {})));
  }

  get isFull(): boolean {
    return this.#open.size >= MOST_STREAMS;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Sends `hello`, the changes after `since`, and from then on all changes. */
  add(response: ServerResponse, since: number | undefined, session: string | undefined): void {
    // Existing followers get it first; the new one gets it with the changes that it missed.
    this.#flush();
    const stream = { response, session };
    const { rev } = this.#state;
    const missed = since === undefined ? undefined : this.#state.since(since);
    const changed = Object.entries(missed?.changed ?? {}).map(([topic, payload]) => field('topic', { rev, topic, payload }));
    const results = (missed?.results ?? []).map((answer) => field('result', { rev, answer }));
    const log = (missed?.log ?? []).map((line) => field('log', { rev, ...line }));
    const start = [`retry: ${RETRY_MS}\n`, field('hello', { rev }), ...changed, ...results, ...log];
    if (since !== undefined && !missed) start.push(field('reset', {}));
    response.once('close', () => this.#closed(stream));
    this.#open.add(stream);
    this.#timer ??= setInterval(() => this.#flush(field('alive', {})), ALIVE_MS).unref();
    response.write(start.join(''));
  }

  /** Ends the streams of a session, or all. */
  end(session?: string): void {
    for (const stream of this.#open) if (session === undefined || stream.session === session) stream.response.end();
  }

  #closed(stream: Stream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #add(text: string): void {
    this.#waiting.push(text);
    if (this.#waiting.length === 1) setImmediate(() => this.#flush());
  }

  #flush(more = ''): void {
    const text = this.#waiting.splice(0).join('') + more;
    if (text === '') return;
    for (const { response } of this.#open) {
      if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
      else response.write(text);
    }
  }
}
