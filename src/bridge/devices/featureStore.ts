import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Feature } from '../../features/feature.ts';
import type { Clock } from '../../shared/clock.ts';
import { type ReadResult, type ReadTarget, readKey } from '../polling/readTarget.ts';
import type { CallFailure } from '../ports.ts';
import { Availability } from './availability.ts';
import { type Device, DeviceState, deviceKey } from './deviceState.ts';
import { type Absences, MissingFeatures } from './missingFeatures.ts';
import type { PendingWrites } from './pendingWrites.ts';

/** What a read has shown of one device. */
export type FeaturesRead = {
  readonly state: DeviceState;
  /** At least one. */
  readonly features: readonly Feature[];
  /** When the read was begun (`Clock.elapsedMs`). */
  readonly startedAtMs: number;
};

/** What happens to devices and their features. compose.ts adds all listeners; they are called in the order in which they were added. */
export type FeatureEvents = {
  /** Features were read and are in the store. */
  featuresRead: [read: FeaturesRead];
  /** The features of the device that an earlier run knew are in the store. */
  featuresRestored: [state: DeviceState];
  /** A complete read of the device listed these names, also those of records that cannot be understood. */
  featuresListed: [state: DeviceState, names: ReadonlySet<string>];
  /** The platform no longer has these features; they are out of the store. */
  featuresGone: [state: DeviceState, names: readonly string[]];
  /** A read of the device has ended; its availability is up to date. */
  readEnded: [state: DeviceState, read: ReadTarget, result: ReadResult];
  /** A read failed: once for each read, after `readEnded` for its devices. */
  readFailed: [read: ReadTarget, failure: CallFailure];
  /** A gateway's read has shown features of a device that it was not made for. */
  otherDeviceSeen: [gateway: string, device: string];
  /** The set of devices is another one; `gone` were removed. */
  devicesChanged: [gone: readonly Device[]];
  /** The feature shows another value without a read: a pending write was added or discarded. */
  pendingChanged: [state: DeviceState, feature: string];
  /** A schedule has entered its next entry, or its time zone became known. */
  transitionDue: [state: DeviceState, feature: string];
  /** Once a minute after the first round: the availability of all devices is up to date. */
  availabilityChecked: [];
  /** Every read was tried once, or waiting for the rest would take too long. */
  firstRoundEnded: [];
};

/** What is kept of devices over restarts (`StateRepository`). */
export type KeptDevices = {
  availability(device: Device): 'online' | 'offline' | undefined;
  keepAvailability(state: DeviceState, now: 'online' | 'offline'): void;
  absences(device: Device): Absences;
  keepAbsences(device: Device, absences: Absences): void;
};

type Known = { readonly state: DeviceState; readonly availability: Availability; readonly missing: MissingFeatures };

/** The devices that are read, each with its features, and the events of both. */
export class FeatureStore extends EventEmitter<FeatureEvents> {
  readonly #known = new Map<string, Known>();
  readonly #states = new Map<string, DeviceState>();
  readonly #goneAfterH: number;
  readonly #repository: KeptDevices;
  readonly #clock: Pick<Clock, 'now' | 'elapsedMs'>;
  readonly #pendingOf: (device: Device) => PendingWrites;
  #isFirstRound = true;

  /** `pendingOf` gives the writes that an earlier run sent to a device and that no read has shown yet. */
  constructor(
    goneAfterH: number,
    repository: KeptDevices,
    clock: Pick<Clock, 'now' | 'elapsedMs'>,
    pendingOf: (device: Device) => PendingWrites,
  ) {
    super();
    this.setMaxListeners(0);
    this.#goneAfterH = goneAfterH;
    this.#repository = repository;
    this.#clock = clock;
    this.#pendingOf = pendingOf;
  }

  /** By `deviceKey`. */
  get states(): ReadonlyMap<string, DeviceState> {
    return this.#states;
  }

