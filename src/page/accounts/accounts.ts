import { signal } from '@preact/signals';
import type { AccountSummary } from '../../api/accounts.ts';
import { getJson } from '../state/api.ts';

/** All accounts of the process; undefined before the first answer. */
export const accounts = signal<readonly AccountSummary[] | undefined>();

/** Loads the accounts. Throws like `getJson`. */
export const loadAccounts = async (): Promise<void> => {
  accounts.value = (await getJson('api/accounts')).accounts;
};

const needsSomebody = ({ state, broker, login, problem }: AccountSummary): number => {
  if (login === 'needed' || state === 'wrong_settings' || state === 'taken_over') return 0;
  if (problem !== undefined || state === 'stopped') return 1;
  if (login === 'due' || (state === 'running' && !broker)) return 2;
  return 3;
};

/** The accounts whose name, state or problem has this text: first those that need action, then by name. */
export const sortedAccounts = (
  all: readonly AccountSummary[],
  filter: string,
  textOf: (one: AccountSummary) => string,
): readonly AccountSummary[] =>
  all
    .filter((one) => textOf(one).toLowerCase().includes(filter.trim().toLowerCase()))
    .toSorted((a, b) => needsSomebody(a) - needsSomebody(b) || a.name.localeCompare(b.name));
