import type { Clock } from '../../shared/clock.ts';
import type { Poller } from '../polling/poller.ts';
import type { RateLimiter } from '../quota/rateLimiter.ts';
import type { FeatureStore } from './featureStore.ts';

const EVERY_MS = 60_000;

/** Checks every minute which devices had no good read for too long, until the signal is aborted. */
export const watchAvailability = async (
  store: FeatureStore,
  poller: Poller,
  quota: RateLimiter,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> => {
  for (let last = clock.elapsedMs(); !signal.aborted; ) {
    await clock.sleep(EVERY_MS, signal).catch(() => undefined);
    const now = clock.elapsedMs();
    // While the quota is used up no device counts as offline.
    const excusedMs = quota.mayRead(now) ? 0 : now - last;
    store.expireAvailability(excusedMs, poller.interval.seconds);
    last = now;
  }
};
