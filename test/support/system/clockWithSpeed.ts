import { type Clock, systemClock } from '../../../src/shared/clock.ts';

/** So long a wait goes on at most before it looks at the speed again, in real milliseconds. */
const SLICE_MS = 50;

/** Time that passes as that of the machine until its speed is set. */
export const clockWithSpeed = () => {
  let [speed, sinceMs, thenMs] = [1, systemClock.elapsedMs(), systemClock.elapsedMs()];
  const elapsedMs = (): number => thenMs + (systemClock.elapsedMs() - sinceMs) * speed;
  const sleep: Clock['sleep'] = async (ms, signal) => {
    const endMs = elapsedMs() + ms;
    let leftMs = ms;
    do {
      await systemClock.sleep(Math.min(SLICE_MS, leftMs / speed), signal);
      leftMs = endMs - elapsedMs();
    } while (leftMs > 0);
  };
  const setSpeed = (next: number): void => {
    [thenMs, sinceMs] = [elapsedMs(), systemClock.elapsedMs()];
    speed = next;
  };
  return { clock: { ...systemClock, elapsedMs, sleep }, setSpeed };
};
