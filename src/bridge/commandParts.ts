import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Answers } from './answers.ts';
import type { Composites } from './composites.ts';
import type { Confirmations } from './confirm.ts';
import type { Ends } from './ends.ts';
import type { Finder } from './finder.ts';
import type { DeviceState } from './home.ts';
import type { LeftWrite } from './interrupted.ts';
import type { CallFailure, Journal, Platform } from './ports.ts';
import type { Publisher } from './publisher.ts';
import type { Quota } from './quota.ts';
import type { Reader } from './reader.ts';
import type { SendWatcher } from './sent.ts';
import type { Read } from './targets.ts';
import type { Undo } from './undo.ts';

/** What the way of a command needs of the bridge. */
export type CommandParts = {
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly platform: Platform;
  readonly reader: Reader;
  readonly readFor: (state: DeviceState, feature: string) => Read;
  readonly confirmations: Confirmations;
  readonly answers: Answers;
  readonly composites: Composites;
  readonly publisher: Publisher;
  readonly quota: Quota;
  readonly journal: Journal;
  /** What an earlier run has left in the journal. */
  readonly left: readonly LeftWrite[];
  /** Present where devices are found by asking. */
  readonly finder?: Pick<Finder, 'devices'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Shows a feature of a device anew: its wishes changed. */
  readonly showFeature: (state: DeviceState, feature: string) => void;
  readonly onFailure: (failure: CallFailure) => void;
  /** Told of each read, since it stands for a poll. */
  readonly counted: (read: Read) => void;
  /** With MQTT 5 the retain flag of live messages is seen, and our own messages do not come back. */
  readonly knowsRetainFlag: () => boolean;
  readonly ends: Ends;
  readonly signal: AbortSignal;
  readonly undo: Undo;
  /** Told of each command that is sent. */
  readonly watchers: readonly SendWatcher[];
};
