import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../http/json.ts';
import type { Home, HomeDevice, HomeFeature } from './home.ts';
import { FeatureRecord } from './record.ts';
import { type Wall, wallClock } from './wallClock.ts';

const MINUTE_MS = 60_000;
/** After a longer pause, only this last part is simulated minute by minute. */
const LONGEST_CATCH_UP_MS = 2 * 24 * 60 * MINUTE_MS;

/** A simulation step: `minutes` 1: a minute has passed, 0: applies a change. `at`: epoch ms. */
export type Tick = { readonly at: number; readonly minutes: 0 | 1; readonly wall: Wall };

/** Changes the values of a house: temperatures, programs, meters. */
export type HouseModel = (house: House, tick: Tick) => void;

/** A command's write (also to a hidden property) when it becomes visible; ignored for a removed feature. */
export type Change = { readonly feature: string; readonly property: string; readonly value: Json };

type Pending = { readonly due: number; readonly device: string | undefined; readonly changes: readonly Change[] };

const key = (device: string | undefined, feature: string): string => `${device ?? ''}\n${feature}`;

/** A fixed time per name in the last three days, so that timestamps differ as in recorded devices. */
const earlier = (now: number, name: string): string =>
  new Date(now - (createHash('sha256').update(name).digest().readUInt32BE() % (3 * 24 * 60 * MINUTE_MS))).toISOString();

const allFeatures = (device: HomeDevice): [string, HomeFeature][] => [
  ...Object.entries(device.features),
  ...(device.folders ?? []).map((name): [string, HomeFeature] => [name, {}]),
  ...(device.disabled ?? []).map((name): [string, HomeFeature] => [name, { isEnabled: false }]),
];

/** The state of the house: its records, and command changes that are not visible yet. Times in epoch ms. */
export class House {
  readonly home: Home;
  readonly wall: (epochMs: number) => Wall;
  effectDelayMs: number;
  /** Whether the model changes values; held values stay unchanged. */
  lives: boolean;
  /** Model quantities with more precision than the records. */
  readonly inner = new Map<string, number>();
  readonly #records = new Map<string, FeatureRecord>();
  readonly #byName = new Map<string, FeatureRecord>();
  readonly #model: HouseModel;
  #pending: Pending[] = [];
  readonly #held = new Set<string>();
  readonly #away = new Set<string>();
  /** Disconnected devices; `undefined` is the gateway. */
  readonly #silent = new Set<string | undefined>();
  #simulatedUntil: number;
  /** What freezes, and from when (epoch ms). */
  #freezes: { readonly at: number; readonly device: string; readonly names: RegExp }[] = [];

  constructor(home: Home, now: number, effectDelayMs: number, model: HouseModel) {
    this.home = home;
    this.#model = model;
    this.wall = wallClock(home.timeZone);
    this.effectDelayMs = effectDelayMs;
    this.lives = home.lives ?? false;
    this.#simulatedUntil = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    for (const [name, feature] of Object.entries(home.gatewayFeatures ?? {})) this.#add(undefined, name, feature, now);
    for (const [id, device] of Object.entries(home.devices))
      for (const [name, feature] of allFeatures(device)) this.#add(id, name, feature, now);
    this.#live(this.#simulatedUntil, 0);
  }

  devices(): readonly string[] {
    return Object.keys(this.home.devices).filter((device) => !this.#away.has(device));
  }

  /** Removes a device from the house, or restores it with its state. */
  take(device: string, away: boolean): void {
    if (away) this.#away.add(device);
    else this.#away.delete(device);
  }

  /** Whether the gateway, or the given device, is connected. */
  online(device?: string): boolean {
    return !this.#silent.has(undefined) && !this.#silent.has(device);
  }

  /** Connects or disconnects the gateway, or the given device. */
  connect(device: string | undefined, online: boolean): void {
    if (online) this.#silent.delete(device);
    else this.#silent.add(device);
  }

  /** The record; undefined if it does not exist or was removed. */
  record(device: string | undefined, feature: string): FeatureRecord | undefined {
    const record = this.#records.get(key(device, feature));
    return record?.presence === 'removed' ? undefined : record;
  }

  /** The record, even if removed, so that it can be restored. */
  everRecord(device: string | undefined, feature: string): FeatureRecord | undefined {
    return this.#records.get(key(device, feature));
  }

  records(device: string | undefined): readonly FeatureRecord[] {
    return [...this.#records.values()].filter((record) => record.device === device && record.presence !== 'removed');
  }

  /** The first record with this name on any device. */
  find(feature: string): FeatureRecord | undefined {
    const record = this.#byName.get(feature);
    return record?.presence === 'removed' ? undefined : record;
  }

  /** Advances the house to `now`: simulates the minutes since the last call and applies due changes. */
  advance(now: number): void {
    this.#simulatedUntil = Math.max(this.#simulatedUntil, now - LONGEST_CATCH_UP_MS);
    let next = Math.floor(this.#simulatedUntil / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    for (; next <= now; next += MINUTE_MS) {
      this.#freezeDue(next);
      this.#settle(next);
      this.#live(next, 1);
      this.#simulatedUntil = next;
    }
    this.#settle(now);
    this.#freezeDue(now);
  }

  /** Freezes the device's records with these names from `at` on. */
  freeze(device: string, names: RegExp, at: number): void {
    this.#freezes.push({ at, device, names });
  }

  /** Ends all freezes, as a gateway restart does. */
  thaw(): void {
    this.#freezes = [];
    for (const record of this.#records.values()) record.thaw();
  }

  /** Adds the changes of a command; they become visible after `effectDelayMs`, at once if it is 0. */
  effect(device: string | undefined, changes: readonly Change[], now: number): void {
    this.#pending.push({ due: now + this.effectDelayMs, device, changes });
    if (this.effectDelayMs === 0) this.#settle(now);
  }

  /** Writes a value if it differs; only then the record gets a new timestamp. */
  put(record: FeatureRecord, property: string, value: Json | undefined, at: number): void {
    if (!isDeepStrictEqual(record.value(property), value)) record.write(property, value, at);
  }

  /** Marks a value set by the control path: the model no longer changes it. */
  hold(record: FeatureRecord, property: string): void {
    this.#held.add(`${key(record.device, record.name)}\n${property}`);
  }

  holds(record: FeatureRecord, property: string): boolean {
    return this.#held.has(`${key(record.device, record.name)}\n${property}`);
  }

  release(): void {
    this.#held.clear();
  }

  #add(device: string | undefined, name: string, feature: HomeFeature, now: number): void {
    const record = new FeatureRecord(name, feature, { gateway: this.home.gateway, device }, earlier(now, name));
    this.#records.set(key(device, name), record);
    if (!this.#byName.has(name)) this.#byName.set(name, record);
  }

  #freezeDue(now: number): void {
    for (const { at, device, names } of this.#freezes)
      if (at <= now) for (const record of this.records(device)) if (names.test(record.name)) record.freeze();
  }

  #settle(now: number): void {
    const due = this.#pending.filter((pending) => pending.due <= now);
    if (due.length === 0) return;
    this.#pending = this.#pending.filter((pending) => pending.due > now);
    for (const { due: at, device, changes } of due) {
      for (const { feature, property, value } of changes) {
        const record = this.record(device, feature);
        if (record) this.put(record, property, value, at);
      }
      this.#live(at, 0);
    }
  }

  #live(at: number, minutes: 0 | 1): void {
    if (this.lives) this.#model(this, { at, minutes, wall: this.wall(at) });
  }
}
