import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../shared/clock.ts';
import type { Incoming } from '../../../shared/message.ts';
import { matchesTwoFilters } from '../../../topics/topicNames.ts';

/** Copies of live messages follow each other; retained ones come once per filter, at the broker's pace. */
const [LIVE_MS, RETAINED_MS] = [100, 5000];

type Seen = { readonly message: Incoming; readonly atMs: number };

/** Detects copies: brokers such as Mosquitto deliver a message once per filter that matches its topic. */
export const duplicateMessages = (base: string, clock: Clock) => {
  let lately: readonly Seen[] = [];

  /** True for the second copy of a message whose topic matches two filters; a third is a new message. */
  const isCopy = (message: Incoming): boolean => {
    const atMs = clock.elapsedMs();
    const known = lately.filter((seen) => atMs - seen.atMs < (seen.message.retain ? RETAINED_MS : LIVE_MS));
    const hasCopies = matchesTwoFilters(base, message.topic);
    const first = hasCopies ? known.find((seen) => isDeepStrictEqual(seen.message, message)) : undefined;
    // After another message a live one is new: on, off, on is three.
    const left = known.filter((seen) => seen !== first && seen.message.retain);
    lately = hasCopies && !first ? [...left, { message, atMs }] : left;
    return first !== undefined;
  };

  return { isCopy };
};
