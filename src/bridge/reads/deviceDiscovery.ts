import { parseInstallations } from '../../features/equipment.ts';
import { GATEWAY_DEVICE } from '../../features/parseFeature.ts';
import { type AccountName, commandFor } from '../../language/accounts/loginHelp.ts';
import { type Clock, DAY_MS, growingMs, HOUR_MS, wakeLoop } from '../../shared/clock.ts';
import { failureOf } from '../../shared/failures.ts';
import type { Log } from '../../shared/log.ts';
import { type AccountGateways, type CallFailure, type Equipment, isCallFailure, type KeyedStore } from '../ports.ts';
import {
  type Choice,
  chooseDevices,
  keepInventory,
  mergeListing,
  readInventory,
  unfitting,
  withImplied,
} from '../state/deviceInventory.ts';
import { type Device, deviceKey } from '../state/deviceState.ts';
import { invalidAnswer } from './featureReader.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { refusedMs } from './retryPolicy.ts';

const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 900_000;
/** More than any installation has. */
const MOST_OTHERS = 1000;
const WAIT_FOR_QUOTA_MS = 5000;

export type DeviceDiscoveryParts = {
  readonly account?: AccountName;
  readonly equipment: Equipment;
  readonly store: KeyedStore;
  readonly choices: readonly Choice[];
  readonly goneAfterH: number;
  /** Devices published by earlier runs, by `deviceKey`. */
  readonly published: readonly string[];
  readonly quota: RateLimiter;
  readonly clock: Clock;
  readonly log: Log;
  /** Absent if the process has one account. */
  readonly gateways?: AccountGateways | undefined;
};

export type DeviceDiscoveryEvents = {
  /** Called after each list. */
  readonly devicesFound: (devices: readonly Device[]) => void;
  readonly callFailed: (failure: CallFailure) => void;
};