  get devices(): readonly Device[] {
    return [...this.#states.values()].map(({ device }) => device);
  }

  /** Until the first round has ended, features are missing that the platform has: `info` and discovery documents wait for it. */
  get isFirstRound(): boolean {
    return this.#isFirstRound;
  }

  endFirstRound(): void {
    if (!this.#isFirstRound) return;
    this.#isFirstRound = false;
    this.emit('firstRoundEnded');
  }

  /** Adds a device, or replaces its description. Its features stay where the settings choose the same ones. */
  add(device: Device): void {
    const key = deviceKey(device);
    const before = this.#known.get(key);
    const state = new DeviceState(device, before?.state.pending ?? this.#pendingOf(device));
    // The next read may be an hour away, and until then the device must be writable.
    if (before && choosesSame(before.state.device, device))
      for (const { truth, readAtMs } of before.state.features.values()) state.remember(truth, readAtMs);
    this.#states.set(key, state);
    this.#known.set(key, {
      state,
      availability: before?.availability ?? new Availability(this.#clock.elapsedMs(), this.#repository.availability(device)),
      missing: before?.missing ?? new MissingFeatures(this.#goneAfterH, this.#clock, this.#repository.absences(device)),
    });
  }

  replace(devices: readonly Device[]): void {
    const keys = new Set(devices.map(deviceKey));
    const gone = this.devices.filter((device) => !keys.has(deviceKey(device)));
    for (const device of gone) {
      this.#known.delete(deviceKey(device));
      this.#states.delete(deviceKey(device));
    }
    for (const device of devices) if (!isDeepStrictEqual(this.#states.get(deviceKey(device))?.device, device)) this.add(device);
    this.emit('devicesChanged', gone);
  }

  /** A read that was begun at `startedAtMs` (`Clock.elapsedMs`) has shown these features. */
  take(state: DeviceState, features: readonly Feature[], startedAtMs: number): void {
    for (const feature of features) state.take(feature, startedAtMs);
    if (features.length > 0) this.emit('featuresRead', { state, features, startedAtMs });
  }

  /** A complete read listed `names` only; `published` are the features that have topics, also from an earlier run. */
  removeMissing(state: DeviceState, names: ReadonlySet<string>, published: readonly string[]): void {
    const missing = this.#of(state)?.missing;
    if (!missing) return;
    const known = new Set([...state.features.keys(), ...published]);
    const gone = missing.note([...known].filter((name) => !names.has(name)));
    this.#repository.keepAbsences(state.device, missing.absences);
    for (const name of gone) state.features.delete(name);
    if (gone.length > 0) this.emit('featuresGone', state, gone);
  }

  readEnded(state: DeviceState, read: ReadTarget, result: ReadResult): void {
    this.#of(state)?.availability.read(result, this.#clock.elapsedMs(), readKey(read.target));
    this.#keepAvailability(state);
    this.emit('readEnded', state, read, result);
  }

  /** Undefined before the first read of the device has ended: what an earlier run has published stays. */
  availability(state: DeviceState): 'online' | 'offline' | undefined {
    return this.#of(state)?.availability.is;
  }

  /** Time has passed: a device without a good read for too long is offline. `excusedMs`: time in which reading was not allowed. */
  expireAvailability(state: DeviceState, excusedMs: number, pollSeconds: number): void {
    const availability = this.#of(state)?.availability;
    availability?.excuse(excusedMs);
    availability?.look(this.#clock.elapsedMs(), pollSeconds);
    this.#keepAvailability(state);
  }

  #keepAvailability(state: DeviceState): void {
    const now = this.availability(state);
    if (now !== undefined) this.#repository.keepAvailability(state, now);
  }

  #of({ device }: DeviceState): Known | undefined {
    return this.#known.get(deviceKey(device));
  }
}

const choosesSame = (a: Device, b: Device): boolean => isDeepStrictEqual([a.features, a.exclude], [b.features, b.exclude]);
