import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Feature } from '../../features/feature.ts';
import { type Clock, HOUR_MS } from '../../shared/clock.ts';
import type { CallFailure, DeviceStateStore } from '../ports.ts';
import { countMissing } from './absence.ts';
import { Availability } from './availability.ts';
import { type Device, DeviceState, deviceKey } from './deviceState.ts';
import { type PendingWrite, PendingWrites } from './pendingWrites.ts';
import { type Quota, type ReadResult, type ReadTarget, readKey } from './readTarget.ts';

const CHECK_MS = 60_000;

/** The result of a read for one device. */
export type FeaturesRead = {
  readonly state: DeviceState;
  /** At least one. */
  readonly features: readonly Feature[];
  /** Those that may show another value than before. */
  readonly changed: readonly Feature[];
};

/** Events of devices and their features. compose.ts adds all listeners; they run in that order. */
export type FeatureEvents = {
  /** Features were read and are in the store. */
  featuresRead: [read: FeaturesRead];
  /** Features of an earlier run are in the store; `features` are their forms, then their records. */
  featuresRestored: [state: DeviceState, features: readonly Feature[]];
  /** The names that a complete read of the device listed, also those of unreadable records. */
  featuresListed: [state: DeviceState, names: ReadonlySet<string>];
  /** The platform no longer has these features; they were removed from the store. */
  featuresGone: [state: DeviceState, names: readonly string[]];
  /** A read of the device has ended; its availability is up to date. */
  readEnded: [state: DeviceState, read: ReadTarget, result: ReadResult];
  /** A read failed: once for each read, after `readEnded` for its devices. */
  readFailed: [read: ReadTarget, failure: CallFailure];
  /** A read of a gateway has shown features of another device than those it was made for. */
  otherDeviceSeen: [gateway: string, device: string];
  /** The set of devices has changed; `gone` were removed. */
  devicesChanged: [gone: readonly Device[]];
  /** The next entry of a schedule has begun, or its time zone became known. */
  transitionDue: [state: DeviceState, feature: string];
  /** Once a minute after the first round; the availability of all devices is up to date. */
  availabilityChecked: [];
  /** Every read was tried once, or the rest would take too long. */
  firstRoundEnded: [];
};

/** The polling interval. */
type Paced = { readonly interval: { readonly seconds: number } };

export type StoreSettings = {
  /** Hours after which a feature that complete reads lack is gone. */
  readonly goneAfterH: number;
  /** The platform's time, which does not depend on the machine's clock. */
  readonly nowMs: () => number;
  /** How long after a write its value is expected to show, in milliseconds. */
  readonly settleMs: number;
};

/** Gives the writes of an earlier run to a device that no read has shown yet. */
type Left = { pendingOf(device: Device): readonly PendingWrite[] };

/** The devices that are read, each with its features, and the events of both. */
export class FeatureStore extends EventEmitter<FeatureEvents> {
  /** By `deviceKey`. */
  readonly states: Map<string, DeviceState>;
  /** Also of devices that are gone: they may come back. */
  readonly #pending = new Map<string, PendingWrites>();
  readonly #settings: StoreSettings;
  readonly #memory: Pick<DeviceStateStore, 'facts'>;
  readonly #writes: Left;
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  #isFirstRound = true;

  /** Fills `states`. */
  constructor(
    states: Map<string, DeviceState>,
    settings: StoreSettings,
    memory: Pick<DeviceStateStore, 'facts'>,
    writes: Left,
    clock: Clock,
  ) {
    super();
    this.states = states;
    this.#settings = settings;
    this.#memory = memory;
    this.#clock = clock;
    this.#writes = writes;
    this.#startedAtMs = clock.now();
  }

  get devices(): readonly Device[] {
    return [...this.states.values()].map(({ device }) => device);
  }

  /** Before the end of the first round, existing features are missing: `info` and documents wait for it. */
  get isFirstRound(): boolean {
    return this.#isFirstRound;
  }

