import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import { rowsVersion } from '../storage/backup/databaseCopy.ts';
import type { FleetStore } from './fleetStore.ts';
import { workerLease, workersIn } from './keys.ts';
import { Lease } from './lease.ts';

/** A worker that comes waits so long for others that come with it, as after NATS was away: they have the folders of their accounts. */
const SETTLE_MS = 3000;

export type PresenceParts = {
  readonly store: Pick<FleetStore, 'lease' | 'putLease' | 'deleteLease'>;
  /** The name of this worker. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Log;
};

type Other = { readonly cannot: ReadonlySet<string>; readonly version: number };

/** Which workers are there, and which accounts each of them cannot serve, as where a newer version has written their state. */
export class Presence {
  readonly #parts: PresenceParts;
  readonly #refused = new Set<string>();
  #others: ReadonlyMap<string, Other> = new Map();
  /** Undefined while this worker may not be there. */
  #lease: Lease | undefined;
  #sinceMs = 0;
  #isNameTold = false;

  constructor(parts: PresenceParts) {
    this.#parts = parts;
  }

  /** The names of all workers, with this one. */
  get workers(): readonly string[] {
    return [...new Set([...this.#others.keys(), this.#parts.name])].toSorted();
  }

  readonly cannot = (worker: string, account: string): boolean =>
    (worker === this.#parts.name ? this.#refused : this.#others.get(worker)?.cannot)?.has(account) ?? false;

  /** True where that worker can read what this one writes: it is of the same version, or a newer one. */
  canFollow(worker: string): boolean {
    return (this.#others.get(worker)?.version ?? 0) >= rowsVersion();
  }

  /** Reads of the others. `leases`: the keys of all. Rejects where NATS does not answer. */
  async read(leases: Iterable<string>): Promise<void> {
    const names = workersIn(leases);
    const held = await Promise.all(names.map((name) => this.#parts.store.lease(workerLease(name))));
    const others = held.map((one): Other => {
      const { cannot = [], version } = one?.value ?? {};
      return { cannot: new Set([cannot].flat().map(String)), version: Number(version ?? 0) };
    });
    this.#others = new Map(names.flatMap((name, index) => (others[index] ? [[name, others[index]]] : [])));
  }

  /** True where this worker is there and knows the others. Rejects where NATS does not answer. */
  async isSettled(): Promise<boolean> {
    const { clock } = this.#parts;
    if (!this.#lease) await this.#appear();
    return this.#lease !== undefined && clock.elapsedMs() - this.#sinceMs >= SETTLE_MS;
  }

  async #appear(): Promise<void> {
    const { store, name, clock, log } = this.#parts;
    const since = clock.now();
    const lease = new Lease({
      ...{ store, clock, key: workerLease(name) },
      shown: () => ({ worker: name, since, version: rowsVersion(), cannot: [...this.#refused] }),
      onLost: () => {
        this.#lease = undefined;
      },
    });
    if (await lease.acquire()) {
      this.#lease = lease;
      this.#sinceMs = clock.elapsedMs();
    } else if (!this.#isNameTold) {
      log.warn({ worker: name }, 'there is a worker with this name, or there was one half a minute ago; waiting for its end');
      this.#isNameTold = true;
    }
  }

  /** Leaves an account to other workers for as long as this process runs, or until `isThere` says that it was removed. */
  async refuse(account: string): Promise<void> {
    this.#refused.add(account);
    await this.#lease?.confirm().catch(() => undefined);
  }

  forgetRefusals(isThere: (account: string) => boolean): void {
    for (const account of this.#refused) if (!isThere(account)) this.#refused.delete(account);
  }

  async release(): Promise<void> {
    await this.#lease?.release();
  }
}
