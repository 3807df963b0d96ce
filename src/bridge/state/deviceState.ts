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
  /** When its read began (`Clock.elapsedMs`). */
  readAtMs: number;
  /** True where the storage has it. */
  isKept: boolean;
};

/** The key and the state of the device with this name in topics. */
export const entryNamed = <T extends { readonly device: Device }>(
  states: ReadonlyMap<string, T>,
  name: string | undefined,
): readonly [key: string, state: T] | undefined => [...states].find(([, { device }]) => device.name === name);

/**
 * The key of a device: no setting changes it, so that stored data survive a rename. It contains no blanks.
 */
export const deviceKey = (device: Pick<Device, 'gateway' | 'device'>): string => {
  const known = keys.get(device);
  if (known !== undefined) return known;
  const key = `${encodeURIComponent(device.gateway)}/${encodeURIComponent(device.device)}`;
  keys.set(device, key);
  return key;
};

/** Cached, as each topic of a device needs its key. */
const keys = new WeakMap<object, string>();

/** The state of one device: what the platform last showed, with accepted writes until a read shows them. */
export class DeviceState {
  #device: Device;
  readonly features = new Map<string, KnownFeature>();
  readonly pending: PendingWrites;
  readonly availability: Availability;
  /** The last reads, of this or an earlier run, by the feature name of a single read. */
  readonly reads = new Map<string | undefined, StoredRead>();
  /** Features that the last complete reads lacked. */
  readonly absences = new Map<string, Absence>();
  /** True once it has reported a fault, or that there is none. */
  tellsFaults = false;
  /** What hubs are offered besides features: frozen data, and the restart of its gateway. */
  offers: { readonly stale: boolean; readonly restart: boolean } = { stale: false, restart: false };
  /** Since when a feature's record may be older than a write (`Clock.elapsedMs`). */
  readonly #staleSinceMs = new Map<string, number>();
  /** Features without a read since the device's description changed. */
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

  /** What the next run needs besides the features. */
  get facts(): DeviceFacts {
    const [reads, absences] = [[...this.reads.values()], Object.fromEntries(this.absences)];
    return { reads, availability: this.availability.is, absences };
  }

  /** True where only single features were read, never the device as a whole: it may have others. */
  get isPartlyRead(): boolean {
    return this.reads.size > 0 && !this.reads.has(undefined);
  }

  /** Notes a read of everything chosen, or of the feature `name`; `at` in epoch milliseconds. */
  noteRead(at: number, name: string | undefined): void {
    this.reads.set(name, name === undefined ? { at, chosen: chosenBy(this.#device) } : { at, name });
  }

  /**
   * When it was last read (epoch milliseconds), if ever. A read of everything counts only while the settings
   * choose the same features: otherwise a new one would wait for a whole interval.
   */
  lastReadAt(name: string | undefined): number | undefined {
    const read = this.reads.get(name);
    return name === undefined && read?.chosen !== chosenBy(this.#device) ? undefined : read?.at;
  }

  /** Sets a changed description of the device: the next read of each feature counts as a change. */
  set device(device: Device) {
    this.#device = device;
    this.#unread = new Set(this.features.keys());
  }

  /**
   * Takes a feature from a read that began at `readAtMs`; it is fresh unless it was marked stale since. True
   * where another value may be shown: the feature is another object, a write to it was pending, or the device
   * has another name.
   */
  take(truth: Feature, readAtMs: number): boolean {
    const known = this.features.get(truth.name);
    // A long list may be processed after a single read that began later.
    if (known && readAtMs < known.readAtMs) return false;
    this.absences.delete(truth.name);
    const isStale = readAtMs < (this.#staleSinceMs.get(truth.name) ?? Number.NEGATIVE_INFINITY);
    if (!isStale) this.#staleSinceMs.delete(truth.name);
    const freshAtMs = isStale ? Number.NEGATIVE_INFINITY : readAtMs;
    if (known?.truth === truth) known.readAtMs = freshAtMs;
    else this.features.set(truth.name, { truth, readAtMs: freshAtMs, isKept: false });
    const isPending = this.pending.has(truth.name);
    if (isPending) this.pending.read(truth, readAtMs);
    return this.#unread.delete(truth.name) || known?.truth !== truth || isPending;
  }

  /** Takes a feature from the storage: it is never fresh and proves nothing. */
  remember(truth: Feature): void {
    this.features.set(truth.name, { truth, readAtMs: Number.NEGATIVE_INFINITY, isKept: true });
  }

  /** The text that the platform last showed for a feature, if any. */
  textOf(name: string, property = 'value'): string | undefined {
    const value = this.features.get(name)?.truth.properties.get(property)?.value;
    return typeof value === 'string' ? value : undefined;
  }

  /** The platform may have changed the feature until now: it has to be read again. */
  markStale(name: string, nowMs: number): void {
    this.#staleSinceMs.set(name, nowMs);
    const known = this.features.get(name);
    if (known) known.readAtMs = Number.NEGATIVE_INFINITY;
  }

  /** True where the last complete read lacked the feature, or no read had it. */
  isMissing(name: string): boolean {
    return this.absences.has(name) || !this.features.has(name);
  }

  /** The feature with accepted values over read ones: published, and compared with new writes. */
  shown(name: string): Feature | undefined {
    const truth = this.features.get(name)?.truth;
    return truth && this.pending.has(name) ? this.pending.withPending(truth) : truth;
  }
}

const DEFAULT_SETTLE_MS = 60_000;

const chosenBy = ({ features, exclude }: Device): string => JSON.stringify([features, exclude]);
