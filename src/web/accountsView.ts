import type { AccountSummary } from '../api/accounts.ts';
import type { BridgeView } from '../bridge/bridgeView.ts';
import type { Settings } from '../config/settings.ts';

/** The accounts of this process, as seen by its page. */
export type AccountsView = {
  /** The main account first, if there is one, then the others in the order of the settings. */
  list(): readonly AccountSummary[];
  /** Undefined while the account is not running. */
  view(name: string): BridgeView | undefined;
  /** Empty name: the main account. Undefined if the account is unknown or its settings are invalid. */
  settings(name: string): Settings | undefined;
  /** Writes `accounts.d/NAME.yaml` and starts the account. Rejects with a UsageError. */
  add(account: { readonly name: string; readonly client_id: string }): Promise<void>;
  /** In a fleet: true once the next worker also has the new login; false if the account has moved. */
  keepLogin?(name: string): Promise<boolean>;
  /** Stops the account, clears its topics, deletes its file. Throws UsageError if the settings name it. */
  remove(name: string): Promise<void>;
};
