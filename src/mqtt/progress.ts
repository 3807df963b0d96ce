import type { Clock } from '../shared/clock.ts';

/**
 * Shows whether the client works. While it does, one step follows the other: an attempt to connect begins and ends within seconds, a pause
 * ends after its length, and on a connection a packet comes in each keep-alive interval, as the client pings.
 */
export const progressBy = (clock: Pick<Clock, 'elapsedMs'>) => {
  let nextMs = clock.elapsedMs();
  return {
    /** A step was made: the next one is to come within `nextInMs`. */
    made: (nextInMs = 0): void => {
      nextMs = clock.elapsedMs() + nextInMs;
    },
    /** How long the next step is overdue. */
    stalledMs: (): number => Math.max(0, clock.elapsedMs() - nextMs),
  };
};
