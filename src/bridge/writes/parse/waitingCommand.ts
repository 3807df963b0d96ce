import type { Json } from '../../../features/feature.ts';
import { printInstant } from '../../../schedule/zone.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import type { DeviceRequest } from '../request/commandRequest.ts';
import type { WaitingWrite } from '../write/write.ts';
import type { PlannedWrite } from './evaluate.ts';

/** A write that waits for the other values of its command, as it goes with the last of them. */
export type WaitingShare = {
  /** Its key among those that wait. */
  readonly waited: number;
  readonly request: DeviceRequest;
  readonly write: PlannedWrite;
  /** What it wrote. */
  readonly properties: readonly string[];
};

/** What waits on a feature. */
export type WaitingCommand = {
  readonly command: string;
  readonly values: ReadonlyMap<string, Json>;
  readonly writes: readonly WaitingShare[];
};

export type WaitingOf = (state: DeviceState, feature: string) => WaitingCommand | undefined;

/** What the topic `waiting` of a feature shows. */
export type WaitingPayload = {
  readonly command: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly missing: readonly string[];
  /** RFC 3339, in the zone of the device. */
  readonly since: string;
  readonly until: string;
};

/** What is shown of these writes, which wait on one feature. */
export const waitingPayload = (all: readonly WaitingWrite[], zone: string): WaitingPayload => {
  const values: Readonly<Record<string, Json>> = Object.assign({}, ...all.map((write) => write.values));
  const missing = new Set(all.flatMap((write) => write.missing));
  return {
    command: all.at(-1)?.command ?? '',
    values,
    missing: [...missing].filter((name) => !Object.hasOwn(values, name)),
    since: printInstant(Math.min(...all.map(({ at }) => at)), zone),
    until: printInstant(Math.min(...all.map(({ untilMs }) => untilMs)), zone),
  };
};
