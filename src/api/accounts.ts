/** An account in the table of the page; the name of the main one is empty. Instants are epoch milliseconds. */
export type ShownAccount = {
  readonly name: string;
  readonly state: 'starting' | 'running' | 'stopped' | 'taken_over' | 'wrong_settings';
  readonly broker: boolean;
  readonly login: 'ok' | 'due' | 'needed' | 'unknown';
  readonly loginDueMs?: number;
  readonly lastReadMs?: number;
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

export type AccountsAnswer = { readonly accounts: readonly ShownAccount[] };

/** `path` is below the place of the page: `l/…`. */
export type LoginLink = { readonly path: string; readonly endsMs: number };
