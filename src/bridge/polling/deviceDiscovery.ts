import { EventEmitter } from 'node:events';
import { parseInstallations } from '../../features/equipment.ts';
import { GATEWAY_DEVICE } from '../../features/parseFeature.ts';
import type { Clock } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';
import type { Log } from '../../shared/log.ts';
import {
  type Choice,
  chooseDevices,
  type DeviceInventory,
  keepInventory,
  mergeListing,
  readInventory,
  unfitting,
  withImplied,
} from '../devices/deviceInventory.ts';
import { type Device, deviceKey } from '../devices/deviceState.ts';
import type { CallFailure, Equipment, KeyedStore } from '../ports.ts';
import type { RateLimiter } from '../quota/rateLimiter.ts';
import { isCallFailure, nonsense } from './featureReader.ts';
import { refusedMs } from './retryPolicy.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 900_000;
/** More than any installation has. */
const MOST_OTHERS = 1000;
const WAIT_FOR_QUOTA_MS = 5000;

export type DeviceDiscoveryParts = {
  readonly equipment: Equipment;
  readonly store: KeyedStore;
  readonly choices: readonly Choice[];
  readonly goneAfterH: number;
  /** Devices that earlier runs have published, by `deviceKey`. */
  readonly published: readonly string[];
  readonly quota: RateLimiter;
  readonly clock: Clock;
  readonly log: Log;
};

export type DeviceDiscoveryEvents = {
  /** After each list, and when a read has shown a device. */
  devicesFound: [devices: readonly Device[]];
  callFailed: [failure: CallFailure];
};

/** Finds out which devices there are: from disk at the start, then by asking once a day, and sooner where something points to a new one. */
export class DeviceDiscovery extends EventEmitter<DeviceDiscoveryEvents> {
  readonly #parts: DeviceDiscoveryParts;
  #inventory: DeviceInventory | undefined;
  #dueMs: number;
  #listedMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #failed = '';
  #loggedUnfit = '';
  #wake = new AbortController();
  /** Devices that a read has shown although they are not read: each leads to one look at the list. */
  readonly #others = new Set<string>();

  constructor(parts: DeviceDiscoveryParts) {
    super();
    this.#parts = parts;
    const { store, clock } = parts;
    this.#inventory = readInventory(store);
    const age = this.#inventory === undefined ? DAY_MS : clock.now() - this.#inventory.listed_at_ms;
    // A clock that was set back must not put the next list off.
    this.#dueMs = clock.elapsedMs() + (age < 0 ? 0 : Math.max(0, DAY_MS - age));
  }

  /** The devices to read; undefined while nothing is known. */
  devices(): readonly Device[] | undefined {
    return this.#inventory && chooseDevices(this.#inventory.devices, this.#parts.choices);
  }

  /** The zone of an installation, where the list tells it. */
  timeZoneOf(installation: string): string | undefined {
    return this.#inventory?.devices.find((device) => device.installation === installation && device.timeZone !== undefined)?.timeZone;
  }

