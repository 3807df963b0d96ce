import * as z from 'zod/mini';
import { FOUND_DEVICE, type FoundDevice, type Listing } from '../../features/equipment.ts';
import { matchesAny } from '../../shared/pattern.ts';
import type { Absence, KeyedStore } from '../ports.ts';
import { longerAbsence } from './absence.ts';
import { type Device, deviceKey } from './deviceState.ts';

/** Since when lists lack a device, and how many lists in a row. */
const ABSENCE = z.object({ since_ms: z.number(), reads: z.number() });
const NOT_YET: Absence = { since_ms: 0, reads: 0 };

/** `implied`: no list names it, but its features are read with those of the other devices of its gateway. */
const DEVICE = z.extend(FOUND_DEVICE, {
  absence: z.catch(z.optional(ABSENCE), undefined),
  implied: z.catch(z.optional(z.literal(true)), undefined),
});
export type InventoryDevice = Readonly<z.infer<typeof DEVICE>>;

/**
 * `unlisted`: devices known only by their published topics, by `deviceKey`: an earlier inventory was lost.
 */
const LISTING = z.object({
  listed_at_ms: z.number(),
  unlisted: z.catch(z.optional(z.record(z.string(), z.catch(ABSENCE, NOT_YET))), undefined),
});

/** The known devices of the platform; times in epoch milliseconds. */
export type DeviceInventory = Readonly<z.infer<typeof LISTING>> & { readonly devices: readonly InventoryDevice[] };

/** Selects devices by all given keys, and says what to read of them. */
export type Choice = Pick<Device, 'features' | 'exclude'> &
  Readonly<Partial<Record<'name' | 'installation' | 'gateway' | 'device' | 'model' | 'role', string>>>;

/**
 * The inventory after one more list: new devices come last; a device is removed when three complete lists in
 * a row, over at least `afterMs`, lack it (docs/topics.md). An empty list never counts. `published`: devices
 * that an earlier run has published; they are removed in the same way if its inventory was lost.
 */
export const mergeListing = (
  before: DeviceInventory | undefined,
  listing: Listing,
  nowMs: number,
  afterMs: number,
  published: readonly string[] = [],
): DeviceInventory => {
  const listed = new Map(listing.devices.map((device) => [deviceKey(device), device]));
  const old = before?.devices ?? [];
  const keys = new Set(old.map(deviceKey));
  const counts = listing.complete && listed.size > 0;
  /** The absence after this list; undefined where the device is gone. */
  const longer = (absence = NOT_YET): Absence | undefined => (counts ? longerAbsence(absence, nowMs, afterMs) : absence);
  const kept = old.flatMap((device): readonly InventoryDevice[] => {
    const now = listed.get(deviceKey(device));
    if (now || !counts || device.implied) return [now ?? device];
    const absence = longer(device.absence);
    return absence ? [{ ...device, absence }] : [];
  });
  const waited = before ? Object.entries(before.unlisted ?? {}) : published.map((key) => [key, undefined] as const);
  const unlisted = waited.flatMap(([key, absence]) => {
    const now = listed.has(key) ? undefined : longer(absence);
    return now ? [[key, now] as const] : [];
  });
  const devices: readonly InventoryDevice[] = [...kept, ...listing.devices.filter((device) => !keys.has(deviceKey(device)))];
  return {
    listed_at_ms: nowMs,
    devices: devices.filter((device) => !device.implied || devices.some((other) => !other.implied && other.gateway === device.gateway)),
    ...(unlisted.length > 0 ? { unlisted: Object.fromEntries(unlisted) } : {}),
  };
};

/** Adds a device that a read shows but no list names; undefined if it is known, or its gateway is not. */
export const withImplied = (inventory: DeviceInventory, gateway: string, device: string): DeviceInventory | undefined => {
  const siblings = inventory.devices.filter((one) => one.gateway === gateway);
  const [sibling] = siblings;
  if (!sibling || siblings.some((one) => one.device === device)) return undefined;
  const { installation, timeZone, description } = sibling;
  const shared = { ...(timeZone === undefined ? {} : { timeZone }), ...(description === undefined ? {} : { description }) };
  const implied = { installation, gateway, device, roles: [], ...shared, implied: true } as const;
  return { ...inventory, devices: [...inventory.devices, implied] };
};

/** The key of the row beside the devices; no device has it. */
const LISTING_KEY = 'listing';

/** The inventory of an earlier run; undefined where its rows are invalid. */
export const readInventory = (store: Pick<KeyedStore, 'read'>): DeviceInventory | undefined => {
  const rows = store.read();
  const listing = LISTING.safeParse(rows.get(LISTING_KEY)).data;
  return listing && { ...listing, devices: [...rows.values()].flatMap((row) => DEVICE.safeParse(row).data ?? []) };
};

/** Stores the rows that differ from the stored ones. */
export const keepInventory = (store: KeyedStore, { devices, ...listing }: DeviceInventory): void => {
  const kept = store.read();
  // The listing is written last: without it the devices are ignored.
  const rows = new Map<string, object>([...devices.map((device) => [deviceKey(device), device] as const), [LISTING_KEY, listing]]);
  for (const gone of kept.keys()) if (!rows.has(gone)) store.write(gone, undefined);
  for (const [key, row] of rows) if (JSON.stringify(kept.get(key)) !== JSON.stringify(row)) store.write(key, row);
};

const ALL: Choice = { features: ['*'], exclude: [] };

const fits = (device: FoundDevice, { installation, gateway, device: id, model, role }: Choice): boolean =>
  (installation === undefined || installation === device.installation) &&
  (gateway === undefined || matchesAny(device.gateway, [gateway])) &&
  (id === undefined || matchesAny(device.device, [id])) &&
  (model === undefined || matchesAny(device.model ?? '', [model])) &&
  (role === undefined || device.roles.some((one) => matchesAny(one, [role])));

/** The choices that no device fits, or only devices that an earlier choice took. */
export const unfitting = (found: readonly FoundDevice[], choices: readonly Choice[]): readonly Choice[] => {
  const fitting = new Set(found.map((one) => choices.find((choice) => fits(one, choice))));
  return choices.filter((choice) => !fitting.has(choice));
};

/**
 * The devices to read, each by its first fitting choice; all without choices. The first device gets its name.
 */
export const chooseDevices = (found: readonly FoundDevice[], choices: readonly Choice[]): readonly Device[] => {
  const taken = new Set(['bridge']);
  return found.flatMap((one): readonly Device[] => {
    const { installation, gateway, device, model, type, roles } = one;
    const choice = choices.length === 0 ? ALL : choices.find((candidate) => fits(one, candidate));
    if (!choice) return [];
    const name = choice.name !== undefined && !taken.has(choice.name) ? choice.name : `${gateway}-${device}`;
    if (taken.has(name)) return [];
    taken.add(name);
    const { features, exclude } = choice;
    const shown = { ...(model ? { model } : {}), ...(type ? { type } : {}), ...(roles.length > 0 ? { roles } : {}) };
    return [{ name, installation, gateway, device, features, exclude, ...shown }];
  });
};
