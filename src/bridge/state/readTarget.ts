import { matchesAny } from '../../shared/pattern.ts';
import type { CallFailure, Target } from '../ports.ts';
import type { Device, DeviceState } from './deviceState.ts';

/** One read that belongs to the polling: a single feature, all of a device, or of a gateway that `device` and `others` hang on. */
export type ReadTarget = { readonly device: Device; readonly others?: readonly Device[]; readonly target: Target };

/** How a read ended. */
export type ReadResult = { readonly ok: true } | { readonly ok: false; readonly failure: CallFailure };

/** What became of a poll that was asked for: `lately` where every read of it was asked for a moment ago, `nothing` where there is none. */
export type AskResult = { readonly kind: 'due' | 'nothing' } | { readonly kind: 'lately'; readonly againMs: number };

/** Which devices are read completely: every read of theirs has shown something, in this run or an earlier one, or is refused for good. With `isNeeded` only reads of such features count. */
export type Completeness = { areComplete(state: DeviceState, isNeeded?: (feature: string) => boolean): boolean };

/** The calls that the platform allows, as far as others than the limiter itself ask for them. */
export type Quota = {
  /** True where a read leaves the reserve for commands untouched. */
  mayRead(): boolean;
  /** True where a command, or a read that one needs, may go out. */
  mayCommand(): boolean;
  /** How long the platform still refuses every call (milliseconds); 0 where it does not. */
  pausedForMs(): number;
  /** How long until so many calls may go out for a command; 0 where they may now. */
  commandWaitMs(calls?: number): number;
  /** Holds one call until what this gives is called. */
  hold(): () => void;
  /** The time as the platform has it, by its answers in this run; undefined before the first one. */
  knownMs(): number | undefined;
};

/** The devices that a read shows. */
export const devicesOf = ({ device, others = [] }: ReadTarget): readonly Device[] => [device, ...others];

/** True where the settings choose this feature of the device. */
export const isChosen = (device: Device, feature: string): boolean =>
  matchesAny(feature, device.features) && !matchesAny(feature, device.exclude);

/** The same read has the same key. */
export const readKey = ({
  gateway,
  device,
  feature,
}: { readonly [K in 'gateway' | 'device' | 'feature']?: Target[K] | undefined }): string => `${gateway}/${device ?? ''}/${feature ?? ''}`;
