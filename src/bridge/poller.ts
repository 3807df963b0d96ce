import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Quota } from './quota.ts';
import type { Reader } from './reader.ts';
import { type Read, readKey } from './targets.ts';

export type PollSettings = { readonly seconds: 'auto' | number; readonly jitter: number };

const SHORTEST_AUTO_S = 60;
/** A read that fails again and again is tried at most this many intervals apart, and at least every quarter of an hour. */
const LONGEST_BACKOFF = 8;
const LONGEST_BACKOFF_MS = 900_000;
/** How often a poller that may not read now looks whether it may again. */
const WAIT_FOR_QUOTA_MS = 5000;

type Slot = { readonly read: Read; dueMs: number; failures: number };

/** Reads everything chosen round and round, spread over the interval, within the allowance. */
export class Poller {
  readonly #slots: readonly Slot[];
  readonly #reader: Reader;
  readonly #quota: Quota;
  readonly #clock: Clock;
  readonly #jitter: number;
  /** The interval in force, and why it is this one. */
  readonly interval: { readonly seconds: number; readonly reason: string };
  #wake = new AbortController();

  constructor(
    reads: readonly Read[],
    settings: PollSettings,
    reader: Reader,
    quota: Quota,
    clock: Clock,
    log: Log,
    lastReadMs: (read: Read) => number | undefined = () => undefined,
  ) {
    this.#reader = reader;
    this.#quota = quota;
    this.#clock = clock;
    this.#jitter = settings.jitter;
    this.interval = chooseInterval(settings.seconds, quota.shortestInterval(reads.length), reads.length);
    if (typeof settings.seconds === 'number' && this.interval.seconds > settings.seconds) {
      log.warn({ wanted_s: settings.seconds, poll_s: this.interval.seconds }, `poll.seconds is stretched: ${this.interval.reason}`);
    }
    const now = clock.elapsedMs();
    const dueMs = (read: Read): number => Math.max(now, (lastReadMs(read) ?? Number.NEGATIVE_INFINITY) + this.interval.seconds * 1000);
    this.#slots = reads.map((read) => ({ read, dueMs: dueMs(read), failures: 0 }));
  }

  /** Polls until the signal is aborted. The first round, of what is due by now, is made at once, the later ones are spread; `afterFirst` is told between. */
  async run(signal: AbortSignal, afterFirst: () => void): Promise<void> {
    const spreadMs = (this.interval.seconds * 1000) / Math.max(1, this.#slots.length);
    const startedMs = this.#clock.elapsedMs();
    for (const [index, slot] of this.#slots.entries()) {
      if (slot.dueMs > this.#clock.elapsedMs()) continue;
      if (!(await this.#allowed(signal))) return;
      await this.#poll(slot, startedMs + this.interval.seconds * 1000 + index * spreadMs);
    }
    afterFirst();
    while (await this.#waitForNext(signal)) {
      const slot = this.#next();
      if (!slot || slot.dueMs > this.#clock.elapsedMs()) continue;
      if (!(await this.#allowed(signal))) return;
      await this.#poll(slot);
    }
  }

  /** Makes the reads of one device, or all of them, due now. */
  pollNow(device?: string): void {
    for (const slot of this.#slots) if (device === undefined || slot.read.device.name === device) slot.dueMs = this.#clock.elapsedMs();
    this.#wake.abort();
  }

  /** A read that somebody else made counts as this round's. */
  counted(read: Read): void {
    const slot = this.#slots.find((known) => readKey(known.read.target) === readKey(read.target));
    if (slot) slot.dueMs = this.#clock.elapsedMs() + this.#pauseMs(0);
  }

  #next(): Slot | undefined {
    return this.#slots.reduce<Slot | undefined>((first, slot) => (first && first.dueMs <= slot.dueMs ? first : slot), undefined);
  }

  /** Reads and says when to read next: `nextMs` where that is given and all is well. */
  async #poll(slot: Slot, nextMs?: number): Promise<void> {
    const dueMs = slot.dueMs;
    const result = await this.#reader.read(slot.read);
    slot.failures = result.ok ? 0 : slot.failures + 1;
    // Asked for, or made due by somebody else's read, while this one was under way.
    if (slot.dueMs !== dueMs) return;
    if (nextMs !== undefined && result.ok) {
      slot.dueMs = nextMs;
      return;
    }
    const now = this.#clock.elapsedMs();
    const pause = this.#pauseMs(slot.failures);
    // Counted from when it was due, so that the spread over the interval stays.
    slot.dueMs = dueMs + pause > now ? dueMs + pause : now + pause;
  }

  #pauseMs(failures: number): number {
    const intervalMs = this.interval.seconds * 1000;
    const slowed = Math.min(intervalMs * Math.min(2 ** failures, LONGEST_BACKOFF), Math.max(intervalMs, LONGEST_BACKOFF_MS));
    return slowed * (1 + this.#jitter * (2 * Math.random() - 1));
  }

  /** Waits while there is no allowance for a read; false when polling ends. */
  async #allowed(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted && !this.#quota.mayRead(this.#clock.elapsedMs())) {
      const paused = this.#quota.pausedForMs(this.#clock.elapsedMs());
      await this.#clock.sleep(Math.max(paused, WAIT_FOR_QUOTA_MS), signal).catch(() => undefined);
    }
    return !signal.aborted;
  }

  async #waitForNext(signal: AbortSignal): Promise<boolean> {
    this.#wake = new AbortController();
    const next = this.#next();
    const pause = next ? next.dueMs - this.#clock.elapsedMs() : Number.POSITIVE_INFINITY;
    if (pause > 0) await this.#clock.sleep(pause, AbortSignal.any([signal, this.#wake.signal])).catch(() => undefined);
    return !signal.aborted;
  }
}

/** The interval in seconds: what was asked for, or 60 with `auto`, unless the allowance carries only a longer one. */
export const chooseInterval = (
  wanted: 'auto' | number,
  shortest: number,
  reads: number,
): { readonly seconds: number; readonly reason: string } => {
  const wish = wanted === 'auto' ? SHORTEST_AUTO_S : wanted;
  const limited = Math.ceil(shortest);
  if (limited > wish)
    return { seconds: limited, reason: `${reads} reads a round, as fast as the allowance carries for a day with the reserve for commands` };
  return { seconds: wish, reason: wanted === 'auto' ? 'as fast as polling ever goes by itself' : 'as set by poll.seconds' };
};
