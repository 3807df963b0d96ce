import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Feature } from '../../features/feature.ts';
import { parseFeature } from '../../features/parseFeature.ts';
import { type Clock, HOUR_MS } from '../../shared/clock.ts';
import type { CallFailure, DeviceStateStore } from '../ports.ts';
import { countMissing } from './absence.ts';
import { Availability } from './availability.ts';
import { type Device, DeviceState, deviceKey } from './deviceState.ts';
import type { FeatureForms } from './featureForms.ts';
import { type PendingWrite, PendingWrites } from './pendingWrites.ts';
import { devicesOf, isChosen, type Quota, type ReadResult, type ReadTarget, readKey } from './readTarget.ts';

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

/**
 * The devices that are read, each with its features, and the events of both. What is known of them is kept for the next run: the storage asks for
 * it. After a kill none of that is believed, so the broker may hold something newer than the disk.
 */
export class FeatureStore extends EventEmitter<FeatureEvents> {
  /** By `deviceKey`. */
  readonly states: Map<string, DeviceState>;
  /** Also of devices that are gone: they may come back. */
  readonly #pending = new Map<string, PendingWrites>();
  readonly #settings: StoreSettings;
  readonly #memory: DeviceStateStore;
  readonly #writes: Left;
  readonly #clock: Clock;
  readonly #startedAtMs: number;
  #isFirstRound = true;

  /** Fills `states`. */
  constructor(
    states: Map<string, DeviceState>,
    settings: StoreSettings,
    memory: DeviceStateStore,
    forms: Pick<FeatureForms, 'beside'>,
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
    memory.keeps(() => [...states].map(([device, state]) => ({ device, facts: state.facts, features: takeChanged(state, forms) })));
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

  /** Brings the features that an earlier run knew, and that the settings still choose, into the state, none of them fresh. */
  restore(state: DeviceState): void {
    const restored: Feature[] = [];
    for (const { name, record, offered } of this.#memory.features(deviceKey(state.device))) {
      if (!isChosen(state.device, name)) continue;
      const [before, feature] = [featureOf(offered, name), featureOf(record, name)];
      if (feature) state.remember(feature);
      restored.push(...[before, feature].filter((one) => one !== undefined));
    }
    if (state.features.size > 0) this.emit('featuresRestored', state, restored);
  }

  /** When this read was last made (`Clock.elapsedMs`), by whatever run; -Infinity where it never was, or was for other settings. */
  lastReadMs(read: ReadTarget): number {
    const ages = devicesOf(read).map((device) => {
      const at = this.states.get(deviceKey(device))?.lastReadAt(read.target.feature);
      return at === undefined ? Number.NaN : this.#clock.now() - at;
    });
    // What shows several devices is as old as the oldest of them. An instant in the future: the machine's clock was set back, so the age is unknown.
    return ages.every((age) => age >= 0) ? this.#clock.elapsedMs() - Math.max(...ages) : Number.NEGATIVE_INFINITY;
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
    if (gone.length === 0) return;
    this.#memory.forget(deviceKey(state.device), gone);
    this.emit('featuresGone', state, gone);
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

/** The features that the storage does not have yet, each with what a document offers beyond it. */
const takeChanged = (state: DeviceState, forms: Pick<FeatureForms, 'beside'>) =>
  [...state.features.values()].flatMap((known) => {
    if (known.isKept) return [];
    known.isKept = true;
    return [{ feature: known.truth, offered: forms.beside(state, known.truth) }];
  });

const featureOf = (record: unknown, name: string): Feature | undefined => {
  const read = parseFeature(record);
  return read.ok && read.value.name === name ? read.value : undefined;
};

const choosesSame = (a: Device, b: Device): boolean => isDeepStrictEqual([a.features, a.exclude], [b.features, b.exclude]);
