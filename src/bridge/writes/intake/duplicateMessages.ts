import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../shared/clock.ts';
import type { Incoming } from '../../../shared/message.ts';
import { matchesTwoFilters } from '../../../topics/topicNames.ts';

/** Copies of a live message follow each other. Retained messages come once for each filter, at the broker's pace. */
const [LIVE_MS, RETAINED_MS] = [100, 5000];

type Seen = { readonly message: Incoming; readonly atMs: number };

/** Recognizes copies of one message: some brokers, such as Mosquitto, deliver a message once for each filter that matches its topic. */
export const duplicateMessages = (base: string, clock: Clock) => {
  let lately: readonly Seen[] = [];

  /** True for the second copy of a message whose topic two filters match; a third one is a new message. */
  const isCopy = (message: Incoming): boolean => {
    const atMs = clock.elapsedMs();
    const known = lately.filter((seen) => atMs - seen.atMs < (seen.message.retain ? RETAINED_MS : LIVE_MS));
    const hasCopies = matchesTwoFilters(base, message.topic);
    const first = hasCopies ? known.find((seen) => isDeepStrictEqual(seen.message, message)) : undefined;
    // Behind another message a live one is new: on, off, on is three.
    const left = known.filter((seen) => seen !== first && seen.message.retain);
    lately = hasCopies && !first ? [...left, { message, atMs }] : left;
    return first !== undefined;
  };

  return { isCopy };
};
