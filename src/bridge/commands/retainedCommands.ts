import { createHash } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import type { Incoming } from '../ports.ts';

/** So long a retained copy of what was just executed is known for what it is. */
const COPY_MS = 10_000;

type Live = { readonly topic: string; readonly digest: string; readonly atMs: number; copies: number };

/**
 * Tells what a retained message is. With MQTT 3.1.1 the flag of a live message is not seen: it is executed, and its retained copy comes
 * a moment later, when the bridge has asked the broker for it. What the bridge clears comes back to it as an empty message.
 */
export class RetainedCommands {
  readonly #clock: Clock;
  #lately: Live[] = [];
  readonly #echoes = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A message came live, which may have been published retained. */
  live({ topic, payload }: Incoming): void {
    const now = this.#clock.elapsedMs();
    const first = this.#lately.findIndex(({ atMs }) => now - atMs < COPY_MS);
    this.#lately = first < 0 ? [] : this.#lately.slice(first);
    this.#lately.push({ topic, digest: digest(payload), atMs: now, copies: 0 });
  }

  /** `waited`: it was there before, so it was not executed. `executed`: a copy of what was. `again`: a further copy of that. */
  whatIs({ topic, payload }: Incoming): 'waited' | 'executed' | 'again' {
    const oldest = this.#clock.elapsedMs() - COPY_MS;
    const hash = digest(payload);
    const same = this.#lately.filter((live) => live.topic === topic && live.atMs > oldest && live.digest === hash);
    const fresh = same.find(({ copies }) => copies === 0);
    if (fresh) fresh.copies += 1;
    if (fresh) return 'executed';
    return same.length > 0 ? 'again' : 'waited';
  }

  /** The bridge clears a topic: an empty message of its own will come back. */
  clearing(topic: string): void {
    this.#echoes.set(topic, (this.#echoes.get(topic) ?? 0) + 1);
  }

  /** True for the empty message that comes back of what the bridge cleared. */
  isOwnEcho(topic: string): boolean {
    const echoes = this.#echoes.get(topic) ?? 0;
    if (echoes > 1) this.#echoes.set(topic, echoes - 1);
    else this.#echoes.delete(topic);
    return echoes > 0;
  }

  /** What belonged to an earlier connection does not come on a new one; what is retained then, waited. */
  reconnected(): void {
    this.#lately = [];
    this.#echoes.clear();
  }
}

const digest = (payload: Uint8Array): string => createHash('sha1').update(payload).digest('base64');
