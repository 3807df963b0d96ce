import { accountMistake, accountOfRow } from '../config/accounts.ts';
import type { SettingsRead } from '../config/load.ts';
import { checkAccountName } from '../config/validation/accountEntries.ts';
import { sentenceOf } from '../config/validation/mistake.ts';
import { UsageError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { FleetRow, FleetStore } from './fleetStore.ts';
import { accountLease, workerLease, workersIn } from './keys.ts';
import { OutOfStep } from './outOfStep.ts';
import type { Placed } from './share.ts';
import { releaseGateways } from './sharedGateways.ts';

const BROKEN =
  'the row of this account on NATS cannot be read, it may be damaged: the worker that serves it continues; "fleet add" writes the row again, "fleet remove" removes the account';

/** The rows of all accounts at the last read. An unreadable row does not affect other accounts. */
export const accountRows = (store: Pick<FleetStore, 'rows' | 'rowsVersion'>, log: Log) => {
  let rows: ReadonlyMap<string, FleetRow> = new Map();
  let broken: ReadonlySet<string> = new Set();
  let version = '';
  return {
    /** Reads the rows if they have changed. Rejects if NATS does not answer. */
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
    /** By name. An unreadable row keeps its previous content, if known. */
    all: (): ReadonlyMap<string, FleetRow> => rows,
    /** The names of the unreadable rows. */
    broken: (): ReadonlySet<string> => broken,
    /**
     * The accounts to distribute: equal at each worker, even without the previous content of a broken row.
     */
    placed: (): readonly Placed[] => [
      ...[...rows.values()].filter(({ name }) => !broken.has(name)),
      ...[...broken].map((name) => ({ name })),
    ],
  };
};

/** Adds a row or replaces an unreadable one (login, state stay). UsageError: name taken or entry wrong. */
export const addRow = async (store: FleetStore, main: SettingsRead, row: FleetRow): Promise<void> => {
  const { name } = row;
  const [mistake] = checkAccountName(name, {});
  if (mistake) throw new UsageError('account_name', sentenceOf(mistake));
  const account = accountOfRow(main, name, row.entry);
  if ('mistakes' in account) throw new UsageError('account_settings', accountMistake(account.mistakes));
  if (await store.addRow(row)) return;
  const held = await store.row(name);
  if (held && !held.row) return put(store, row, held.revision);
  throw new UsageError('account_exists', held?.row?.removed ? leaving(name) : `the account "${name}" already exists`);
};

/** Assigns an account to a worker (undefined: any). UsageError if the account is missing or being removed. */
export const moveRow = (store: FleetStore, name: string, worker: string | undefined): Promise<void> =>
  change(store, name, (row) => {
    if (!row)
      throw new UsageError('usage', `the row of "${name}" cannot be read: "fleet add" writes it again, "fleet remove" removes the account`);
    if (row.removed) throw new UsageError('account_unknown', leaving(name));
    return { ...row, worker };
  });

/**
 * Removes an account: a worker clears its topics, then forgets it. True if it is forgotten at once, because
 * no running worker can read its state. Rejects with a UsageError if there is no such account.
 */
export const removeRow = async (store: FleetStore, name: string): Promise<boolean> => {
  await change(store, name, (row) => ({ ...(row ?? { name, entry: {} }), removed: true }));
  return forgetUnread(store, name);
};

/** Forgets it if the leases of all workers say that none can serve it. False: one may clear its topics. */
const forgetUnread = async (store: FleetStore, name: string): Promise<boolean> => {
  const leases = await store.leases();
  const workers = workersIn(leases.keys()).map((worker) => [leases.get(workerLease(worker))?.['cannot']].flat());
  if (workers.length === 0 || leases.has(accountLease(name)) || !workers.every((cannot) => cannot.includes(name))) return false;
  await releaseGateways(store, name);
  if (await store.lease(accountLease(name))) return false;
  await store.forget(name);
  return true;
};

const leaving = (name: string): string =>
  `the account "${name}" is being removed: a worker clears its topics; then "fleet list" no longer shows it`;

/** `changed` gets undefined if the row cannot be read. */
const change = async (store: FleetStore, name: string, changed: (row: FleetRow | undefined) => FleetRow): Promise<void> => {
  const held = await store.row(name);
  if (!held) {
    const { rows, broken } = await store.rows();
    const names = [...rows.map((row) => row.name), ...broken].toSorted();
    throw new UsageError('account_unknown', `there is no account "${name}"; available: ${names.join(', ') || 'none'}`);
  }
  await put(store, changed(held.row), held.revision);
};

const put = async (store: FleetStore, row: FleetRow, revision: number): Promise<void> => {
  try {
    await store.putRow(row, revision);
  } catch (cause) {
    if (cause instanceof OutOfStep)
      throw new UsageError('usage', `another command is changing the account "${row.name}" now: try again`, { cause });
    throw cause;
  }
};
