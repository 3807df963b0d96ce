import type { Json } from '../../../features/feature.ts';
import { printInstant } from '../../../schedule/zone.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import type { DeviceRequest } from '../request/commandRequest.ts';
import type { WaitingWrite } from '../write/write.ts';
import type { Write } from './evaluate.ts';

/** A write that waits for the other values of its command, as it goes with the last of them. */
export type Joined = {
  /** Its key among those that wait. */
  readonly waited: number;
  readonly request: DeviceRequest;
  readonly write: Write;
  /** What it wrote. */
  readonly properties: readonly string[];
};

/** What waits on a feature. */
export type Draft = {
  readonly command: string;
  readonly values: ReadonlyMap<string, Json>;
  readonly writes: readonly Joined[];
};

export type DraftOf = (state: DeviceState, feature: string) => Draft | undefined;

/** What is shown of a draft. */
export type ShownDraft = {
  readonly command: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly missing: readonly string[];
  /** RFC 3339, in the zone of the device. */
  readonly since: string;
  readonly until: string;
};

/** What is shown of these writes, which wait on one feature. */
export const shownDraft = (all: readonly WaitingWrite[], zone: string): ShownDraft => {
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
