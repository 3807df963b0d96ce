import type { Feature, Json } from '../../../features/feature.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import type { About, DeviceRequest } from '../request/commandRequest.ts';
import type { Refusal } from '../request/rejection.ts';
import type { PlannedWrite } from './evaluate.ts';

/** A waiting write that is sent with the last value of its command. */
export type WaitingShare = {
  /** Its key as a waiting write. */
  readonly waited: number;
  readonly request: DeviceRequest;
  readonly write: PlannedWrite;
  /** The properties that it wrote. */
  readonly properties: readonly string[];
};

/** The waiting values of a feature, with their command. */
export type WaitingCommand = {
  readonly command: string;
  readonly values: ReadonlyMap<string, Json>;
  readonly writes: readonly WaitingShare[];
};

export type WaitingOf = (state: DeviceState, feature: string) => WaitingCommand | undefined;

/** A write as resolved by the shown values. `from`: the features that decided it. */
export type ResolvedWrite = { readonly from: readonly string[] } /** `joined`: writes that waited for this one and go with it. */ & (
  | { readonly kind: 'write'; readonly write: PlannedWrite; readonly joined?: readonly WaitingShare[] }
  /** The value is already shown, by `feature` where it belongs to one. */
  | { readonly kind: 'unchanged'; readonly feature: Feature | undefined; readonly about: About }
  /** `mayAge`: newer records could decide otherwise. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly mayAge: boolean; readonly about: About }
);

/** A write whose turn chooses its command; undefined while the feature is unknown. */
export type DeferredWrite = { readonly feature: string; readonly choose: (state: DeviceState) => ResolvedWrite | undefined };

/** A parsed write, or one that its turn resolves. */
export type ParsedWrite = PlannedWrite | DeferredWrite;

/** What an answer can say of a write before it is decided. */
export const aboutOf = (parsed: ParsedWrite, state: DeviceState): About | undefined => {
  if (!('choose' in parsed)) return parsed;
  const chosen = parsed.choose(state);
  return chosen?.kind === 'write' ? chosen.write : chosen?.about;
};

/** The result of parsing a command: a write, or a refusal. */
export type Parsed =
  | { readonly ok: true; readonly write: ParsedWrite }
  | { readonly ok: false; readonly refusal: Refusal; readonly about?: About };