  endFirstRound(): void {
    if (!this.#isFirstRound) return;
    this.#isFirstRound = false;
    this.emit('firstRoundEnded');
  }

  /** Adds or updates a device. Its features stay where the settings choose the same ones. */
  add(device: Device): void {
    const key = deviceKey(device);
    const known = this.states.get(key);
    if (known) {
      // The next read may be an hour away; until then the device must be writable.
      if (!choosesSame(known.device, device)) known.features.clear();
      known.device = device;
      return;
    }
    const pending = this.#pending.get(key) ?? new PendingWrites(this.#settings.settleMs, this.#writes.pendingOf(device));
    this.#pending.set(key, pending);
    const { reads = [], availability, absences = {} } = this.#memory.facts(key) ?? {};
    const state = new DeviceState(device, pending, new Availability(this.#clock.elapsedMs(), availability));
    for (const read of reads) state.reads.set(read.name, read);
    for (const [name, absence] of Object.entries(absences)) state.absences.set(name, absence);
    this.states.set(key, state);
  }

  replace(devices: readonly Device[]): void {
    const keys = new Set(devices.map(deviceKey));
    const gone = this.devices.filter((device) => !keys.has(deviceKey(device)));
    for (const device of gone) this.states.delete(deviceKey(device));
    for (const device of devices) this.add(device);
    this.emit('devicesChanged', gone);
  }

  /** The state of the device was filled from an earlier run. */
  restored(state: DeviceState, features: readonly Feature[]): void {
    if (state.features.size > 0) this.emit('featuresRestored', state, features);
  }

  /** A complete read listed only `names`; `left`: features that have topics of an earlier run. */
  removeMissing(state: DeviceState, names: ReadonlySet<string>, left: readonly string[]): void {
    const unlisted = new Set<string>();
    for (const all of [state.features.keys(), left]) for (const name of all) if (!names.has(name)) unlisted.add(name);
    const gone = countMissing(state.absences, unlisted, this.#settings.nowMs(), this.#settings.goneAfterH * HOUR_MS);
    for (const name of gone) {
      state.features.delete(name);
      state.pending.forget(name);
    }
    if (gone.length > 0) this.emit('featuresGone', state, gone);
  }

  readEnded(state: DeviceState, read: ReadTarget, result: ReadResult): void {
    state.availability.read(result, this.#clock.elapsedMs(), readKey(read.target));
    this.emit('readEnded', state, read, result);
  }

  /**
   * Undefined for a device that is gone, and before its first read: published topics of an earlier run stay.
   */
  availability(state: DeviceState): 'online' | 'offline' | undefined {
    return this.states.get(deviceKey(state.device))?.availability.is;
  }

  /** The last read of the device, by any run, or else the start of this run; and now (epoch milliseconds). */
  lastGoodRead({ reads, availability: { readAtMs } }: DeviceState): { readonly atMs: number; readonly nowMs: number } {
    const nowMs = this.#clock.now();
    if (readAtMs !== undefined) return { atMs: nowMs - (this.#clock.elapsedMs() - readAtMs), nowMs };
    // A future time was kept while the clock was wrong.
    return { nowMs, atMs: Math.min(nowMs, reads.size > 0 ? Math.max(...[...reads.values()].map(({ at }) => at)) : this.#startedAtMs) };
  }

  /** Checks every minute which devices had no good read for too long, until the signal is aborted. */
  async watchAvailability(poller: Paced, quota: Pick<Quota, 'mayRead'>, signal: AbortSignal): Promise<void> {
    for (let last = this.#clock.elapsedMs(); !signal.aborted; ) {
      await this.#clock.sleep(CHECK_MS, signal).catch(() => undefined);
      const now = this.#clock.elapsedMs();
      for (const state of this.states.values()) {
        // Without quota no device counts as offline.
        if (!quota.mayRead()) state.availability.extend(now - last);
        state.availability.look(now, poller.interval.seconds);
      }
      last = now;
      if (!signal.aborted) this.emit('availabilityChecked');
    }
  }
}

const choosesSame = (a: Device, b: Device): boolean => isDeepStrictEqual([a.features, a.exclude], [b.features, b.exclude]);
