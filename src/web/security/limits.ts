import { MINUTE_MS } from '../../shared/clock.ts';
import { oneAtATime } from '../../shared/serialQueue.ts';
import { sourceOf } from './clientAddress.ts';

/** Requests that a client may make at once, and in each second from then on. A view takes a dozen, and people reload. */
export const BURST = 100;
export const PER_SECOND = 10;
/** Clients that are remembered. */
const MOST_CLIENTS = 1000;

/** Allows each client a number of requests a second, and some more at once, as a page loads several files. */
export class RequestLimit {
  readonly #buckets = new Map<string, { readonly left: number; readonly atMs: number }>();

  /** True where the client may make this request now. */
  takes(address: string, nowMs: number): boolean {
    const client = sourceOf(address);
    const before = this.#buckets.get(client) ?? { left: BURST, atMs: nowMs };
    const left = Math.min(BURST, before.left + ((nowMs - before.atMs) / 1000) * PER_SECOND);
    this.#buckets.delete(client);
    this.#buckets.set(client, { left: left < 1 ? left : left - 1, atMs: nowMs });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_CLIENTS && oldest !== undefined) this.#buckets.delete(oldest);
    return left >= 1;
  }
}

/** Tries that are allowed in a minute: of one client, and of all. Beyond that each client has one, so that others cannot lock anybody out. */
const TRIES = { ofClient: 5, ofAll: 30 } as const;

/** Bounds how often a password is tried. Machines of one IPv6 network count as one client. */
export class TryLimit {
  #lately: readonly { readonly client: string; readonly atMs: number }[] = [];

  /** Counts a try; gives the seconds until the next one is allowed where this one is not. */
  take(address: string, nowMs: number): number {
    const client = sourceOf(address);
    this.#lately = this.#lately.filter(({ atMs }) => nowMs - atMs < MINUTE_MS);
    const own = this.#lately.filter((one) => one.client === client);
    const isOneMore = own.length === 0 || (own.length < TRIES.ofClient && this.#lately.length < TRIES.ofAll);
    if (!isOneMore) {
      const ofClient = own.at(-TRIES.ofClient);
      const ofAll = Math.min(this.#lately.at(-TRIES.ofAll)?.atMs ?? nowMs, own.at(-1)?.atMs ?? nowMs);
      return Math.max(1, Math.ceil(((ofClient?.atMs ?? ofAll) + MINUTE_MS - nowMs) / 1000));
    }
    this.#lately = [...this.#lately, { client, atMs: nowMs }];
    return 0;
  }

  /** The last try of this client was not looked at: it does not count. */
  giveBack(address: string): void {
    const last = this.#lately.findLastIndex(({ client }) => client === sourceOf(address));
    this.#lately = this.#lately.filter((_, index) => index !== last);
  }

  /** The right password was given: the tries before it count no more. */
  worked(address: string): void {
    this.#lately = this.#lately.filter((one) => one.client !== sourceOf(address));
  }
}

/** Tasks that wait behind the one that runs. */
const MOST_WAITING = 5;

/** Runs one task after the other, for those that take much memory; refuses more where too many wait. */
export class BoundedQueue {
  readonly #inTurn = oneAtATime();
  #open = 0;

  /** The result of the task; undefined where it was refused. */
  async run<T>(task: () => Promise<T>): Promise<T | undefined> {
    if (this.#open > MOST_WAITING) return undefined;
    this.#open += 1;
    try {
      return await this.#inTurn(task);
    } finally {
      this.#open -= 1;
    }
  }
}
