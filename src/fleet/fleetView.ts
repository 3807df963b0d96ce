import type { AccountSummary } from '../api/accounts.ts';
import type { SettingsRead } from '../config/load.ts';
import type { Clock } from '../shared/clock.ts';
import { messageOf } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { AccountsView } from '../web/accountsView.ts';
import type { FleetStore, Held } from './fleetStore.ts';
import { accountLease } from './keys.ts';
import { addRow, removeRow } from './rows.ts';
import type { Worker } from './worker.ts';

/** How often the leases of other workers are read while a page is open. */
const TOLD_MS = 10_000;

type FleetViewParts = {
  readonly worker: Pick<Worker, 'name' | 'rows' | 'broken' | 'leases' | 'served'>;
  readonly store: FleetStore;
  readonly main: SettingsRead;
  readonly clock: Clock;
  readonly log: Log;
};

/** The accounts of a fleet, as the page of a worker shows them. */
export const fleetView = ({ worker, store, main, clock, log }: FleetViewParts): AccountsView => {
  /** The content of other workers' leases at the last read. */
  let told: ReadonlyMap<string, Held['value']> = new Map();
  let toldAtMs = Number.NEGATIVE_INFINITY;

  const list = (): readonly AccountSummary[] => {
    tell();
    const names = [...worker.rows.values()].flatMap(({ name, removed }) => (removed ? [] : [name]));
    return [...new Set([...names, ...worker.broken])].map((name): AccountSummary => {
      const served = worker.served.get(name);
      if (served) return { ...served.account.summary(), worker: worker.name, servedSinceMs: served.sinceMs };
      const key = accountLease(name);
      const value = worker.leases.has(key) ? told.get(key) : undefined;
      const summary = value?.['account'] as AccountSummary | undefined;
      const since = value?.['since'];
      const by = { worker: String(value?.['worker']), ...(typeof since === 'number' ? { servedSinceMs: since } : {}) };
      return summary
        ? { ...summary, ...by, name, isElsewhere: true }
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
  };

  /** Reads the leases of other workers in the background, for the next request. */
  const tell = (): void => {
    if (clock.elapsedMs() - toldAtMs < TOLD_MS) return;
    toldAtMs = clock.elapsedMs();
    store.leases().then(
      (leases) => {
        told = leases;
      },
      (cause: unknown) => log.debug({ why: messageOf(cause) }, 'the leases of other workers cannot be read now'),
    );
  };

  return {
    list,
    view: (name) => worker.served.get(name)?.account.app?.view,
    settings: (name) => worker.served.get(name)?.account.settings,
    add: ({ name, client_id }) => addRow(store, main, { name, entry: { client_id } }),
    keepLogin: async (name) => {
      const served = worker.served.get(name);
      return (await served?.mirror.flushedWhile(() => served.lease.isHeld)) ?? false;
    },
    remove: async (name) => void (await removeRow(store, name)),
  };
};
