import type { AccountSummary } from '../../../src/api/accounts.ts';
import type { Settings } from '../../../src/config/settings.ts';
import { UsageError } from '../../../src/shared/errors.ts';
import type { AccountsParts } from '../../../src/web/accounts/accountsRoutes.ts';
import type { AccountsView } from '../../../src/web/accountsView.ts';
import { FakeView } from './fakeView.ts';

export const REDIRECT = 'http://localhost:4200/';
const PLATFORM = 'https://login.example/authorize?state=<s>&client="x"';

/** The accounts `north` and `south` of a process, each with a login that takes an address which ends with `code=good`. */
export const fakeAccounts = (more: readonly AccountSummary[] = []) => {
  const clients = new Map([
    ['north', 'client-north'],
    ['south', 'client-south'],
  ]);
  const viewOf = (name: string) => Object.assign(new FakeView(`heating2mqtt/${name}`), { pollNow: () => undefined });
  const views = { north: viewOf('north'), west: viewOf('west') };
  const logins: string[] = [];
  const summary = (name: string): AccountSummary => ({
    name,
    state: 'running',
    broker: true,
    login: logins.includes(name) ? 'ok' : 'needed',
  });
  const view: AccountsView = {
    list: () => [...['', ...clients.keys()].map(summary), ...more],
    view: (name) => (clients.has(name) && (name === 'north' || name === 'west') ? views[name].asBridge : undefined),
    settings: (name) =>
      clients.has(name)
        ? ({ data_dir: '', account: name, platform: { client_id: clients.get(name), redirect_uri: REDIRECT } } as unknown as Settings)
        : undefined,
    add: async ({ name, client_id }) => {
      if (!/^[a-z]+$/.test(name)) throw new UsageError('account_name', 'no such name');
      clients.set(name, client_id);
    },
    remove: async (name) => void clients.delete(name),
  };
  const login: AccountsParts['login'] = (name) => ({
    begin: async () => ({ address: PLATFORM, seconds: 600 }),
    finish: async (address) => {
      if (!address.endsWith('code=good')) return { status: 'rejected', code: 'invalid', message: 'no' };
      logins.push(name);
      return { status: 'applied', message: '' };
    },
  });
  return { clients, logins, views, parts: { view, login } satisfies AccountsParts };
};
