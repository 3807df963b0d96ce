/** `taken_over`: another process uses its client id at the broker; `wrong_settings`: its entry is invalid. */
export type AccountState = 'starting' | 'running' | 'stopped' | 'taken_over' | 'wrong_settings';

/** The status of an account. Instants are in epoch ms, by the clock of the bridge's machine. */
export type AccountSummary = {
  /** Empty for the main account. */
  readonly name: string;
  readonly state: AccountState;
  /** True if the broker is connected. */
  readonly broker: boolean;
  /** `due`: within the next 30 days; `unknown`: the account is not running. */
  readonly login: 'ok' | 'due' | 'needed' | 'unknown';
  readonly loginDueMs?: number;
  readonly lastReadMs?: number;
  /** The problem, as a sentence. */
  readonly problem?: string | undefined;
  /** The code of the problem, for the page in another language. */
  readonly problemCode?: string | undefined;
  readonly problemFacts?: Readonly<Record<string, string>>;
  /** In a fleet: the worker that serves the account, and since when. */
  readonly worker?: string;
  readonly servedSinceMs?: number;
  /** True if another worker serves the account. View and login work only there. */
  readonly isElsewhere?: boolean;
};

export type AccountsAnswer = { readonly accounts: readonly AccountSummary[] };

/** `path` is relative to the page: `l/…`. */
export type LoginLink = { readonly path: string; readonly endsMs: number };