  /** Devices that no list has shown, but that are not gone yet: what was published of them stays. */
  unlisted(): ReadonlySet<string> {
    return new Set(Object.keys(this.#inventory?.unlisted ?? {}));
  }

  /** A gateway's read has shown a device that it was not made for. */
  deviceSeen(gateway: string, device: string): void {
    const key = deviceKey({ gateway, device });
    if (device === GATEWAY_DEVICE) this.#gatewaySeen(gateway);
    else if (!this.#others.has(key) && this.#others.size < MOST_OTHERS) {
      this.#others.add(key);
      this.lookSoon();
    }
  }

  /** A gateway has features of its own: where no list names a device for them, there is one from now on. */
  #gatewaySeen(gateway: string): void {
    const inventory = this.#inventory && withImplied(this.#inventory, gateway, GATEWAY_DEVICE);
    if (!inventory) return;
    keepInventory(this.#parts.store, inventory);
    this.#inventory = inventory;
    this.#parts.log.info({ devices: [deviceKey({ gateway, device: GATEWAY_DEVICE })] }, 'devices were found');
    this.emit('devicesFound', this.devices() ?? []);
  }

  /** Something points to a device that is not known: the list is read soon, at most once an hour. */
  lookSoon(): void {
    const soonest = this.#listedMs + HOUR_MS;
    if (this.#failures > 0 || soonest >= this.#dueMs) return;
    this.#dueMs = soonest;
    this.#wake.abort();
  }

  /** The login changed: a list that failed for want of it is tried again, with `always` whatever it failed of. */
  retry(always = false): void {
    if (this.#failures === 0 || (!always && this.#failed !== 'login_needed')) return;
    this.#dueMs = this.#parts.clock.elapsedMs();
    this.#wake.abort();
  }

  /** Asks until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, quota } = this.#parts;
    this.#logUnfit();
    while (!signal.aborted) {
      this.#wake = new AbortController();
      const now = clock.elapsedMs();
      const wait = this.#dueMs > now ? this.#dueMs - now : quota.mayRead(now) ? 0 : Math.max(quota.pausedForMs(now), WAIT_FOR_QUOTA_MS);
      if (wait > 0) await clock.sleep(wait, AbortSignal.any([signal, this.#wake.signal])).catch(() => undefined);
      else await this.#ask(signal);
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { equipment } = this.#parts;
    try {
      this.#take(await equipment.readInstallations(signal, () => this.#callLeft(signal)));
    } catch (error) {
      // A list of an unforeseen form must not end the process.
      const failure = isCallFailure(error) ? error : nonsense(`the list of installations makes no sense (${String(error)})`);
      this.#failedWith(failure);
      this.emit('callFailed', failure);
      return;
    }
    this.emit('devicesFound', this.devices() ?? []);
  }

  /** Waits until the allowance has a read left: a list that ended in its middle would have cost its pages for nothing. */
  async #callLeft(signal: AbortSignal): Promise<void> {
    const { clock, quota } = this.#parts;
    for (let now = clock.elapsedMs(); !quota.mayRead(now); now = clock.elapsedMs())
      await clock.sleep(Math.max(quota.pausedForMs(now), WAIT_FOR_QUOTA_MS), signal);
  }

  #failedWith({ code, message }: CallFailure): void {
    this.#failures += 1;
    const growing = Math.min(FIRST_RETRY_MS * 2 ** (this.#failures - 1), LONGEST_RETRY_MS);
    const { beforeCall, closesRead } = failureOf(code);
    // Without a call there is no harm in trying, and a new login is noticed only by asking for its token.
    const pause = beforeCall ? FIRST_RETRY_MS : closesRead === 'no' ? growing : refusedMs(this.#failures);
    this.#dueMs = this.#parts.clock.elapsedMs() + pause;
    this.#logState(code, message);
  }

  #take(pages: readonly unknown[]): void {
    const { store, clock, goneAfterH, published, log } = this.#parts;
    const listing = parseInstallations(pages);
    if (!listing) throw nonsense('the list of installations makes no sense');
    const before = this.#inventory;
    this.#inventory = mergeListing(before, listing, clock.now(), goneAfterH * HOUR_MS, published);
    keepInventory(store, this.#inventory);
    this.#listedMs = clock.elapsedMs();
    const isEmpty = listing.devices.length === 0;
    // Hardly anybody has an account without devices, so a day is too long to wait for the next look.
    this.#failures = isEmpty ? this.#failures + 1 : 0;
    this.#dueMs = this.#listedMs + (isEmpty ? refusedMs(this.#failures) : DAY_MS);
    if (!listing.complete) this.#logState('bad_answer', 'a part of the list of installations makes no sense; only the rest is taken');
    else if (isEmpty) this.#logState('empty', 'it holds no device; log in with the account that the devices belong to');
    else this.#logState('');
    const known = new Set(before?.devices.map(deviceKey));
    const added = this.#inventory.devices.filter((device) => !known.has(deviceKey(device))).map(deviceKey);
    if (added.length > 0) log.info({ devices: added }, 'devices were found');
    this.#logUnfit();
  }

  /** Logs once which entries of the settings choose no device. */
  #logUnfit(): void {
    const { choices, log } = this.#parts;
    if (!this.#inventory || this.#inventory.devices.length === 0) return;
    const unfit = unfitting(this.#inventory.devices, choices).map(({ features: _, exclude: __, ...entry }) => entry);
    const logged = JSON.stringify(unfit);
    if (unfit.length > 0 && logged !== this.#loggedUnfit)
      log.warn(
        { entries: unfit },
        'these entries of devices choose none that the platform lists; `heating2mqtt check --devices` prints them',
      );
    this.#loggedUnfit = logged;
  }

  #logState(code: string, why = ''): void {
    if (code === this.#failed) return;
    const { log } = this.#parts;
    if (code === '') log.info({}, 'the list of devices can be read again');
    else if (code === 'empty') log.warn({ code, why }, 'the list of devices is empty; those known stay');
    else if (code !== 'aborted') log.warn({ code, why }, 'the list of devices could not be read; those known stay');
    this.#failed = code;
  }
}
