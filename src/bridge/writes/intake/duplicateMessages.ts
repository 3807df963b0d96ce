import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../shared/clock.ts';
import type { Incoming } from '../../../shared/message.ts';
import { matchesTwoFilters } from '../../../topics/topicNames.ts';

/** Copies of a live message follow each other. Retained messages come once for each filter, at the broker's pace. */
const LIVE_MS = 100;
const RETAINED_MS = 5000;

type Seen = { readonly message: Incoming; readonly atMs: number };

/** Recognizes copies of one message: some brokers, such as Mosquitto, deliver a message once for each filter that matches its topic. */
export class DuplicateMessages {
  readonly #base: string;
  readonly #clock: Clock;
  #last: Seen | undefined;
  #retained: readonly Seen[] = [];

  constructor(base: string, clock: Clock) {
    this.#base = base;
    this.#clock = clock;
  }

  /** True for the second copy of a message whose topic two filters match. */
  isCopy(message: Incoming): boolean {
    const last = this.#last;
    this.#last = undefined;
    if (!matchesTwoFilters(this.#base, message.topic)) return false;
    const atMs = this.#clock.elapsedMs();
    if (message.retain) return this.#isRetainedCopy(message, atMs);
    if (last && atMs - last.atMs < LIVE_MS && isDeepStrictEqual(last.message, message)) return true;
    this.#last = { message, atMs };
    return false;
  }

  #isRetainedCopy(message: Incoming, atMs: number): boolean {
    const lately = this.#retained.filter((seen) => atMs - seen.atMs < RETAINED_MS);
    const first = lately.find((seen) => isDeepStrictEqual(seen.message, message));
    // A third one is a new message.
    this.#retained = first ? lately.filter((seen) => seen !== first) : [...lately, { message, atMs }];
    return first !== undefined;
  }
}
