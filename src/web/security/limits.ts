import { MINUTE_MS } from '../../shared/clock.ts';
import { oneAtATime } from '../../shared/serialQueue.ts';
import { sourceOf } from './clientAddress.ts';

/** Requests of one client: at once, and per second after that. A view takes a dozen, and users reload. */
export const BURST = 100;
export const PER_SECOND = 10;
/** The maximum of remembered clients. */
const MOST_CLIENTS = 1000;

/** Limits each client's requests per second, with a burst, because a page loads several files. */
export class RequestLimit {
  readonly #buckets = new Map<string, { readonly left: number; readonly atMs: number }>();

  /** True if the client may make this request now. */
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

/** Tries per minute: per client, and in total. Above the total each client has one, so none is locked out. */
const TRIES = { ofClient: 5, ofAll: 30 } as const;

/** Limits password tries. Machines in one IPv6 network count as one client. */
export class TryLimit {
  #lately: readonly { readonly client: string; readonly atMs: number }[] = [];

  /** Counts a try; if it is not allowed, returns the seconds until the next one is. */
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

  /** The last try of this client was not checked: it does not count. */
  giveBack(address: string): void {
    const last = this.#lately.findLastIndex(({ client }) => client === sourceOf(address));
    this.#lately = this.#lately.filter((_, index) => index !== last);
  }

  /** The password was right: earlier tries no longer count. */
  worked(address: string): void {
    this.#lately = this.#lately.filter((one) => one.client !== sourceOf(address));
  }
}

/** The maximum of tasks that wait behind the running one. */
const MOST_WAITING = 5;

/** Runs tasks one after another, because they take much memory; rejects more if too many wait. */
export class BoundedQueue {
  readonly #inTurn = oneAtATime();
  #open = 0;

  /** The result of the task; undefined if it was rejected. */
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
