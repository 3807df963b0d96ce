import type { AccountSummary } from '../api/accounts.ts';
import type { BridgeView } from '../bridge/bridgeView.ts';
import type { Settings } from '../config/settings.ts';

/** The accounts of this process, as its page sees them. */
export type AccountsView = {
  /** The main account first, where there is one, then the others in the order of the settings. */
  list(): readonly AccountSummary[];
  /** Undefined while the account does not run. */
  view(name: string): BridgeView | undefined;
  /** Those of the main account for an empty name. Undefined for an account that is not known, or whose settings are wrong. */
  settings(name: string): Settings | undefined;
  /** Writes `accounts.d/NAME.yaml` and starts the account. Rejects with a UsageError. */
  add(account: { readonly name: string; readonly client_id: string }): Promise<void>;
  /** In a fleet: true once the login that was just stored here is kept for the next worker, too; false where another one serves the account now. */
  keepLogin?(name: string): Promise<boolean>;
  /** Stops the account, withdraws its topics and deletes its file; its folder stays. Rejects with a UsageError where it stands in the settings file. */
  remove(name: string): Promise<void>;
};
