import type { CommandAddress } from '../../topics/topicNames.ts';
import type { DeviceState } from '../devices/deviceState.ts';
import type { Said } from '../execution/resultPublisher.ts';
import type { Incoming } from '../ports.ts';

export type FeatureAddress = Exclude<CommandAddress, { readonly to: 'bridge' }>;

/** Whom a message is for. `shows` is the state topic of what it writes. */
export type Whom = {
  readonly state?: DeviceState;
  readonly device?: string;
  readonly feature?: string;
  readonly shows?: string;
  /** Told of each answer before it goes out; false keeps it back. */
  readonly heed?: (said: Said) => boolean;
};

/** One message on its way to an answer. */
export type Request = {
  readonly message: Incoming;
  readonly whom: Whom;
  readonly address: FeatureAddress;
  readonly state: DeviceState;
  readonly text: string;
  /** When the message came (`Clock.elapsedMs`). */
  readonly atMs: number;
};
