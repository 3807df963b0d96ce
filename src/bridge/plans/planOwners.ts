import { EventEmitter } from 'node:events';
import type { Owner } from '../../schedule/plans/precedence.ts';
import { type Place, placeKey } from '../writes/write/writeLog.ts';

/** Whose values the feature has; `reason`, for people, where that is a plan; `waits` where no call was left yet to send that plan's values. */
export type Owned = { readonly owner: Owner; readonly reason?: string; readonly waits?: 'calls' };

/** Who has which feature now, as the executor of plans has found. */
export class PlanOwners extends EventEmitter<{ changed: [place: Place] }> {
  readonly #owners = new Map<string, Place & Owned>();

  /** Undefined where neither a plan nor a temporary write of a person has it. */
  of(place: Place): Owned | undefined {
    return this.#owners.get(placeKey(place));
  }

  all(): readonly (Place & Owned)[] {
    return [...this.#owners.values()];
  }

  set({ device, feature }: Place, owned: Owned | undefined): void {
    const key = placeKey({ device, feature });
    const before = this.#owners.get(key);
    if (owned) this.#owners.set(key, { device, feature, ...owned });
    else this.#owners.delete(key);
    const isSame = before?.owner === owned?.owner && before?.reason === owned?.reason && before?.waits === owned?.waits;
    if (!isSame) this.emit('changed', { device, feature });
  }
}
