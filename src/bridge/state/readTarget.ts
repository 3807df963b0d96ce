import { matchesAny } from '../../shared/pattern.ts';
import type { CallFailure, Target } from '../ports.ts';
import type { Device, DeviceState } from './deviceState.ts';

/** A polling read: of one feature, of a device, or of a gateway with `device` and `others`. */
export type ReadTarget = { readonly device: Device; readonly others?: readonly Device[]; readonly target: Target };

/** How a read ended. */
export type ReadResult = { readonly ok: true } | { readonly ok: false; readonly failure: CallFailure };

/** The result of asking for a poll. `lately`: all its reads were just asked for; `nothing`: it has none. */
export type AskResult = { readonly kind: 'due' | 'nothing' } | { readonly kind: 'lately'; readonly againMs: number };

/** Complete: each read (of `isNeeded` features) has shown something in any run, or is refused for good. */
export type Completeness = { areComplete(state: DeviceState, isNeeded?: (feature: string) => boolean): boolean };

/** The calls that the platform allows, for callers other than the limiter. */
export type Quota = {
  /** True where a read leaves the reserve for commands untouched. */
  mayRead(): boolean;
  /** True where a command, or a read that one needs, may go out. */
  mayCommand(): boolean;
  /** How long the platform still refuses every call (milliseconds); 0 where it does not. */
  pausedForMs(): number;
  /** Milliseconds until this many calls may go out for a command; 0 where they may now. */
  commandWaitMs(calls?: number): number;
  /** Holds one call until the returned function is called. */
  hold(): () => void;
  /** The platform's time, by its answers in this run; undefined before the first answer. */
  knownMs(): number | undefined;
};

/** The devices that a read shows. */
export const devicesOf = ({ device, others = [] }: ReadTarget): readonly Device[] => [device, ...others];

/** True where the settings choose this feature of the device. */
export const isChosen = (device: Device, feature: string): boolean =>
  matchesAny(feature, device.features) && !matchesAny(feature, device.exclude);

/** The key of a read; equal reads have equal keys. */
export const readKey = ({
  gateway,
  device,
  feature,
}: { readonly [K in 'gateway' | 'device' | 'feature']?: Target[K] | undefined }): string => `${gateway}/${device ?? ''}/${feature ?? ''}`;
