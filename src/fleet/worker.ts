import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Account } from '../accounts/account.ts';
import type { GatewayOwners } from '../accounts/gatewayOwners.ts';
import { ACCOUNT_FOLDERS, accountOfRow } from '../config/accounts.ts';
import type { SettingsRead } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { type Clock, wakeLoop, within } from '../shared/clock.ts';
import { UsageError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { freeBytes } from '../storage/dataDir.ts';
import type { FleetRow, FleetStore } from './fleetStore.ts';
import { guardOf } from './guard.ts';
import { accountLease } from './keys.ts';
import { Lease } from './lease.ts';
import { Mirror } from './mirror.ts';
import { natsReason } from './openNats.ts';
import { type Presence, presenceOf } from './presence.ts';
import { accountRows } from './rows.ts';
import { releaseGateways, shareGateways } from './sharedGateways.ts';

/** How often the worker looks for expired leases, and for accounts to take or hand over. */
const LOOK_MS = 500;
/** The wait after a failed take or hand-over. */
const AGAIN_MS = 5000;
/** The interval between starts: simultaneous starts would block each other's connections. */
const START_EVERY_MS = 100;
/** The maximum time to stop an account that another worker may have taken. */
const STOP_MS = 5000;
/** The number of parallel hand-overs at the end. */
const LANES = 4;
const NO_ROW = 'its row is missing on NATS, but "fleet remove" did not remove it: its topics are not cleared';

export type WorkerParts = {
  readonly store: FleetStore;
  /** The unique name of this worker. */
  readonly name: string;
  /** The settings of the process, which apply to all accounts. */
  readonly main: SettingsRead;
  readonly settings: Settings;
  readonly owners: GatewayOwners;
  readonly clock: Clock;
  readonly log: Log;
};

export type Served = {
  readonly lease: Lease;
  readonly mirror: Mirror;
  readonly account: Account;
  readonly row: FleetRow;
  readonly sinceMs: number;
};

/** Serves this worker's share of the accounts, each under a lease. */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #rows: ReturnType<typeof accountRows>;
  #leases: ReadonlySet<string> = new Set();
  readonly #served = new Map<string, Served>();
  /** Accounts that are starting or stopping. */
  readonly #busy = new Map<string, Promise<void>>();
  /** The last reason why an account was not served. */
  readonly #troubles = new Map<string, string>();
  readonly #stopping = new AbortController();
  readonly #presence: Presence;
  #isAwayTold = false;
  readonly #loop: ReturnType<typeof wakeLoop>;
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#rows = accountRows(parts.store, parts.log);
    this.#presence = presenceOf({ ...parts, freeBytes: () => freeBytes(parts.settings.data_dir) });
    this.#loop = wakeLoop(parts.clock);
  }

  start(): void {
    this.#running = this.#keepLooking();
  }

  /** Hands all accounts over; each takes some hundred milliseconds. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    // First, so that the other workers take the released accounts.
    await this.#presence.release();
    await Promise.all(this.#busy.values());
    const names = this.#served.keys();
    const lane = async (): Promise<void> => {
      for (const name of names) await this.#handOver(name);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    // Accounts whose lease was lost during the hand-over.
    await Promise.all(this.#busy.values());
  }

  /** Restarts stopped accounts whose leases this worker holds. */
  startAgain(): void {
    for (const { account } of this.#served.values()) void account.start();
  }

  get name(): string {
    return this.#parts.name;
  }

  get rows(): ReadonlyMap<string, FleetRow> {
    return this.#rows.all();
  }

  /** The names of the unreadable rows. */
  get broken(): ReadonlySet<string> {
    return this.#rows.broken();
  }

  /** The keys of all current leases. */
  get leases(): ReadonlySet<string> {
    return this.#leases;
  }

  get served(): ReadonlyMap<string, Served> {
    return this.#served;
  }

  #keepLooking(): Promise<void> {
    const { log } = this.#parts;
    const { signal } = this.#stopping;
    return this.#loop.run(signal, async () => {
      try {
        await this.#read();
        await shareGateways(this.#parts, this.rows, this.#served);
        if (await this.#presence.isSettled(signal)) this.#share();
        if (this.#isAwayTold) log.info({}, 'NATS answers again');
        this.#isAwayTold = false;
      } catch (cause) {
        if (!this.#isAwayTold)
          log.warn({ why: natsReason(cause) }, 'NATS does not answer requests of this worker; its accounts stop if this lasts');
        this.#isAwayTold = true;
      }
      return LOOK_MS;
    });
  }

  /** Reads the current content of NATS. Rejects if it does not answer. */
  async #read(): Promise<void> {
    await this.#rows.read();
    this.#leases = new Set(await this.#parts.store.leaseKeys());
    await this.#presence.read(this.#leases);
  }

  /** Hands over accounts assigned to other workers, and takes free accounts assigned to this one. */
  #share(): void {
    const me = this.#parts.name;
    const { rows, broken } = this;
    this.#presence.forgetRefusals((name) => rows.has(name));
    const shared = this.#presence.share(this.#rows.placed());
    this.#parts.owners.setOrder([...rows.keys()]);
    for (const [name, served] of this.#served) {
      const row = rows.get(name);
      const worker = shared.get(name);
      // Topics are cleared only on request: a lost bucket does not mean the removal of all accounts.
      if (!row) this.#act(name, () => this.#handOver(name));
      else if (row.removed && mayEnd(served.account)) this.#act(name, () => this.#handOver(name, { isRemoved: true }));
      // The other worker may not know the previous content of the row.
      else if (broken.has(name)) continue;
      else if (worker !== undefined && worker !== me && !served.mirror.isBehind && this.#presence.canFollow(worker))
        this.#act(name, () => this.#handOver(name));
      else if (!isDeepStrictEqual(row.entry, served.row.entry)) this.#act(name, () => this.#restart(name, row));
    }
    let starts = 0;
    for (const [name, row] of rows) {
      if (shared.get(name) !== me || this.#served.has(name) || this.#leases.has(accountLease(name))) continue;
      const waitMs = starts * START_EVERY_MS;
      if (this.#act(name, () => this.#take(row, waitMs))) starts += 1;
    }
  }

  /** Runs one action at a time for each account. */
  #act(name: string, work: () => Promise<void>): boolean {
    if (this.#busy.has(name)) return false;
    const done = work()
      .catch(async (cause: unknown) => {
        const why = natsReason(cause);
        if (this.#troubles.get(name) !== why)
          this.#parts.log.error({ account: name, why }, 'this worker cannot serve the account now; it tries again');
        this.#troubles.set(name, why);
        await this.#parts.clock.sleep(AGAIN_MS, this.#stopping.signal).catch(() => undefined);
      })
      .finally(() => {
        // If the lease was lost, `#lost` has already registered the next action.
        if (this.#busy.get(name) === done) this.#busy.delete(name);
        this.#loop.wake();
      });
    this.#busy.set(name, done);
    return true;
  }

  async #take(row: FleetRow, waitMs: number): Promise<void> {
    const { store, main, owners, clock, log } = this.#parts;
    const { name } = row;
    await clock.sleep(waitMs, this.#stopping.signal).catch(() => undefined);
    if (this.#stopping.signal.aborted) return;
    const sinceMs = clock.now();
    const lost = (why: string): void => this.#lost(name, why);
    const shown = (): object => ({ worker: this.name, since: sinceMs, account: this.#served.get(name)?.account.summary() });
    const lease = new Lease({ store, key: accountLease(name), shown, clock, onLost: lost });
    if (!(await lease.acquire(this.#stopping.signal))) return;
    const onLost = (): void => lost('another worker has written its state');
    const isHeld = (): Promise<boolean> =>
      lease
        .confirm()
        .then(() => true)
        .catch(() => false);
    const mirror = new Mirror({ ...{ store, name, dir: this.#dirOf(name), writer: lease.id, clock, log }, isHeld, onLost });
    try {
      // The account may have been removed since.
      if (!(await store.row(name))) return await lease.release();
      await mirror.restore();
      if (!lease.isHeld) throw new Error('its lease has ended');
    } catch (cause) {
      if (cause instanceof UsageError) await this.#presence.refuse(name);
      await lease.release();
      throw cause;
    }
    // Shows the change in `fleet list` at once.
    const changed = (): void => void lease.confirm().catch(() => undefined);
    const account = new Account(accountOfRow(main, name, row.entry), { owners, clock, log, changed, guard: guardOf(lease, mirror) });
    this.#served.set(name, { lease, mirror, account, row, sinceMs });
    if (!row.removed) this.#troubles.delete(name);
    log.info({ account: name }, 'this worker serves the account');
    await account.start();
    if (account.summary().problemCode !== 'newer_database') return;
    await this.#presence.refuse(name);
    await this.#handOver(name);
  }

  async #restart(name: string, row: FleetRow): Promise<void> {
    const served = this.#served.get(name);
    if (!served) return;
    this.#served.set(name, { ...served, row });
    await served.account.restart(accountOfRow(this.#parts.main, name, row.entry));
  }

  async #handOver(name: string, { isRemoved = false } = {}): Promise<void> {
    const served = this.#served.get(name);
    if (!served) return;
    const { lease, mirror, account } = served;
    const isRunning = account.app !== undefined;
    const isCleared = await account.stop({ withdraw: isRemoved });
    // The held lease excludes other workers, and the last moment may have brought renewed tokens.
    await mirror.flushedWhile(() => lease.isHeld);
    mirror.end();
    try {
      // The next worker clears the rest.
      if (isRemoved && isRunning && !isCleared) throw new Error('its broker did not accept all messages that clear its topics');
      if (isRemoved) await this.#forget(served, isCleared);
      else
        this.#parts.log.info({ account: name, ...(this.rows.has(name) ? {} : { why: NO_ROW }) }, 'this worker has handed the account over');
    } finally {
      await lease.release();
      this.#served.delete(name);
    }
  }

  async #forget({ row: { name }, lease }: Served, isCleared: boolean): Promise<void> {
    const { store, log } = this.#parts;
    await lease.confirm();
    await releaseGateways(store, name);
    await store.forget(name);
    rmSync(this.#dirOf(name), { recursive: true, force: true });
    if (isCleared) log.info({ account: name }, 'the account was removed: its topics were cleared, its login and state were deleted');
    else log.warn({ account: name }, 'the account was removed; it was not running, so topics that it has published stay at the broker');
  }

  #lost(name: string, why: string): void {
    const served = this.#served.get(name);
    if (!served) return;
    const { clock, log } = this.#parts;
    log.error({ account: name, why }, 'this worker has lost its lease of the account and stops it');
    served.mirror.end();
    this.#served.delete(name);
    const before = this.#busy.get(name);
    this.#busy.delete(name);
    this.#act(name, async () => {
      await before;
      await within(clock, STOP_MS, served.account.stop());
      await served.lease.release();
    });
  }

  #dirOf(name: string): string {
    return join(this.#parts.settings.data_dir, ACCOUNT_FOLDERS, name);
  }
}

/** True if a removed account can be stopped: its topics can be cleared, or it does not run. */
const mayEnd = ({ app }: Account): boolean => !app || app.status().broker;
