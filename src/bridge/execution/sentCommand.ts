import type { Feature } from '../../features/feature.ts';
import type { Day } from '../../schedule/week.ts';
import type { CommandResult, DeviceRequest } from '../commands/commandRequest.ts';
import type { Sending, Write } from '../commands/evaluate.ts';
import type { Refusal } from '../commands/rejection.ts';
import type { DeviceState } from '../devices/deviceState.ts';
import type { FeatureStore } from '../devices/featureStore.ts';
import type { CallFailure } from '../ports.ts';

/** The part of one write in a command; `write.command` is the one that is sent. */
export type Share = {
  readonly request: DeviceRequest;
  readonly write: Write;
  /** Of a week: the days that are sent as this write names them, changed or not. */
  readonly named?: readonly Day[];
  /** Of a week: the days that this write changes. */
  readonly changed?: readonly Day[];
  /** Present where several writes of values became this command: the properties that this one wrote. */
  readonly properties?: readonly string[];
  /** Present where this write had waited for the others: its key among those that wait. */
  readonly waited?: number;
  /** Present where another write of the same command has overwritten the rest of this one: the days that are sent of it. */
  readonly kept?: readonly Day[];
};

/** One command on its way to the platform; `effect` is undefined where it cannot be predicted. */
export type Sent = Pick<Sending, 'command' | 'args' | 'effect'> & {
  readonly state: DeviceState;
  readonly feature: string;
  /** The writes that it carries out: several where parts of a week were merged. */
  readonly shares: readonly Share[];
  /** The feature as it was shown before, with the pending values. */
  readonly before: Feature;
};

/** How a command ended: `adapted` is an `applied` of which the platform shows something else; of an `unknown` one the answer was lost. */
export type SentEnd = 'applied' | 'adapted' | 'unconfirmed' | 'failed' | 'unknown';

/** Follows each command that is sent. None of these may throw. */
export interface SendObserver {
  /** Before the call: writes what has to be kept, in one transaction with the journal. `keys` are those of the shares in the journal. */
  beforeSend?(sent: Sent, keys: readonly number[]): void;
  /** What was written before the call is not on disk: a refusal where it has to be. */
  notKept?(sent: Sent): Refusal | undefined;
  /** The call failed. */
  failed?(failure: CallFailure): void;
  /** The platform has accepted the command, or showed its effect after the answer got lost. */
  accepted?(sent: Sent): void;
  /**
   * Once for each `beforeSend`; what the platform shows by then is in the state. Without an effect, after the one read that follows.
   * `result` is the terminal one, as far as it is known.
   */
  ended?(sent: Sent, how: SentEnd, result?: CommandResult): void;
}

/** Has the effect of each command shown when it is pending, and when it is no longer; failed calls are told to `access`. */
export const effectShown = (store: Pick<FeatureStore, 'emit'>, access: { callFailed(failure: CallFailure): void }): SendObserver => {
  const show = ({ state, feature, effect }: Sent): void => {
    if (effect) store.emit('pendingChanged', state, feature);
  };
  return { failed: (failure) => access.callFailed(failure), accepted: show, ended: show };
};
