import type { AccountDevice, CheckLine, LoginAttempt, Outcome } from '../../api/answers.ts';
import type { Sources } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';
import type { CHECKS_DE } from '../../language/setup/serverDe.ts';
import type { Entry } from '../security/listeners.ts';
import type { OneTimeCode } from './oneTimeCode.ts';

/** The messages of `heating2mqtt check`; failures may have an error's code. German texts are type-checked. */
export type CheckCode = keyof typeof CHECKS_DE;

/** What the set-up needs from other parts. Each rejects with an Error whose message says what to do. */
export type SetupServices = {
  /** Connects to the broker and disconnects. */
  readonly testBroker: (settings: Settings) => Promise<Outcome>;
  readonly login: {
    readonly begin: (platform: Settings['platform']) => Promise<{ readonly address: string; readonly seconds: number }>;
    readonly finish: (address: string) => Promise<LoginAttempt>;
    readonly secondsLeft: number | undefined;
    readonly last: LoginAttempt | undefined;
  };
  /** The logged-in user; undefined if there is none. */
  readonly loggedIn: (dataDir: string) => { readonly as?: string } | undefined;
  /** Whether the folder of an account has a login of any user. */
  readonly hasTokens: (dataDir: string) => boolean;
  readonly findDevices: (settings: Settings) => Promise<readonly AccountDevice[]>;
  readonly check: (settings: Settings) => Promise<readonly CheckLine[]>;
  readonly backup: {
    /** The page's settings, the login and the database as one file. */
    readonly make: () => Promise<Uint8Array>;
    /** Reads such a file. `prepare` checks the rest and returns the function that fills `data_dir`. */
    readonly read: (bytes: Uint8Array) => Promise<{
      /** The text of the page's settings file. */
      readonly settings: string;
      /** It contains a login or a database of the main account. */
      readonly hasMain: boolean;
      /** It contains files of `accounts.d`. */
      readonly hasOthers: boolean;
      /** The further accounts with a file, a login or a database in it. */
      readonly accounts: readonly string[];
      /** The text of each account's file in `accounts.d`. */
      readonly files: Readonly<Record<string, string>>;
      readonly prepare: () => () => () => void;
    }>;
  };
};

/**
 * `swap` changes files in `data_dir` while no bridge runs, and returns its undo. `hasMain` false: there are
 * only further accounts, so no bridge starts. `takeBack` restores the former settings if the start fails.
 */
export type Restart = {
  readonly swap?: () => () => void;
  readonly hasMain?: boolean;
  readonly takeBack?: () => void;
};

/** The process that hosts the set-up. */
export type SetupHost = {
  /** For a set-up from another machine. */
  readonly code?: OneTimeCode;
  readonly sources: Sources;
  /** How users log in now. */
  readonly entry: () => Entry;
  /**
   * Starts or restarts the bridge with these settings; without a main account, only the further ones. Rejects
   * with a message if it cannot start; then `takeBack` is called, and the previous one runs again.
   */
  readonly restart: (settings: Settings, how?: Restart) => Promise<void>;
  /** Writes data that the running bridge only has in memory to the database. */
  readonly flush: () => void;
  /** A login on the page has worked: the running bridge uses it. */
  readonly loggedIn: () => void;
  /** True if the bridge is running and its login has ended. */
  readonly needsLogin: () => boolean;
};
