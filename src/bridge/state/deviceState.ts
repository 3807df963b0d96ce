import type { Feature } from '../../features/feature.ts';
import type { Absence, DeviceFacts, StoredRead } from '../ports.ts';
import { Availability } from './availability.ts';
import { PendingWrites } from './pendingWrites.ts';

/** One device as the settings name it, or as it was found. */
export type Device = {
  /** Its name in topics. */
  readonly name: string;
  readonly installation: string;
  readonly gateway: string;
  readonly device: string;
  readonly features: readonly string[];
  readonly exclude: readonly string[];
  /** As the list of devices shows it. */
  readonly model?: string;
  readonly type?: string;
  readonly roles?: readonly string[];
};

export type KnownFeature = {
  /** As the platform last showed it. */
  readonly truth: Feature;
  /** `Clock.elapsedMs` of the moment the read was begun. */
  readAtMs: number;
  /** The storage has it. */
  isKept: boolean;
};

/** The device with this name in topics, and its key. */
export const entryNamed = <T extends { readonly device: Device }>(
  states: ReadonlyMap<string, T>,
  name: string | undefined,
): readonly [key: string, state: T] | undefined => [...states].find(([, { device }]) => device.name === name);

/** Never changed by a setting, so that what it names survives a rename; without blanks. */
export const deviceKey = (device: Pick<Device, 'gateway' | 'device'>): string => {
  const known = keys.get(device);
  if (known !== undefined) return known;
  const key = `${encodeURIComponent(device.gateway)}/${encodeURIComponent(device.device)}`;
  keys.set(device, key);
  return key;
};

/** A device's key is asked for with each of its topics. */
const keys = new WeakMap<object, string>();

/** What is known of one device: what the platform showed last, and the accepted writes that lie over it until a read shows them. */
export class DeviceState {
  #device: Device;
  readonly features = new Map<string, KnownFeature>();
  readonly pending: PendingWrites;
  readonly availability: Availability;
  /** The last reads, by this run or an earlier one, by the name of what was read alone. */
  readonly reads = new Map<string | undefined, StoredRead>();
  /** Features that the last complete reads lacked. */
  readonly absences = new Map<string, Absence>();
  /** It has told a fault once, or that there is none. */
  tellsFaults = false;
  /** What hubs are offered beside its features: that its data are frozen, and the restart of its gateway. */
  offers: { readonly stale: boolean; readonly restart: boolean } = { stale: false, restart: false };
  /** Since when a feature's record may be behind what was sent (`Clock.elapsedMs`). */
  readonly #staleSinceMs = new Map<string, number>();
  /** Features that were not read since the device was described otherwise. */
  #unread = new Set<string>();

  constructor(device: Device, pending = new PendingWrites(DEFAULT_SETTLE_MS), availability = new Availability(0)) {
    this.#device = device;
    this.pending = pending;
    this.availability = availability;
  }

  /** What the platform last showed of each feature. */
  get truths(): readonly Feature[] {
    return [...this.features.values()].map(({ truth }) => truth);
  }

  get device(): Device {
    return this.#device;
  }

  /** What the next run has to know beside the features. */
  get facts(): DeviceFacts {
    const [reads, absences] = [[...this.reads.values()], Object.fromEntries(this.absences)];
    return { reads, availability: this.availability.is, absences };
  }

  /** Single features were read, and the device as a whole never: it may have others. */
  get isPartlyRead(): boolean {
    return this.reads.size > 0 && !this.reads.has(undefined);
  }

  /** Everything that is chosen was read, or only the feature with this name; `at` in epoch milliseconds. */
  noteRead(at: number, name: string | undefined): void {
    this.reads.set(name, name === undefined ? { at, chosen: chosenBy(this.#device) } : { at, name });
  }

  /**
   * When that was last read (epoch milliseconds); undefined where it never was. A read of everything counts only while the settings choose the same:
   * else what is new would wait for a whole interval.
   */
  lastReadAt(name: string | undefined): number | undefined {
    const read = this.reads.get(name);
    return name === undefined && read?.chosen !== chosenBy(this.#device) ? undefined : read?.at;
  }

  /** The platform or the settings describe the device otherwise: each feature is shown anew by its next read. */
  set device(device: Device) {
    this.#device = device;
    this.#unread = new Set(this.features.keys());
  }

  /**
   * A feature was read by a read begun at `readAtMs`: what it shows is the truth now, but not fresh where it was marked stale since. True where
   * something else than before may be shown: the feature is not the same object, a write to it was pending, or the device has another name.
   */
  take(truth: Feature, readAtMs: number): boolean {
    const known = this.features.get(truth.name);
    // A long list may be taken in after a read of one feature that was begun later.
    if (known && readAtMs < known.readAtMs) return false;
    const isStale = readAtMs < (this.#staleSinceMs.get(truth.name) ?? Number.NEGATIVE_INFINITY);
    if (!isStale) this.#staleSinceMs.delete(truth.name);
    const freshAtMs = isStale ? Number.NEGATIVE_INFINITY : readAtMs;
    if (known?.truth === truth) known.readAtMs = freshAtMs;
    else this.features.set(truth.name, { truth, readAtMs: freshAtMs, isKept: false });
    const isPending = this.pending.has(truth.name);
    if (isPending) this.pending.read(truth, readAtMs);
    return this.#unread.delete(truth.name) || known?.truth !== truth || isPending;
  }

  /** What the storage has of a feature: never fresh, and no proof of anything. */
  remember(truth: Feature): void {
    this.features.set(truth.name, { truth, readAtMs: Number.NEGATIVE_INFINITY, isKept: true });
  }

  /** The text that the platform last showed of a feature; undefined where there is none. */
  textOf(name: string, property = 'value'): string | undefined {
    const value = this.features.get(name)?.truth.properties.get(property)?.value;
    return typeof value === 'string' ? value : undefined;
  }

  /** The platform may have changed the feature up to now: its present value has to be read. */
  markStale(name: string, nowMs: number): void {
    this.#staleSinceMs.set(name, nowMs);
    const known = this.features.get(name);
    if (known) known.readAtMs = Number.NEGATIVE_INFINITY;
  }

  /** The feature with the accepted values in place of what the platform still shows: what is published and what a write compares with. */
  shown(name: string): Feature | undefined {
    const truth = this.features.get(name)?.truth;
    return truth && this.pending.has(name) ? this.pending.withPending(truth) : truth;
  }
}

const DEFAULT_SETTLE_MS = 60_000;

const chosenBy = ({ features, exclude }: Device): string => JSON.stringify([features, exclude]);
