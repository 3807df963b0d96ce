import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';
import type { CallFailure, Target } from '../ports.ts';
import { type Device, type DeviceState, deviceKey } from '../state/deviceState.ts';
import type { FeatureStore } from '../state/featureStore.ts';
import { devicesOf, type ReadResult, type ReadTarget, readKey } from '../state/readTarget.ts';
import { ClosedReads, planReads, type ReadMode } from './readPlanner.ts';

export type ReadSettings = {
  readonly read: ReadMode;
  /** True where one call reads a gateway with all its devices. */
  readonly gateways: boolean;
};

/** The reads in force, as the settings, the devices and what was refused make them. `changed` says that they are others than before. */
export class PlannedReads extends EventEmitter<{ changed: [] }> {
  readonly #settings: ReadSettings;
  readonly #store: FeatureStore;
  readonly #published: (device: Device) => readonly string[];
  readonly #clock: Clock;
  readonly #closed = new ClosedReads();
  /** Reads that the platform refuses for good: a document does not wait for them. */
  readonly #unreadable = new Set<string>();
  #all: readonly ReadTarget[];
  #byDevice: ReadonlyMap<string, readonly ReadTarget[]>;

  /** `published` gives the features of a device of which earlier runs have published something. */
  constructor(settings: ReadSettings, store: FeatureStore, published: (device: Device) => readonly string[], clock: Clock) {
    super();
    this.#settings = settings;
    this.#store = store;
    this.#published = published;
    this.#clock = clock;
    this.#all = this.#plan();
    this.#byDevice = readsByDevice(this.#all);
  }

  get all(): readonly ReadTarget[] {
    return this.#all;
  }

  /** The devices, or what may be read of them, are others than before. */
  replan(): void {
    const before = this.#all;
    this.#all = this.#plan();
    this.#byDevice = readsByDevice(this.#all);
    if (!isDeepStrictEqual(signs(this.#all), signs(before))) this.emit('changed');
  }

  /** The read that shows a feature of the device. */
  showing(state: DeviceState, feature: string): ReadTarget {
    const whole = this.#of(state).find(({ target }) => target.feature === undefined);
    const { installation, gateway, device } = state.device;
    return whole ?? { device: state.device, target: { installation, gateway, device, feature } };
  }

  /** True where one read shows all features of the device. */
  areWhole(state: DeviceState): boolean {
    return this.#of(state).some(({ target }) => target.feature === undefined);
  }

  /** True where every read of the device that is needed has shown something, in this run or an earlier one, or is refused for good. */
  areComplete(state: DeviceState, isNeeded: (feature: string) => boolean = () => true): boolean {
    const { features } = state;
    return this.#of(state).every(({ target }) => {
      if (target.feature === undefined) return features.size > 0;
      return !isNeeded(target.feature) || features.has(target.feature) || this.#unreadable.has(readKey(target));
    });
  }

  /** A read has ended; true where it turned out to be refused for good. */
  ended(read: ReadTarget, result: ReadResult): boolean {
    const key = readKey(read.target);
    if (result.ok) {
      this.#unreadable.delete(key);
      this.#closed.worked(read);
    }
    if (result.ok || failureOf(result.failure.code).closesRead === 'no' || this.#unreadable.has(key)) return false;
    this.#unreadable.add(key);
    return true;
  }

  failed(read: ReadTarget, failure: CallFailure): void {
    if (this.#closed.note(read, failure, this.#clock.elapsedMs())) this.replan();
  }

  #of({ device }: DeviceState): readonly ReadTarget[] {
    return this.#byDevice.get(deviceKey(device)) ?? [];
  }

  #plan(): readonly ReadTarget[] {
    const now = this.#clock.elapsedMs();
    const barred = (target: Target): boolean => this.#closed.isClosed(target, now);
    const { read: mode, gateways } = this.#settings;
    return planReads(this.#store.devices, { mode, gateways, barred, known: (device) => this.#known(device) });
  }

  /** Names of features that were read in this run or published in an earlier one. */
  #known(device: Device): readonly string[] {
    const read = this.#store.states.get(deviceKey(device))?.features.keys() ?? [];
    return [...new Set([...read, ...this.#published(device)])];
  }
}

const readsByDevice = (reads: readonly ReadTarget[]): ReadonlyMap<string, readonly ReadTarget[]> => {
  const shown = reads.flatMap((read) => devicesOf(read).map((device) => ({ read, key: deviceKey(device) })));
  return new Map([...Map.groupBy(shown, ({ key }) => key)].map(([key, all]) => [key, all.map(({ read }) => read)]));
};

const signs = (reads: readonly ReadTarget[]): readonly string[] =>
  reads.map((read) => [readKey(read.target), ...devicesOf(read).map((device) => `${deviceKey(device)} ${device.name}`)].join(' '));
