import type { BridgeView } from '../bridge/bridgeView.ts';
import type { Settings } from '../config/settings.ts';

/** `taken_over`: another process has its client id at the broker; `wrong_settings`: its entry has a mistake. */
export type AccountState = 'starting' | 'running' | 'stopped' | 'taken_over' | 'wrong_settings';

/** How an account stands. Instants are epoch milliseconds by this machine's clock. */
export type AccountSummary = {
  /** Empty for the main account. */
  readonly name: string;
  readonly state: AccountState;
  /** True where the broker is connected. */
  readonly broker: boolean;
  /** `due`: in the next 30 days; `unknown`: the account does not run. */
  readonly login: 'ok' | 'due' | 'needed' | 'unknown';
  readonly loginDueMs?: number;
  readonly lastReadMs?: number;
  /** What is wrong, as a sentence. */
  readonly problem?: string;
  /** Of the problem, for the page in another language. */
  readonly problemCode?: string;
  readonly problemFacts?: Readonly<Record<string, string>>;
  /** In a fleet: which worker serves it, and since when. */
  readonly worker?: string;
  readonly servedSinceMs?: number;
  /** Another worker than this one serves it: only there it can be looked at, and logged in. */
  readonly isElsewhere?: boolean;
};

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
  /** Stops the account, withdraws its topics and deletes its file; its folder stays. Rejects with a UsageError where it stands in the settings file. */
  remove(name: string): Promise<void>;
};
