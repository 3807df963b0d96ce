import { type Clock, systemClock } from '../../../src/shared/clock.ts';

/** Waits of half a second to a minute, such as pauses between attempts to connect, take a twentieth here; all other time is the machine's. */
export const fastClock: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms > 500 && ms < 60_000 ? ms / 20 : ms, signal),
};
