import { accountMistake, accountOfRow } from '../config/accounts.ts';
import type { SettingsRead } from '../config/load.ts';
import { checkAccountName } from '../config/validation/accountEntries.ts';
import { sentenceOf } from '../config/validation/mistake.ts';
import { UsageError } from '../shared/errors.ts';
import { type FleetRow, type FleetStore, OutOfStep } from './fleetStore.ts';
import { accountLease, workerLease, workersIn } from './keys.ts';

/** Adds the row of an account. Rejects with a UsageError where the name is taken or the entry has a mistake. */
export const addRow = async (store: FleetStore, main: SettingsRead, row: FleetRow): Promise<void> => {
  const { name } = row;
  const [mistake] = checkAccountName(name, {});
  if (mistake) throw new UsageError('account_name', sentenceOf(mistake));
  const account = accountOfRow(main, name, row.entry);
  if ('mistakes' in account) throw new UsageError('account_settings', accountMistake(account.mistakes));
  if (await store.addRow(row)) return;
  const isLeaving = (await store.row(name))?.row.removed;
  throw new UsageError('account_exists', isLeaving ? leaving(name) : `there is an account "${name}" already`);
};

/** Has a worker serve an account; without one any. Rejects with a UsageError where there is no such account, or it leaves. */
export const moveRow = (store: FleetStore, name: string, worker: string | undefined): Promise<void> =>
  change(store, name, (row) => {
    if (row.removed) throw new UsageError('account_unknown', leaving(name));
    return { ...row, worker };
  });

/**
 * Removes an account: a worker clears its topics, then forgets it. True where it is forgotten at once, as no worker that is there can read its
 * state. Rejects with a UsageError where there is none.
 */
export const removeRow = async (store: FleetStore, name: string): Promise<boolean> => {
  await change(store, name, (row) => ({ ...row, removed: true }));
  return forgetUnread(store, name);
};

/** Forgets it where each worker that is there has said in its lease that it cannot read its state; false where one may still clear its topics. */
const forgetUnread = async (store: FleetStore, name: string): Promise<boolean> => {
  const leases = await store.leases();
  const workers = workersIn(leases.keys()).map((worker) => [leases.get(workerLease(worker))?.['cannot']].flat());
  if (workers.length === 0 || leases.has(accountLease(name)) || !workers.every((cannot) => cannot.includes(name))) return false;
  for (const [gateway, account] of (await store.gateways()).accounts) if (account === name) await store.releaseGateway(gateway, account);
  if (await store.lease(accountLease(name))) return false;
  await store.forget(name);
  return true;
};

const leaving = (name: string): string =>
  `the account "${name}" is being removed: a worker clears its topics, then it is gone from "fleet list"`;

const change = async (store: FleetStore, name: string, changed: (row: FleetRow) => FleetRow): Promise<void> => {
  const held = await store.row(name);
  if (!held) {
    const names = (await store.rows()).map((row) => row.name);
    throw new UsageError('account_unknown', `there is no account "${name}": there are ${names.join(', ') || 'none'}`);
  }
  try {
    await store.putRow(changed(held.row), held.revision);
  } catch (cause) {
    if (cause instanceof OutOfStep) throw new UsageError('usage', `somebody else changes the account "${name}" now: try again`, { cause });
    throw cause;
  }
};
