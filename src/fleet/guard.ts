import type { Guard } from '../app.ts';
import type { Lease } from './lease.ts';
import { type Mirror, never } from './mirror.ts';

/** What an account of a fleet waits for before it sends anything. Where the lease is lost it waits until it is stopped. */
export const guardOf = (lease: Lease, mirror: Mirror): Guard => ({
  follower: mirror,
  tokensChanged: (unstored) => mirror.tokensChanged(unstored),
  beforeWrite: async () => {
    await mirror.flushed();
    await lease.confirm().catch(never);
  },
  mayLeave: () => lease.isHeld,
  // After a pause it may be held still, once it is renewed.
  beforeRead: async () => (lease.isHeld ? undefined : lease.confirm().catch(never)),
  beforeAnswer: () => mirror.flushed(),
});