/** Finds the devices: from disk at the start, then by a daily request, and earlier on signs of a new one. */
export const deviceDiscovery = (parts: DeviceDiscoveryParts) => {
  const { account, equipment, store, choices, goneAfterH, published, quota, clock, log, gateways } = parts;
  let inventory = readInventory(store);
  const listGateways = (): void => gateways?.listed([...new Set(inventory?.devices.map(({ gateway }) => gateway))]);
  listGateways();
  const age = inventory === undefined ? DAY_MS : clock.now() - inventory.listed_at_ms;
  // A clock that was set back must not delay the next list.
  let dueMs = clock.elapsedMs() + (age < 0 ? 0 : Math.max(0, DAY_MS - age));
  let listedMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  /** Consecutive refusals and empty lists; any other failure resets the count. */
  let refusals = 0;
  /** Why the last list failed; empty if it worked. */
  let logged = '';
  let loggedUnfit = '';
  const loop = wakeLoop(clock);
  /** Devices seen in reads but not planned for reading: each causes one list request. */
  const others = new Set<string>();

  /** The devices to read; undefined before anything is known. */
  const devices = (): readonly Device[] | undefined => {
    const own = inventory?.devices.filter(({ gateway }) => gateways?.owns(gateway) ?? true);
    return own && chooseDevices(own, choices);
  };

  /** The time zone of an installation, if the list has it. */
  const timeZoneOf = (installation: string): string | undefined =>
    inventory?.devices.find((device) => device.installation === installation && device.timeZone !== undefined)?.timeZone;

  /** The user's name for an installation, if the list has it. */
  const descriptionOf = (installation: string): string | undefined =>
    inventory?.devices.find((device) => device.installation === installation && device.description !== undefined)?.description;

  /** Devices missing from the list but not gone yet: their topics stay. */
  const unlisted = (): ReadonlySet<string> => new Set(Object.keys(inventory?.unlisted ?? {}));

  /** A gateway read showed a device that it did not expect; true if `devices()` now includes it. */
  const deviceSeen = (gateway: string, device: string): boolean => {
    const key = deviceKey({ gateway, device });
    if (device === GATEWAY_DEVICE) return gatewaySeen(gateway, key);
    if (!others.has(key) && others.size < MOST_OTHERS) {
      others.add(key);
      lookSoon();
    }
    return false;
  };

  /** A gateway has features of its own: if no list names a device for them, one is added. */
  const gatewaySeen = (gateway: string, key: string): boolean => {
    const more = inventory && withImplied(inventory, gateway, GATEWAY_DEVICE);
    if (!more) return false;
    keepInventory(store, more);
    inventory = more;
    log.info({ devices: [key] }, 'devices were found');
    return true;
  };

  /** Something points to an unknown device: the list is requested soon, at most once an hour. */
  const lookSoon = (): void => {
    const soonest = listedMs + HOUR_MS;
    if (failures > 0 || soonest >= dueMs) return;
    dueMs = soonest;
    loop.wake();
  };

  /** The login changed: retries a list that failed for lack of it; with `always`, after any failure. */
  const retry = (always = false): void => {
    if (failures === 0 || (!always && logged !== 'login_needed')) return;
    dueMs = clock.elapsedMs();
    loop.wake();
  };

  /** Requests lists until the signal is aborted. */
  const run = async (signal: AbortSignal, events: DeviceDiscoveryEvents): Promise<void> => {
    logUnfit();
    gateways?.onChange(() => {
      if (!signal.aborted && inventory) events.devicesFound(devices() ?? []);
    });
    await loop.run(signal, async () => {
      const now = clock.elapsedMs();
      const wait = dueMs > now ? dueMs - now : quota.mayRead() ? 0 : Math.max(quota.pausedForMs(), WAIT_FOR_QUOTA_MS);
      if (wait === 0) await ask(signal, events);
      return wait;
    });
  };

  const ask = async (signal: AbortSignal, events: DeviceDiscoveryEvents): Promise<void> => {
    try {
      take(await equipment.readInstallations(signal, () => callLeft(signal)));
    } catch (error) {
      // A list of an unexpected form must not end the process.
      const failure = isCallFailure(error) ? error : invalidAnswer(`the list of installations is invalid (${String(error)})`);
      failedWith(failure);
      events.callFailed(failure);
      return;
    }
    events.devicesFound(devices() ?? []);
  };

  /** Waits until the allowance has a read left: an incomplete list would waste the calls of its pages. */
  const callLeft = async (signal: AbortSignal): Promise<void> => {
    while (!quota.mayRead()) await clock.sleep(Math.max(quota.pausedForMs(), WAIT_FOR_QUOTA_MS), signal);
  };

  const failedWith = ({ code, message }: CallFailure): void => {
    failures += 1;
    const growing = growingMs(FIRST_RETRY_MS, failures - 1, LONGEST_RETRY_MS);
    const { beforeCall, closesRead } = failureOf(code);
    // Without a call, a retry costs nothing, and only a token request notices a new login.
    refusals = closesRead === 'no' ? 0 : refusals + 1;
    const pause = beforeCall ? FIRST_RETRY_MS : refusals === 0 ? growing : refusedMs(refusals);
    dueMs = clock.elapsedMs() + pause;
    logState(code, message);
  };

  const take = (pages: readonly unknown[]): void => {
    const listing = parseInstallations(pages);
    if (!listing) throw invalidAnswer('the list of installations is invalid');
    const before = inventory;
    inventory = mergeListing(before, listing, clock.now(), goneAfterH * HOUR_MS, published);
    keepInventory(store, inventory);
    listGateways();
    listedMs = clock.elapsedMs();
    const isEmpty = listing.devices.length === 0;
    // An account without devices is rare, so the list is requested again within a day.
    failures = isEmpty ? failures + 1 : 0;
    refusals = isEmpty ? refusals + 1 : 0;
    dueMs = listedMs + (isEmpty ? refusedMs(refusals) : DAY_MS);
    if (!listing.complete) logState('bad_answer', 'a part of the list of installations is invalid; only the rest is used');
    else if (isEmpty) logState('empty', 'it contains no device; log in with the account that owns the devices');
    else logState('');
    const known = new Set(before?.devices.map(deviceKey));
    const added = inventory.devices.filter((device) => !known.has(deviceKey(device))).map(deviceKey);
    if (added.length > 0) log.info({ devices: added }, 'devices were found');
    logUnfit();
  };

  /** Logs once which settings entries match no device. */
  const logUnfit = (): void => {
    if (!inventory || inventory.devices.length === 0) return;
    const unfit = unfitting(inventory.devices, choices).map(({ features: _, exclude: __, ...entry }) => entry);
    const sign = JSON.stringify(unfit);
    const command = commandFor('check', account);
    const printed = command === undefined ? '' : `; \`${command} --devices\` prints them`;
    if (unfit.length > 0 && sign !== loggedUnfit)
      log.warn({ entries: unfit }, `these entries of devices match no device that the platform lists${printed}`);
    loggedUnfit = sign;
  };

  const logState = (code: string, why = ''): void => {
    if (code === logged) return;
    const { log: level } = failureOf(code);
    if (code === '') log.info({}, 'the list of devices can be read again');
    else if (code === 'empty') log.warn({ code, why }, 'the list of devices is empty; the known devices stay');
    else if (level !== 'none') log[level]({ code, why }, 'the list of devices could not be read; the known devices stay');
    logged = code;
  };

  return { devices, timeZoneOf, descriptionOf, unlisted, deviceSeen, lookSoon, retry, run };
};

export type DeviceDiscovery = ReturnType<typeof deviceDiscovery>;
