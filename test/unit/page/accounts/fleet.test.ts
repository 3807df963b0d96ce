import { expect, test } from 'vitest';
import type { AccountSummary } from '../../../../src/api/accounts.ts';
import { isOfFleet, ownAccounts } from '../../../../src/page/accounts/fleet.ts';

test('accounts that another worker serves have no page here; in a fleet an account is removed with its login', () => {
  const account = { state: 'running', broker: true, login: 'ok' } as const;
  const all: readonly AccountSummary[] = [
    { ...account, name: 'alone' },
    { ...account, name: 'here', worker: 'w1' },
    { ...account, name: 'there', worker: 'w2', isElsewhere: true },
    { ...account, name: 'nowhere', isElsewhere: true },
  ];
  expect(ownAccounts(all).map(({ name }) => name)).toEqual(['alone', 'here']);
  expect(all.filter((one) => !isOfFleet(one)).map(({ name }) => name)).toEqual(['alone']);
});
