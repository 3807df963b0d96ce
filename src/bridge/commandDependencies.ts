import type { Clock } from '../shared/clock.ts';
import type { Log } from '../shared/log.ts';
import type { DeviceState } from './devices/deviceState.ts';
import type { Confirmations } from './execution/confirmation.ts';
import type { LeftWrite } from './execution/journalRecovery.ts';
import type { Answers } from './execution/resultPublisher.ts';
import type { SendWatcher } from './execution/sentCommand.ts';
import type { Undo } from './execution/undoHistory.ts';
import type { Ends } from './overrides/overrides.ts';
import type { DeviceDiscovery } from './polling/deviceDiscovery.ts';
import type { FeatureReader } from './polling/featureReader.ts';
import type { ReadTarget } from './polling/readTarget.ts';
import type { CallFailure, Journal, Platform } from './ports.ts';
import type { Composites } from './publishing/composites.ts';
import type { RetainedPublisher } from './publishing/retainedPublisher.ts';
import type { RateLimiter } from './quota/rateLimiter.ts';

/** What the way of a command needs of the bridge. */
export type CommandParts = {
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly platform: Platform;
  readonly reader: FeatureReader;
  readonly readFor: (state: DeviceState, feature: string) => ReadTarget;
  readonly confirmations: Confirmations;
  readonly answers: Answers;
  readonly composites: Composites;
  readonly publisher: RetainedPublisher;
  readonly quota: RateLimiter;
  readonly journal: Journal;
  /** What an earlier run has left in the journal. */
  readonly left: readonly LeftWrite[];
  /** Present where devices are found by asking. */
  readonly finder?: Pick<DeviceDiscovery, 'devices'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Shows a feature of a device anew: its wishes changed. */
  readonly showFeature: (state: DeviceState, feature: string) => void;
  readonly onFailure: (failure: CallFailure) => void;
  /** Told of each read, since it stands for a poll. */
  readonly counted: (read: ReadTarget) => void;
  /** With MQTT 5 the retain flag of live messages is seen, and our own messages do not come back. */
  readonly knowsRetainFlag: () => boolean;
  readonly ends: Ends;
  readonly signal: AbortSignal;
  readonly undo: Undo;
  /** Told of each command that is sent. */
  readonly watchers: readonly SendWatcher[];
};
