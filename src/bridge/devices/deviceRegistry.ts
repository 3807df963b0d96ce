import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../shared/clock.ts';
import type { ReadResult } from '../polling/featureReader.ts';
import { type ReadTarget, readKey } from '../polling/readTarget.ts';
import { Availability } from './availability.ts';
import { type Device, DeviceState, deviceKey } from './deviceState.ts';
import { MissingFeatures } from './missingFeatures.ts';
import type { PendingWrites } from './pendingWrites.ts';
import type { StateRepository } from './stateRepository.ts';

/** The devices that are read, each with what is known of it. */
export class Devices {
  readonly #states = new Map<string, DeviceState>();
  readonly #availability = new Map<string, Availability>();
  readonly #gone = new Map<string, MissingFeatures>();
  readonly #strangers = new Set<string>();
  readonly #goneAfterH: number;
  readonly #recollection: StateRepository;
  readonly #clock: Clock;
  readonly #pendingOf: (device: Device) => PendingWrites;

  /** `pendingOf` gives what an earlier run has sent to a device and not seen yet. */
  constructor(goneAfterH: number, recollection: StateRepository, clock: Clock, pendingOf: (device: Device) => PendingWrites) {
    this.#goneAfterH = goneAfterH;
    this.#recollection = recollection;
    this.#clock = clock;
    this.#pendingOf = pendingOf;
  }

  /** By `deviceKey`. */
  get states(): ReadonlyMap<string, DeviceState> {
    return this.#states;
  }

  get all(): readonly Device[] {
    return [...this.#states.values()].map(({ device }) => device);
  }

  /** One more, or one that looks other than before: what is known of its features stays where the same are chosen. */
  add(device: Device): void {
    const key = deviceKey(device);
    const before = this.#states.get(key);
    const state = new DeviceState(device, before?.pending ?? this.#pendingOf(device));
    // Its next read may be an hour away, and until then it must be possible to write.
    if (before && choosesSame(before.device, device))
      for (const { truth, readAtMs } of before.features.values()) state.remember(truth, readAtMs);
    this.#states.set(key, state);
    if (this.#gone.has(key)) return;
    this.#availability.set(key, new Availability(this.#clock.elapsedMs(), this.#recollection.availability(device)));
    this.#gone.set(key, new MissingFeatures(this.#goneAfterH, this.#clock, this.#recollection.absences(device)));
  }

  /** Other devices from now on; gives those that are gone. */
  replace(devices: readonly Device[]): readonly Device[] {
    const keys = new Set(devices.map(deviceKey));
    const gone = this.all.filter((device) => !keys.has(deviceKey(device)));
    for (const device of gone) for (const known of [this.#states, this.#availability, this.#gone]) known.delete(deviceKey(device));
    for (const device of devices) if (!isDeepStrictEqual(this.#states.get(deviceKey(device))?.device, device)) this.add(device);
    return gone;
  }

  availability({ device }: DeviceState): Availability | undefined {
    return this.#availability.get(deviceKey(device));
  }

  /** A read of the device has ended. */
  readEnded(state: DeviceState, { target }: ReadTarget, result: ReadResult): void {
    this.availability(state)?.read(result, this.#clock.elapsedMs(), readKey(target));
  }

  /** A complete read did not list these features; gives those that count as gone now. */
  missing({ device }: DeviceState, features: readonly string[]): readonly string[] {
    const gone = this.#gone.get(deviceKey(device));
    if (!gone) return [];
    const names = gone.note(features);
    this.#recollection.keepAbsences(device, gone.absences);
    return names;
  }

  /** True where a device that is none of ours is seen for the first time. */
  isNewStranger(gateway: string, device: string): boolean {
    const key = deviceKey({ gateway, device });
    if (this.#strangers.has(key) || this.#strangers.size >= MOST_STRANGERS) return false;
    this.#strangers.add(key);
    return true;
  }
}

/** More than any installation has. */
const MOST_STRANGERS = 1000;

const choosesSame = (a: Device, b: Device): boolean => isDeepStrictEqual([a.features, a.exclude], [b.features, b.exclude]);
