import type { Feature } from '../../../features/feature.ts';
import type { Day } from '../../../schedule/week.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import type { PlannedWrite, Sending } from '../parse/evaluate.ts';
import type { DeviceRequest } from '../request/commandRequest.ts';

/** The part of one write in a command; `write.command` is the one that is sent. */
export type Share = {
  readonly request: DeviceRequest;
  readonly write: PlannedWrite;
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
export type SentCommand = Pick<Sending, 'command' | 'args' | 'effect' | 'undoes'> & {
  readonly state: DeviceState;
  readonly feature: string;
  /** The writes that it carries out: several where parts of a week were merged. */
  readonly shares: readonly Share[];
  /** The feature as it was shown before, with the pending values. */
  readonly before: Feature;
};
