import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../shared/clock.ts';
import type { Incoming } from '../../../shared/message.ts';
import { matchesTwoFilters } from '../../../topics/topicNames.ts';

/** Copies of a live message follow each other. Retained messages come once for each filter, at the broker's pace. */
const LIVE_MS = 100;
const RETAINED_MS = 5000;

type Seen = { readonly message: Incoming; readonly atMs: number };

/** Recognizes copies of one message: some brokers, such as Mosquitto, deliver a message once for each filter that matches its topic. */
export const duplicateMessages = (base: string, clock: Clock) => {
  let previous: Seen | undefined;
  let retained: readonly Seen[] = [];

  /** True for the second copy of a message whose topic two filters match. */
  const isCopy = (message: Incoming): boolean => {
    const last = previous;
    previous = undefined;
    if (!matchesTwoFilters(base, message.topic)) return false;
    const atMs = clock.elapsedMs();
    if (message.retain) return isRetainedCopy(message, atMs);
    if (last && atMs - last.atMs < LIVE_MS && isDeepStrictEqual(last.message, message)) return true;
    previous = { message, atMs };
    return false;
  };

  const isRetainedCopy = (message: Incoming, atMs: number): boolean => {
    const lately = retained.filter((seen) => atMs - seen.atMs < RETAINED_MS);
    const first = lately.find((seen) => isDeepStrictEqual(seen.message, message));
    // A third one is a new message.
    retained = first ? lately.filter((seen) => seen !== first) : [...lately, { message, atMs }];
    return first !== undefined;
  };

  return { isCopy };
};

export type DuplicateMessages = ReturnType<typeof duplicateMessages>;
