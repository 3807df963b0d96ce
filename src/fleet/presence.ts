import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { rowsVersion } from '../storage/backup/databaseCopy.ts';
import type { FleetStore } from './fleetStore.ts';
import { workerLease, workersIn } from './keys.ts';
import { Lease } from './lease.ts';
import { LEASE_MS } from './openNats.ts';
import { NotGiven, whereStuck } from './outOfStep.ts';
import { type Placed, shareOut } from './share.ts';

/** The wait for other starting workers, for example after a NATS outage: they have their account folders. */
const SETTLE_MS = 3000;
/** Below this free space a worker gives its accounts away. It takes accounts again at twice the space. */
const LITTLE_BYTES = 16 * 1024 ** 2;
/** The space for a hand-over. With less, the worker keeps its accounts in memory. */
const NEEDED_BYTES = 2 * 1024 ** 2;

const FULL =
  'the disk of this worker is nearly full, or read-only: other workers with free space serve its accounts until it has 32 MB of free space';

type PresenceParts = {
  readonly store: Pick<FleetStore, 'lease' | 'putLease' | 'deleteLease' | 'emptyLeases'>;
  /** The name of this worker. */
  readonly name: string;
  /** The free space on its disk. */
  readonly freeBytes: () => number;
  readonly clock: Clock;
  readonly log: Log;
};

type Other = { readonly cannot: ReadonlySet<string>; readonly version: number; readonly isFull: boolean };

/**
 * The running workers, the accounts that each of them cannot serve (a newer version wrote their state), and
 * the workers whose disk is nearly full.
 */
export const presenceOf = ({ store, name: own, freeBytes, clock, log }: PresenceParts) => {
  const refused = new Set<string>();
  let others: ReadonlyMap<string, Other> = new Map();
  /** Undefined while this worker holds no worker lease. */
  let held: Lease | undefined;
  let sinceMs = 0;
  let isNameTold = false;
  let lostAtMs = Number.NEGATIVE_INFINITY;
  let isFull = false;
  /** NATS lists the lease of this worker and cannot return it. */
  let isHidden = false;
  const emptied = async (): Promise<void> => {
    await store.emptyLeases();
    log.warn({ worker: own }, 'NATS lists leases but cannot return them: they are deleted, and all workers acquire their leases again');
  };
  const whileGiven = whereStuck(emptied, () => clock.elapsedMs());

  const cannot = (worker: string, account: string): boolean =>
    (worker === own ? refused : others.get(worker)?.cannot)?.has(account) ?? false;

  /** Reads the other workers from all lease keys; skips unreadable ones. Rejects if NATS does not answer. */
  const read = async (leases: Iterable<string>): Promise<void> => {
    lookAtDisk();
    const names = workersIn(leases);
    const told = await Promise.all(names.map((name) => store.lease(workerLease(name))));
    const otherOf = (name: string, index: number): [string, Other][] => {
      const value = told[index]?.value;
      if (!value) return [];
      const { cannot = [], version, isFull } = value;
      return [[name, { cannot: new Set([cannot].flat().map(String)), version: Number(version ?? 0), isFull: isFull === true }]];
    };
    others = new Map(names.flatMap(otherOf));
    isHidden = names.includes(own) && !others.has(own);
  };

  const lookAtDisk = (): void => {
    const wasFull = isFull;
    isFull = freeBytes() < (wasFull ? 2 * LITTLE_BYTES : LITTLE_BYTES);
    if (isFull === wasFull) return;
    if (isFull) log.error({ worker: own }, FULL);
    else log.info({ worker: own }, 'the disk of this worker has free space again: it serves accounts');
    void held?.confirm().catch(() => undefined);
  };

  /** True if this worker is visible and knows the others. Rejects without an answer or a lease. */
  const isSettled = async (stopping: AbortSignal): Promise<boolean> => {
    if (!held) await appear(stopping);
    await whileGiven(async () => {
      if (isHidden) throw new NotGiven('NATS lists the lease of this worker but cannot return it');
    });
    return held !== undefined && clock.elapsedMs() - sinceMs >= SETTLE_MS;
  };

  const appear = async (stopping: AbortSignal): Promise<void> => {
    const since = clock.now();
    const lease = new Lease({
      ...{ store, clock, key: workerLease(own) },
      shown: () => ({ worker: own, since, version: rowsVersion(), cannot: [...refused], isFull }),
      onLost: () => {
        held = undefined;
        lostAtMs = clock.elapsedMs();
      },
    });
    if (await lease.acquire(stopping)) {
      held = lease;
      sinceMs = clock.elapsedMs();
      // Until then it may be this worker's own lost lease, for example after a NATS outage.
    } else if (!isNameTold && clock.elapsedMs() - lostAtMs > LEASE_MS) {
      log.warn({ worker: own }, 'another worker has this name, or had it half a minute ago; waiting until its lease ends');
      isNameTold = true;
    }
  };

  /** Leaves an account to other workers until this process ends or the account is removed. */
  const refuse = async (account: string): Promise<void> => {
    refused.add(account);
    await held?.confirm().catch(() => undefined);
  };

  const forgetRefusals = (isThere: (account: string) => boolean): void => {
    for (const account of refused) if (!isThere(account)) refused.delete(account);
  };

  return {
    ...{ read, isSettled, refuse, forgetRefusals },
    /**
     * The worker of each account: one with free disk space, or any worker if no worker with space can serve
     * it.
     */
    share: (accounts: readonly Placed[]): ReadonlyMap<string, string> => {
      const all = [...new Set([...others.keys(), own])].toSorted();
      const withRoom = all.filter((name) => !(name === own ? isFull : others.get(name)?.isFull));
      const shared = shareOut(accounts, withRoom, cannot);
      const left = accounts.filter(({ name }) => !shared.has(name));
      return new Map([...shared, ...shareOut(left, all, cannot)]);
    },
    /** True if that worker's version is the same or newer, and this disk has space for the hand-over. */
    canFollow: (worker: string): boolean => (others.get(worker)?.version ?? 0) >= rowsVersion() && freeBytes() >= NEEDED_BYTES,
    release: async (): Promise<void> => held?.release(),
  };
};

export type Presence = ReturnType<typeof presenceOf>;
