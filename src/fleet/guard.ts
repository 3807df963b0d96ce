import type { Guard } from '../app.ts';
import type { Lease } from './lease.ts';
import { type Mirror, never } from './mirror.ts';

/** The conditions before an account sends. After the lease is lost, they wait until it stops. */
export const guardOf = (lease: Lease, mirror: Mirror): Guard => ({
  follower: mirror,
  tokensChanged: (unstored) => mirror.tokensChanged(unstored),
  beforeWrite: async () => {
    await mirror.flushed();
    await lease.confirm().catch(never);
  },
  mayLeave: () => lease.isHeld,
  // After a pause, a renewal may show that the lease is still held.
  beforeRead: async () => (lease.isHeld ? undefined : lease.confirm().catch(never)),
  beforeAnswer: () => mirror.flushed(),
});
