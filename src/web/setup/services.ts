import type { Sources } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';
import type { WebMode } from '../security/listeners.ts';

/** How a test or a login ended: a sentence for people. */
export type Outcome = { readonly ok: boolean; readonly message: string };

/** One test of `heating2mqtt check`. */
export type CheckLine = Outcome & { readonly name: string };

/** A device of the account. */
export type AccountDevice = {
  readonly installation: string;
  readonly gateway: string;
  readonly device: string;
  readonly model?: string | undefined;
  readonly type?: string | undefined;
  readonly roles: readonly string[];
};

export type LoginAttempt = { readonly status: 'applied' | 'rejected' | 'failed'; readonly code?: string; readonly message: string };

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
  readonly findDevices: (settings: Settings) => Promise<readonly AccountDevice[]>;
  readonly check: (settings: Settings) => Promise<readonly CheckLine[]>;
};

/** The process around the set-up. */
export type SetupHost = {
  readonly sources: Sources;
  readonly mode: () => WebMode;
  /** The page asks for a password, or is behind ingress or on this machine alone: else a password must be set before it is left. */
  readonly needsPassword: () => boolean;
  /** Starts the bridge (again) with these settings. Rejects with a sentence where it cannot start; then none runs. */
  readonly restart: (settings: Settings) => Promise<void>;
};
