import type { Clock } from '../../shared/clock.ts';
import type { QuotaReport } from '../status/statusReports.ts';
import type { RateLimiter } from './rateLimiter.ts';

/** What `bridge/quota` says: what is used and left, and why polling goes as it goes. */
export const quotaReport = (
  quota: RateLimiter,
  interval: { readonly seconds: number; readonly reason: string },
  clock: Clock,
): QuotaReport => {
  const now = clock.elapsedMs();
  const pausedMs = quota.pausedForMs(now);
  const waits = 'no call is left for polls until earlier ones are out of the window; the reserve is for commands';
  const reason = quota.mayRead(now) ? interval.reason : waits;
  return {
    used: quota.used(now),
    left: quota.left(now),
    ...(pausedMs > 0 ? { reset_at: new Date(clock.now() + pausedMs).toISOString() } : {}),
    poll_seconds: interval.seconds,
    reason: pausedMs > 0 ? 'the platform refused further calls; nothing is sent until reset_at' : reason,
    round_seconds: interval.seconds,
  };
};
