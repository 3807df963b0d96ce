import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';
import type { CallFailure } from '../ports.ts';
import { type Device, type DeviceState, deviceKey } from '../state/deviceState.ts';
import type { FeatureStore } from '../state/featureStore.ts';
import { devicesOf, type ReadResult, type ReadTarget, readKey } from '../state/readTarget.ts';
import { ClosedReads, planReads, type ReadMode } from './readPlanner.ts';

export type ReadSettings = {
  readonly read: ReadMode;
  /** True if one call reads a gateway with all its devices. */
  readonly gateways: boolean;
};

/**
 * The planned reads, from the settings, the devices and the refusals. `changed` reports a new plan.
 * `published`: the features of a device that earlier runs published.
 */
export const plannedReads = (
  { read: mode, gateways }: ReadSettings,
  store: FeatureStore,
  published: (device: Device) => readonly string[],
  clock: Clock,
) => {
  const events = new EventEmitter<{ changed: [] }>();
  const closed = new ClosedReads();
  /** Reads that the platform refuses permanently: a document does not wait for them. */
  const unreadable = new Set<string>();

  const plan = (): readonly ReadTarget[] => {
    const now = clock.elapsedMs();
    return planReads(store.devices, { mode, gateways, barred: (target) => closed.isClosed(target, now), known });
  };

  /** Names of features read in this run or published in an earlier one. */
  const known = (device: Device): readonly string[] => {
    const read = store.states.get(deviceKey(device))?.features.keys() ?? [];
    return [...new Set([...read, ...published(device)])];
  };

  let all = plan();
  let byDevice = readsByDevice(all);
  const of = ({ device }: DeviceState): readonly ReadTarget[] => byDevice.get(deviceKey(device)) ?? [];

  /** The devices, or their permitted reads, have changed. */
  const replan = (): void => {
    const before = all;
    all = plan();
    byDevice = readsByDevice(all);
    if (!isDeepStrictEqual(signs(all), signs(before))) events.emit('changed');
  };

  /** The read that shows a feature of the device. */
  const showing = (state: DeviceState, feature: string): ReadTarget => {
    const whole = of(state).find(({ target }) => target.feature === undefined);
    const { installation, gateway, device } = state.device;
    return whole ?? { device: state.device, target: { installation, gateway, device, feature } };
  };

  /** True if every needed read has a result, from any run, or is refused permanently. */
  const areComplete = (state: DeviceState, isNeeded: (feature: string) => boolean = () => true): boolean =>
    of(state).every(({ target }) => {
      if (target.feature === undefined) return state.features.size > 0;
      return !isNeeded(target.feature) || state.features.has(target.feature) || unreadable.has(readKey(target));
    });

  /** A read has ended; true if it is now known to be refused permanently. */
  const ended = (read: ReadTarget, result: ReadResult): boolean => {
    const key = readKey(read.target);
    if (result.ok) {
      unreadable.delete(key);
      closed.worked(read);
    }
    if (result.ok || failureOf(result.failure.code).closesRead === 'no' || unreadable.has(key)) return false;
    unreadable.add(key);
    return true;
  };

  const failed = (read: ReadTarget, failure: CallFailure): void => {
    if (closed.note(read, failure, clock.elapsedMs())) replan();
  };

  return Object.assign(events, { all: (): readonly ReadTarget[] => all, replan, showing, areComplete, ended, failed });
};

const readsByDevice = (reads: readonly ReadTarget[]): ReadonlyMap<string, readonly ReadTarget[]> => {
  const shown = reads.flatMap((read) => devicesOf(read).map((device) => ({ read, key: deviceKey(device) })));
  return new Map([...Map.groupBy(shown, ({ key }) => key)].map(([key, all]) => [key, all.map(({ read }) => read)]));
};

const signs = (reads: readonly ReadTarget[]): readonly string[] =>
  reads.map((read) => [readKey(read.target), ...devicesOf(read).map((device) => `${deviceKey(device)} ${device.name}`)].join(' '));
