/** `taken_over`: another process has its client id at the broker; `wrong_settings`: its entry has a mistake. */
export type AccountState = 'starting' | 'running' | 'stopped' | 'taken_over' | 'wrong_settings';

/** How an account stands. Instants are epoch milliseconds by the clock of the bridge's machine. */
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
  readonly problem?: string | undefined;
  /** Of the problem, for the page in another language. */
  readonly problemCode?: string | undefined;
  readonly problemFacts?: Readonly<Record<string, string>>;
  /** In a fleet: which worker serves it, and since when. */
  readonly worker?: string;
  readonly servedSinceMs?: number;
  /** Another worker than this one serves it: only there it can be looked at, and logged in. */
  readonly isElsewhere?: boolean;
};

export type AccountsAnswer = { readonly accounts: readonly AccountSummary[] };

/** `path` is below the place of the page: `l/…`. */
export type LoginLink = { readonly path: string; readonly endsMs: number };
