import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Form } from '../discovery/single.ts';
import type { Profile } from '../schedule/profile.ts';
import type { Rules } from './evaluate.ts';
import type { Finder } from './finder.ts';
import type { Device } from './home.ts';
import type { PollSettings } from './poller.ts';
import type {
  CompositeStore,
  Connection,
  DocumentStore,
  FinishLogin,
  Journal,
  Ledger,
  Memory,
  Platform,
  ReadRetained,
  TemporaryStore,
  UndoStore,
} from './ports.ts';
import type { Quota } from './quota.ts';
import type { ReadSettings } from './reads.ts';
import type { AuthReport } from './reports.ts';

/** What the bridge takes of the settings. */
export type BridgeSettings = ReadSettings & {
  readonly base: string;
  readonly version: string;
  readonly maxPayload: number;
  /** Those named in the settings; empty where they are found (`Doors.finder`). */
  readonly devices: readonly Device[];
  readonly poll: PollSettings & { readonly gone_after_h: number };
  readonly commands: Rules & { readonly settle_ms: number; readonly fresh_s: number; readonly confirm_s: readonly number[] };
  readonly discovery: { readonly mode: Form | 'off'; readonly prefix: string; readonly statusTopic: string };
  /** The setting (`auto`, or a zone), and the zone of the machine. */
  readonly timeZone: { readonly setting: string; readonly machine: string };
  /** Stored weeks in their order. */
  readonly profiles: readonly Profile[];
  /** Shown in `bridge/info`; holds no secret. */
  readonly shown: object;
};

/** What the bridge is given to work with; app.ts makes it. */
export type Doors = {
  readonly platform: Platform;
  readonly connection: Connection;
  /** Absent where nobody else can have published on the broker. */
  readonly readRetained?: ReadRetained;
  readonly ledger: Ledger;
  readonly memory: Memory;
  readonly journal: Journal;
  readonly undo: UndoStore;
  readonly temporaries: TemporaryStore;
  readonly compositeStore: CompositeStore;
  readonly documentStore: DocumentStore;
  readonly quota: Quota;
  readonly auth: () => AuthReport;
  /** Absent where the settings allow no login over MQTT. */
  readonly finishLogin?: FinishLogin;
  readonly clock: Clock;
  readonly log: Log;
  /** Present where devices are found by asking. */
  readonly finder?: Finder;
};
