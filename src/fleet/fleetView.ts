import type { AccountSummary } from '../api/accounts.ts';
import type { SettingsRead } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { AccountsView } from '../web/accountsView.ts';
import type { FleetStore, Held } from './fleetStore.ts';
import { accountLease } from './keys.ts';
import { addRow, removeRow } from './rows.ts';
import type { Worker } from './worker.ts';

/** How often the leases of other workers are read while somebody looks at the page. */
const TOLD_MS = 10_000;

export type FleetViewParts = {
  readonly worker: Pick<Worker, 'name' | 'rows' | 'broken' | 'leases' | 'served'>;
  readonly store: FleetStore;
  readonly main: SettingsRead;
  readonly clock: Clock;
  readonly log: Log;
};

/** The accounts of a fleet, as the page of a worker shows them. */
export class FleetView implements AccountsView {
  readonly #parts: FleetViewParts;
  /** What the leases of other workers said when they were read last. */
  #told: ReadonlyMap<string, Held['value']> = new Map();
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: FleetViewParts) {
    this.#parts = parts;
  }

  list(): readonly AccountSummary[] {
    const { worker } = this.#parts;
    this.#tell();
    const names = [...worker.rows.values()].flatMap(({ name, removed }) => (removed ? [] : [name]));
    return [...new Set([...names, ...worker.broken])].map((name): AccountSummary => {
      const served = worker.served.get(name);
      if (served) return { ...served.account.summary(), worker: worker.name, servedSinceMs: served.sinceMs };
      const key = accountLease(name);
      const value = worker.leases.has(key) ? this.#told.get(key) : undefined;
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
    return this.#parts.worker.served.get(name)?.account.app?.view;
  }

  settings(name: string): Settings | undefined {
    return this.#parts.worker.served.get(name)?.account.settings;
  }

  async add({ name, client_id }: { readonly name: string; readonly client_id: string }): Promise<void> {
    await addRow(this.#parts.store, this.#parts.main, { name, entry: { client_id } });
  }

  async keepLogin(name: string): Promise<boolean> {
    const served = this.#parts.worker.served.get(name);
    return (await served?.mirror.flushedWhile(() => served.lease.isHeld)) ?? false;
  }

  async remove(name: string): Promise<void> {
    await removeRow(this.#parts.store, name);
  }

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
}
