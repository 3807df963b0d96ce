import { useEffect } from 'preact/hooks';
import { linkToProcess } from '../shell/route.ts';
import { accountName, placeOf } from '../state/place.ts';
import { accounts, loadAccounts } from './accounts.ts';
import { ownAccounts } from './fleet.ts';
import { accountWords } from './words.ts';

/** Links to another account, or to the account table. */
export const Switcher = () => {
  const w = accountWords.value;
  useEffect(() => void loadAccounts().catch(() => undefined), []);
  const own = ownAccounts(accounts.value ?? []);
  return (
    <select
      class="accounts-switch"
      aria-label={w.switcher}
      value={accountName}
      onChange={({ currentTarget }) => {
        const { value } = currentTarget;
        currentTarget.value = accountName;
        location.href = value === '*' ? linkToProcess('accounts') : placeOf(value);
      }}
    >
      {own.map(({ name }) => (
        <option key={name} value={name}>
          {name || w.main}
        </option>
      ))}
      {!own.some(({ name }) => name === accountName) && <option value={accountName}>{accountName || w.title}</option>}
      <option value="*">{w.all}</option>
    </select>
  );
};
