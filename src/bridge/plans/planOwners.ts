import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Owner } from '../../schedule/plans/precedence.ts';
import { type Place, placeKey } from '../writes/write/writeLog.ts';

/** The owner of a feature's values; `reason`: of a plan; `waits`: no call is left to send its values. */
type Owned = { readonly owner: Owner; readonly reason?: string; readonly waits?: 'calls' };

/** The present owner of each feature, as the executor of plans has found. */
export const planOwners = () => {
  const events = new EventEmitter<{ changed: [place: Place] }>();
  const owners = new Map<string, Place & Owned>();
  return Object.assign(events, {
    /** Undefined where neither a plan nor a person's temporary write holds the feature. */
    of: (place: Place): Owned | undefined => owners.get(placeKey(place)),
    all: (): readonly Place[] => [...owners.values()],
    set: ({ device, feature }: Place, owned: Owned | undefined): void => {
      const key = placeKey({ device, feature });
      const before = owners.get(key);
      const now = owned && { device, feature, ...owned };
      if (now) owners.set(key, now);
      else owners.delete(key);
      if (!isDeepStrictEqual(now, before)) events.emit('changed', { device, feature });
    },
  });
};

export type PlanOwners = ReturnType<typeof planOwners>;
