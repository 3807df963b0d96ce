import type { Feature } from '../../features/feature.ts';
import type { DeviceState } from '../devices/deviceState.ts';
import type { About, Write } from './evaluate.ts';
import type { Refusal } from './rejection.ts';

/** What a wanted write became: one write of one command, nothing to do, or why it cannot be. `from` are the features by which that was decided. */
export type ResolvedWrite = { readonly from: readonly string[] } & (
  | { readonly kind: 'write'; readonly write: Write }
  /** What was sent is shown already, by `feature` where it can be told. */
  | { readonly kind: 'unchanged'; readonly feature: Feature | undefined; readonly about: About }
  /** `mayAge`: newer records could decide otherwise. */
  | { readonly kind: 'refused'; readonly refusal: Refusal; readonly mayAge: boolean; readonly about: About }
);

/** A message that was understood, but of which the command is chosen when its turn comes; nothing is chosen while the feature is not known. */
export type DeferredWrite = { readonly feature: string; readonly choose: (state: DeviceState) => ResolvedWrite | undefined };

/** What a message wants: one write, or one that is chosen when its turn comes. */
export type ParsedWrite = Write | DeferredWrite;

/** What is to be done about a message that was understood, by what is shown of the device now. */
export const resolveWrite = (understood: ParsedWrite, state: DeviceState): ResolvedWrite | undefined =>
  'choose' in understood ? understood.choose(state) : { kind: 'write', write: understood, from: [understood.feature] };

/** What an answer can say of a message before anything is decided. */
export const aboutOf = (understood: ParsedWrite, state: DeviceState): About | undefined => {
  const chosen = resolveWrite(understood, state);
  return chosen?.kind === 'write' ? chosen.write : chosen?.about;
};

/** What was read from a command: a write, or why it is refused. */
export type Parsed =
  | { readonly ok: true; readonly write: ParsedWrite }
  | { readonly ok: false; readonly refusal: Refusal; readonly about?: About };
