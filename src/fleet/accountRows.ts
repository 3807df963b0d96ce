import type { Log } from '../shared/log.ts';
import type { FleetRow, FleetStore } from './fleetStore.ts';
import type { Placed } from './share.ts';

const BROKEN =
  'the row of this account on NATS cannot be read, as where it was damaged: the worker that serves it goes on; "fleet add" writes the row anew, "fleet remove" removes the account';

/** The rows of all accounts, as they were read last. One that cannot be read holds up no other account. */
export const accountRows = (store: Pick<FleetStore, 'rows' | 'rowsVersion'>, log: Log) => {
  let rows: ReadonlyMap<string, FleetRow> = new Map();
  let broken: ReadonlySet<string> = new Set();
  let version = '';
  return {
    /** Reads them where they have changed. Rejects where NATS does not answer. */
    read: async (): Promise<void> => {
      const now = await store.rowsVersion();
      if (now === version) return;
      const found = await store.rows();
      for (const name of found.broken) if (!broken.has(name)) log.error({ account: name }, BROKEN);
      broken = new Set(found.broken);
      const before = found.broken.flatMap((name) => rows.get(name) ?? []);
      rows = new Map([...found.rows, ...before].map((row) => [row.name, row]));
      version = now;
    },
    /** By name; of those that cannot be read what they said before, where that is known. */
    all: (): ReadonlyMap<string, FleetRow> => rows,
    /** The names of those that cannot be read. */
    broken: (): ReadonlySet<string> => broken,
    /** What is shared out: the same at each worker, also at one that does not know what a broken row said before. */
    placed: (): readonly Placed[] => [
      ...[...rows.values()].filter(({ name }) => !broken.has(name)),
      ...[...broken].map((name) => ({ name })),
    ],
  };
};
