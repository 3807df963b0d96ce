import type { AccountDevice, CheckLine, LoginAttempt, Outcome } from '../../api/answers.ts';
import type { Sources } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';
import type { CHECKS_DE } from '../../language/setup/serverDe.ts';
import type { Entry } from '../security/listeners.ts';
import type { OneTimeCode } from './oneTimeCode.ts';

/** The sentences of `heating2mqtt check`; a failure can also have the code of what was thrown. One without a German text does not compile. */
export type CheckCode = keyof typeof CHECKS_DE;

/** What the set-up asks of other parts of the program. Each rejects with an Error whose sentence says what to do. */
export type SetupServices = {
  /** Connects to the broker and leaves it again. */
  readonly testBroker: (settings: Settings) => Promise<Outcome>;
  readonly login: {
    readonly begin: (platform: Settings['platform']) => Promise<{ readonly address: string; readonly seconds: number }>;
    readonly finish: (address: string) => Promise<LoginAttempt>;
    readonly secondsLeft: number | undefined;
    readonly last: LoginAttempt | undefined;
  };
  /** Who is logged in; undefined where nobody is. */
  readonly loggedIn: (dataDir: string) => { readonly as?: string } | undefined;
  /** Whether the folder of an account has a login, of whomever. */
  readonly hasTokens: (dataDir: string) => boolean;
  readonly findDevices: (settings: Settings) => Promise<readonly AccountDevice[]>;
  readonly check: (settings: Settings) => Promise<readonly CheckLine[]>;
  readonly backup: {
    /** Settings of the page, login and database as one file. */
    readonly make: () => Promise<Uint8Array>;
    /** Reads such a file. `prepare` checks the rest, and gives what puts all of it into `data_dir`. */
    readonly read: (bytes: Uint8Array) => Promise<{
      /** The text of the page's file. */
      readonly settings: string;
      /** It has a login or a database of the main account. */
      readonly hasMain: boolean;
      /** It has files of `accounts.d`. */
      readonly hasOthers: boolean;
      /** The further accounts of which it has a file, a login or a database. */
      readonly accounts: readonly string[];
      /** By account the text of its file in `accounts.d`. */
      readonly files: Readonly<Record<string, string>>;
      readonly prepare: () => () => () => void;
    }>;
  };
};

/** The process around the set-up. */
export type SetupHost = {
  /** For a set-up from another machine. */
  readonly code?: OneTimeCode;
  readonly sources: Sources;
  /** How people get in now. */
  readonly entry: () => Entry;
  /**
   * Starts the bridge (again) with these settings; without a main account the further ones alone. Rejects with a sentence where it cannot start;
   * `takeBack` is called then, and the one before runs again.
   */
  readonly restart: (
    settings: Settings,
    how?: { readonly swap?: () => () => void; readonly hasMain?: boolean; readonly takeBack?: () => void },
  ) => Promise<void>;
  /** Writes to the database what a bridge that runs has in memory alone. */
  readonly flush: () => void;
  /** A login on the page has worked: a bridge that runs takes it up. */
  readonly loggedIn: () => void;
  /** True where the bridge runs and its login has ended. */
  readonly needsLogin: () => boolean;
};
