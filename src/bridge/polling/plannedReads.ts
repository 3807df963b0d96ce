import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';
import { type Device, type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { FeatureStore } from '../devices/featureStore.ts';
import type { CallFailure } from '../ports.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';
import { publishedFeatures } from '../publishing/topicOwnership.ts';
import { ClosedReads, planReads, type ReadMode } from './readPlanner.ts';
import { devicesOf, type ReadResult, type ReadTarget, readKey } from './readTarget.ts';

export type ReadSettings = {
  readonly read: ReadMode;
  /** True where one call reads a gateway with all its devices. */
  readonly gateways: boolean;
};

/** The reads in force, as the settings, the devices and what was refused make them. `changed` is emitted with the new ones. */
export class PlannedReads extends EventEmitter<{ changed: [reads: readonly ReadTarget[]] }> {
  readonly #settings: ReadSettings;
  readonly #store: FeatureStore;
  readonly #publisher: RetainedPublisher;
  readonly #clock: Clock;
  readonly #refusals = new ClosedReads();
  /** Reads that the platform refuses for good: a document does not wait for them. */
  readonly #unreadable = new Set<string>();
  #reads: readonly ReadTarget[];

  constructor(settings: ReadSettings, store: FeatureStore, publisher: RetainedPublisher, clock: Clock) {
    super();
    this.#settings = settings;
    this.#store = store;
    this.#publisher = publisher;
    this.#clock = clock;
    this.#reads = this.#plan();
  }

  get all(): readonly ReadTarget[] {
    return this.#reads;
  }

  /** The devices, or what may be read of them, are others than before. */
  replan(): void {
    const reads = this.#plan();
    if (isDeepStrictEqual(signs(reads), signs(this.#reads))) return;
    this.#reads = reads;
    this.emit('changed', reads);
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

  /** True where every read of the device has shown something, in this run or an earlier one, or is refused for good. */
  areComplete(state: DeviceState): boolean {
    const { features } = state;
    return this.#of(state).every(({ target }) =>
      target.feature === undefined ? features.size > 0 : features.has(target.feature) || this.#unreadable.has(readKey(target)),
    );
  }

  /** A read has ended; true where it turned out to be refused for good. */
  ended(read: ReadTarget, result: ReadResult): boolean {
    const key = readKey(read.target);
    if (result.ok) {
      this.#unreadable.delete(key);
      this.#refusals.worked(read);
    }
    if (result.ok || failureOf(result.failure.code).closesRead === 'no' || this.#unreadable.has(key)) return false;
    this.#unreadable.add(key);
    return true;
  }

  failed(read: ReadTarget, failure: CallFailure): void {
    if (this.#refusals.note(read, failure, this.#clock.elapsedMs())) this.replan();
  }

  #of({ device: { gateway, device } }: DeviceState): readonly ReadTarget[] {
    return this.#reads.filter((read) => devicesOf(read).some((one) => one.gateway === gateway && one.device === device));
  }

  #plan(): readonly ReadTarget[] {
    const now = this.#clock.elapsedMs();
    return planReads(this.#store.devices, {
      ...{ mode: this.#settings.read, gateways: this.#settings.gateways },
      barred: (kind, target) => this.#refusals.isClosed(kind, target, now),
      known: (device) => this.#known(device),
    });
  }

  /** Names of features that were read in this run or published in an earlier one. */
  #known(device: Device): readonly string[] {
    const read = this.#store.states.get(deviceKey(device))?.features.keys() ?? [];
    return [...new Set([...read, ...publishedFeatures(this.#publisher, device)])];
  }
}

const signs = (reads: readonly ReadTarget[]): readonly string[] =>
  reads.map((read) => [readKey(read.target), ...devicesOf(read).map((device) => `${deviceKey(device)} ${device.name}`)].join(' '));
