import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Account } from '../accounts/account.ts';
import type { GatewayOwners } from '../accounts/gatewayOwners.ts';
import type { AccountSummary } from '../api/accounts.ts';
import { ACCOUNT_FOLDERS, accountOfRow } from '../config/accounts.ts';
import type { SettingsRead } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { AccountsView } from '../web/accountsView.ts';
import { accountLease, type FleetRow, type FleetStore, keyOf, nameOf } from './fleetStore.ts';
import { guardOf } from './guard.ts';
import { Lease } from './lease.ts';
import { Mirror } from './mirror.ts';
import { addRow, removeRow } from './rows.ts';
import { shareOut } from './share.ts';

/** How often is looked for leases that have ended, and for accounts to take or give away. */
const LOOK_MS = 500;
/** How often the leases of other workers are read while somebody looks at the page. */
const TOLD_MS = 10_000;
/** Together they would keep each other from being heard. */
const START_EVERY_MS = 100;
/** How long an account may take to stop that another worker may have taken meanwhile. */
const STOP_MS = 5000;

/** So many accounts are handed over at once at the end. */
const LANES = 4;

const WORKER = 'worker.';

export type WorkerParts = {
  readonly store: FleetStore;
  /** The name of this worker, which no other one has. */
  readonly name: string;
  /** The settings of the process, which hold for all accounts. */
  readonly main: SettingsRead;
  readonly settings: Settings;
  readonly owners: GatewayOwners;
  readonly clock: Clock;
  readonly log: Log;
};

type Served = {
  readonly lease: Lease;
  readonly mirror: Mirror;
  readonly account: Account;
  readonly row: FleetRow;
  readonly sinceMs: number;
};

