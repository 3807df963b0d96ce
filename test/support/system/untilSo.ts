import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves as soon as it is so; rejects after 100 seconds, with what was asked. */
export const untilSo = async (isSo: () => boolean): Promise<void> => {
  const end = performance.now() + 100_000;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`not within 100 s: ${isSo}`);
    await sleep(1);
  }
};
