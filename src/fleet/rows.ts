import { accountMistake, accountOfRow } from '../config/accounts.ts';
import type { SettingsRead } from '../config/load.ts';
import { checkAccountName } from '../config/validation/accountEntries.ts';
import { sentenceOf } from '../config/validation/mistake.ts';
import { UsageError } from '../shared/errors.ts';
import type { FleetRow, FleetStore } from './fleetStore.ts';

/** Adds the row of an account. Rejects with a UsageError where the name is taken or the entry has a mistake. */
export const addRow = async (store: FleetStore, main: SettingsRead, row: FleetRow): Promise<void> => {
  const [mistake] = checkAccountName(row.name, {});
  if (mistake) throw new UsageError('account_name', sentenceOf(mistake));
  if ((await store.rows()).some(({ name }) => name === row.name))
    throw new UsageError('account_exists', `there is an account "${row.name}" already`);
  const account = accountOfRow(main, row.name, row.entry);
  if ('mistakes' in account) throw new UsageError('account_settings', accountMistake(account.mistakes));
  await store.putRow(row);
};

/** Removes an account; the worker that serves it clears its topics. Rejects with a UsageError where there is none. */
export const removeRow = async (store: FleetStore, name: string): Promise<void> => {
  const names = (await store.rows()).map((row) => row.name);
  if (!names.includes(name))
    throw new UsageError('account_unknown', `there is no account "${name}": there are ${names.join(', ') || 'none'}`);
  await store.removeRow(name);
};
