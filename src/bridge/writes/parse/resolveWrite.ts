import type { Feature, Json } from '../../../features/feature.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import type { About, DeviceRequest } from '../request/commandRequest.ts';
import type { Refusal } from '../request/rejection.ts';
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

/** A write as it is resolved by what is shown now. `from` names the features that decided it. */
export type ResolvedWrite = { readonly from: readonly string[] } /** `joined`: writes that waited for this one and go with it. */ & (
  | { readonly kind: 'write'; readonly write: PlannedWrite; readonly joined?: readonly WaitingShare[] }
  /** The value is shown already, by `feature` where that is one. */
  | { readonly kind: 'unchanged'; readonly feature: Feature | undefined; readonly about: About }
  /** `mayAge`: newer records could decide otherwise. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly mayAge: boolean; readonly about: About }
);

/** A write whose command is chosen at the time of the turn; undefined while the feature is not known. */
export type DeferredWrite = { readonly feature: string; readonly choose: (state: DeviceState) => ResolvedWrite | undefined };

/** A parsed write, or one that is chosen at the time of the turn. */
export type ParsedWrite = PlannedWrite | DeferredWrite;

/** What an answer can say of a message before anything is decided. */
export const aboutOf = (parsed: ParsedWrite, state: DeviceState): About | undefined => {
  if (!('choose' in parsed)) return parsed;
  const chosen = parsed.choose(state);
  return chosen?.kind === 'write' ? chosen.write : chosen?.about;
};

/** The result of parsing a command: a write, or why it is refused. */
export type Parsed =
  | { readonly ok: true; readonly write: ParsedWrite }
  | { readonly ok: false; readonly refusal: Refusal; readonly about?: About };
