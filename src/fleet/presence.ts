import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { rowsVersion } from '../storage/backup/databaseCopy.ts';
import type { FleetStore } from './fleetStore.ts';
import { workerLease, workersIn } from './keys.ts';
import { Lease } from './lease.ts';

/** A worker that comes waits so long for others that come with it, as after NATS was away: they have the folders of their accounts. */
const SETTLE_MS = 3000;

type PresenceParts = {
  readonly store: Pick<FleetStore, 'lease' | 'putLease' | 'deleteLease'>;
  /** The name of this worker. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
};

type Other = { readonly cannot: ReadonlySet<string>; readonly version: number };

/** Which workers are there, and which accounts each of them cannot serve, as where a newer version has written their state. */
export const presenceOf = ({ store, name: own, clock, log }: PresenceParts) => {
  const refused = new Set<string>();
  let others: ReadonlyMap<string, Other> = new Map();
  /** Undefined while this worker may not be there. */
  let held: Lease | undefined;
  let sinceMs = 0;
  let isNameTold = false;

  const cannot = (worker: string, account: string): boolean =>
    (worker === own ? refused : others.get(worker)?.cannot)?.has(account) ?? false;

  /** Reads of the others. `leases`: the keys of all. Rejects where NATS does not answer. */
  const read = async (leases: Iterable<string>): Promise<void> => {
    const names = workersIn(leases);
    const told = await Promise.all(names.map((name) => store.lease(workerLease(name))));
    const otherOf = (name: string, index: number): [string, Other] => {
      const { cannot = [], version } = told[index]?.value ?? {};
      return [name, { cannot: new Set([cannot].flat().map(String)), version: Number(version ?? 0) }];
    };
    others = new Map(names.map(otherOf));
  };

  /** True where this worker is there and knows the others. Rejects where NATS does not answer. */
  const isSettled = async (): Promise<boolean> => {
    if (!held) await appear();
    return held !== undefined && clock.elapsedMs() - sinceMs >= SETTLE_MS;
  };

  const appear = async (): Promise<void> => {
    const since = clock.now();
    const lease = new Lease({
      ...{ store, clock, key: workerLease(own) },
      shown: () => ({ worker: own, since, version: rowsVersion(), cannot: [...refused] }),
      onLost: () => {
        held = undefined;
      },
    });
    if (await lease.acquire()) {
      held = lease;
      sinceMs = clock.elapsedMs();
    } else if (!isNameTold) {
      log.warn({ worker: own }, 'there is a worker with this name, or there was one half a minute ago; waiting for its end');
      isNameTold = true;
    }
  };

  /** Leaves an account to other workers for as long as this process runs, or until `isThere` says that it was removed. */
  const refuse = async (account: string): Promise<void> => {
    refused.add(account);
    await held?.confirm().catch(() => undefined);
  };

  const forgetRefusals = (isThere: (account: string) => boolean): void => {
    for (const account of refused) if (!isThere(account)) refused.delete(account);
  };

  return {
    ...{ cannot, read, isSettled, refuse, forgetRefusals },
    /** The names of all workers, with this one. */
    workers: (): readonly string[] => [...new Set([...others.keys(), own])].toSorted(),
    /** True where that worker can read what this one writes: it is of the same version, or a newer one. */
    canFollow: (worker: string): boolean => (others.get(worker)?.version ?? 0) >= rowsVersion(),
    release: async (): Promise<void> => held?.release(),
  };
};

export type Presence = ReturnType<typeof presenceOf>;
