import type { Clock } from '../shared/clock.ts';

/**
 * Shows whether the client works. Its steps follow each other: a connection attempt ends within seconds, a
 * pause after its length, and each keep-alive interval has a packet, because the client pings.
 */
export const progressBy = (clock: Pick<Clock, 'elapsedMs'>) => {
  let nextMs = clock.elapsedMs();
  return {
    /** A step was made: the next one is due within `nextInMs`. */
    made: (nextInMs = 0): void => {
      nextMs = clock.elapsedMs() + nextInMs;
    },
    /** How long the next step has been overdue. */
    stalledMs: (): number => Math.max(0, clock.elapsedMs() - nextMs),
  };
};