/** Serves the accounts of a fleet that fall to this worker, each under a lease, while other workers serve the others. */
export class Worker implements AccountsView {
  readonly #parts: WorkerParts;
  #rows: ReadonlyMap<string, FleetRow> = new Map();
  #rowsVersion = '';
  /** The keys of all leases. */
  #leases: ReadonlySet<string> = new Set();
  /** What the leases of other workers said when they were read last, for the page. */
  #told: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map();
  #toldAtMs = Number.NEGATIVE_INFINITY;
  readonly #served = new Map<string, Served>();
  /** Accounts that start or stop now. */
  readonly #busy = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  /** That this worker is there; undefined while it may not be. */
  #presence: Lease | undefined;
  #isNameTold = false;
  #isAwayTold = false;
  #look = new AbortController();
  #running: Promise<unknown> = Promise.resolve();

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#running = this.#keepLooking();
  }

  /** Hands all accounts over, one after the other, each in some hundred milliseconds. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#look.abort();
    await this.#running;
    // First, so that the others take what is released.
    await this.#presence?.release();
    await Promise.all(this.#busy.values());
    const names = this.#served.keys();
    const lane = async (): Promise<void> => {
      for (const name of names) await this.#handOver(name);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  }

  list(): readonly AccountSummary[] {
    this.#tell();
    return [...this.#rows.keys()].map((name): AccountSummary => {
      const served = this.#served.get(name);
      if (served) return { ...served.account.summary(), worker: this.#parts.name, servedSinceMs: served.sinceMs };
      const key = accountLease(name);
      const value = this.#leases.has(key) ? this.#told.get(key) : undefined;
      const told = value?.['account'] as AccountSummary | undefined;
      const since = value?.['since'];
      const by = { worker: String(value?.['worker']), ...(typeof since === 'number' ? { servedSinceMs: since } : {}) };
      return told
        ? { ...told, ...by, name, isElsewhere: true }
        : {
            name,
            state: 'stopped',
            broker: false,
            login: 'unknown',
            problem: 'No worker serves it now.',
            problemCode: 'no_worker',
            isElsewhere: true,
          };
    });
  }

  view(name: string): ReturnType<AccountsView['view']> {
    return this.#served.get(name)?.account.app?.view;
  }

  settings(name: string): Settings | undefined {
    return this.#served.get(name)?.account.settings;
  }

  async add({ name, client_id }: { readonly name: string; readonly client_id: string }): Promise<void> {
    await addRow(this.#parts.store, this.#parts.main, { name, entry: { client_id } });
  }

  remove(name: string): Promise<void> {
    return removeRow(this.#parts.store, name);
  }

  readonly flush = (): void => {
    for (const { account } of this.#served.values()) account.app?.flush();
  };

  /** Reads what other workers tell, for the next time that somebody asks. */
  #tell(): void {
    const { store, clock, log } = this.#parts;
    if (clock.elapsedMs() - this.#toldAtMs < TOLD_MS) return;
    this.#toldAtMs = clock.elapsedMs();
    store.leases().then(
      (leases) => {
        this.#told = leases;
      },
      (cause: unknown) => log.debug({ why: messageOf(cause) }, 'the leases of other workers cannot be read now'),
    );
  }

  async #keepLooking(): Promise<void> {
    const { clock, log } = this.#parts;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#look = new AbortController();
      try {
        await this.#read();
        this.#presence ??= await this.#appear();
        if (this.#presence) this.#share();
      } catch (cause) {
        if (!this.#isAwayTold) log.warn({ why: messageOf(cause) }, 'NATS does not answer; accounts stop where that lasts');
        this.#isAwayTold = true;
      }
      await clock.sleep(LOOK_MS, AbortSignal.any([signal, this.#look.signal])).catch(() => undefined);
    }
  }

  /** What lies on NATS now. Rejects where it does not answer. */
  async #read(): Promise<void> {
    const { store, log } = this.#parts;
    const version = await store.rowsVersion();
    if (version !== this.#rowsVersion) this.#rows = new Map((await store.rows()).map((row) => [row.name, row]));
    this.#rowsVersion = version;
    this.#leases = new Set(await store.leaseKeys());
    if (this.#isAwayTold) log.info({}, 'NATS answers again');
    this.#isAwayTold = false;
  }

  /** Undefined where another worker has this name, or had it less than 30 s ago. */
  async #appear(): Promise<Lease | undefined> {
    const { name, log } = this.#parts;
    const lost = (): void => {
      this.#presence = undefined;
    };
    const lease = this.#leaseOf(WORKER + keyOf(name), () => ({}), lost);
    if (await lease.acquire()) return lease;
    if (!this.#isNameTold)
      log.warn({ worker: name }, 'there is a worker with this name, or there was one half a minute ago; waiting for its end');
    this.#isNameTold = true;
    return undefined;
  }

  /** Gives away what falls to another worker, and takes what falls to this one and is free. */
  #share(): void {
    const workers = [...this.#leases].flatMap((key) => (key.startsWith(WORKER) ? [nameOf(key.slice(WORKER.length))] : []));
    const me = this.#parts.name;
    const shared = shareOut([...this.#rows.values()], [...new Set([...workers, me])].toSorted());
    this.#parts.owners.setOrder([...this.#rows.keys()]);
    for (const [name, served] of this.#served) {
      const row = this.#rows.get(name);
      if (!row) this.#act(name, () => this.#handOver(name, { withdraw: true }));
      else if (shared.get(name) !== me) this.#act(name, () => this.#handOver(name));
      else if (!isDeepStrictEqual(row.entry, served.row.entry)) this.#act(name, () => this.#restart(name, row));
    }
    let starts = 0;
    for (const [name, row] of this.#rows) {
      if (shared.get(name) !== me || this.#served.has(name) || this.#leases.has(accountLease(name))) continue;
      const waitMs = starts * START_EVERY_MS;
      if (this.#act(name, () => this.#take(row, waitMs))) starts += 1;
    }
  }

  /** One thing at a time for each account. */
  #act(name: string, work: () => Promise<void>): boolean {
    if (this.#busy.has(name)) return false;
    const done = work()
      .catch((cause: unknown) =>
        this.#parts.log.error({ account: name, why: messageOf(cause) }, 'this account is not served now; it is tried again'),
      )
      .finally(() => {
        this.#busy.delete(name);
        this.#look.abort();
      });
    this.#busy.set(name, done);
    return true;
  }

  async #take(row: FleetRow, waitMs: number): Promise<void> {
    const { store, main, settings, owners, clock, log } = this.#parts;
    const { name } = row;
    await clock.sleep(waitMs, this.#stopping.signal).catch(() => undefined);
    if (this.#stopping.signal.aborted) return;
    const sinceMs = clock.now();
    const lost = (why: string): void => this.#lost(name, why);
    const shown = (): object => ({ account: this.#served.get(name)?.account.summary() });
    const lease = this.#leaseOf(accountLease(name), shown, lost);
    if (!(await lease.acquire())) return;
    const dir = join(settings.data_dir, ACCOUNT_FOLDERS, name);
    const onLost = (): void => lost('another worker has written its state');
    const mirror = new Mirror({ store, name, dir, writer: lease.id, clock, log, onLost });
    try {
      await mirror.restore();
    } catch (cause) {
      await lease.release();
      await clock.sleep(LOOK_MS);
      throw cause;
    }
    // What `fleet list` shows, at once.
    const changed = (): void => void lease.confirm().catch(() => undefined);
    const account = new Account(accountOfRow(main, name, row.entry), { owners, clock, log, changed, guard: guardOf(lease, mirror) });
    this.#served.set(name, { lease, mirror, account, row, sinceMs });
    log.info({ account: name }, 'this worker serves the account');
    await account.start();
  }

  async #restart(name: string, row: FleetRow): Promise<void> {
    const served = this.#served.get(name);
    if (!served) return;
    this.#served.set(name, { ...served, row });
    await served.account.restart(accountOfRow(this.#parts.main, name, row.entry));
  }

  async #handOver(name: string, options?: { readonly withdraw: boolean }): Promise<void> {
    const served = this.#served.get(name);
    if (!served) return;
    await served.account.stop(options);
    await Promise.race([served.mirror.flushed(), this.#parts.clock.sleep(STOP_MS)]);
    served.mirror.end();
    await served.lease.release();
    this.#served.delete(name);
    this.#parts.log.info({ account: name }, 'this worker has handed the account over');
  }

  #lost(name: string, why: string): void {
    const served = this.#served.get(name);
    if (!served) return;
    const { clock, log } = this.#parts;
    log.error({ account: name, why }, 'this worker has lost its lease of the account and stops it');
    served.mirror.end({ lost: true });
    this.#served.delete(name);
    const before = this.#busy.get(name);
    this.#busy.delete(name);
    this.#act(name, async () => {
      await before;
      await Promise.race([served.account.stop(), clock.sleep(STOP_MS)]);
      await served.lease.release();
    });
  }

  #leaseOf(key: string, shown: () => object, onLost: (why: string) => void): Lease {
    const { store, name, clock } = this.#parts;
    const since = clock.now();
    return new Lease({ store, key, clock, onLost, shown: () => ({ worker: name, since, ...shown() }) });
  }
}
