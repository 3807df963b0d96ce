import { type Clock, systemClock } from '../../../src/shared/clock.ts';

const TIMES = 20;

/** Time that passes twenty times as fast: half a minute in a second and a half. */
export const swift: Clock = {
  ...systemClock,
  elapsedMs: () => systemClock.elapsedMs() * TIMES,
  sleep: (ms, signal) => systemClock.sleep(ms / TIMES, signal),
};
