import { createHash } from 'node:crypto';
import { type Json, same } from '../http/json.ts';
import type { Home, HomeDevice, HomeFeature } from './home.ts';
import { FeatureRecord } from './record.ts';
import { type Wall, wallClock } from './wallClock.ts';

const MINUTE_MS = 60_000;
/** A longer absence is not lived through minute by minute: the house wakes up this long before now. */
const LONGEST_CATCH_UP_MS = 2 * 24 * 60 * MINUTE_MS;

/** A moment of the house: `minutes` is 1 for a minute that has passed, 0 where only what follows from the state is shown. `at` in epoch ms. */
export type Tick = { readonly at: number; readonly minutes: 0 | 1; readonly wall: Wall };

/** Moves the values of a house: temperatures, programs, meters. */
export type HouseModel = (house: House, tick: Tick) => void;

/** An effect of a command on the house, applied when it becomes visible. */
export type Change = { readonly apply: (house: House, device: string | undefined, at: number) => void };

type Pending = { readonly due: number; readonly device: string | undefined; readonly changes: readonly Change[] };

const key = (device: string | undefined, feature: string): string => `${device ?? ''}\n${feature}`;

/** Some moment of the three days before, always the same for one name, so that timestamps differ as they do in the field. */
const earlier = (now: number, name: string): string =>
  new Date(now - (createHash('sha256').update(name).digest().readUInt32BE() % (3 * 24 * 60 * MINUTE_MS))).toISOString();

const allFeatures = (device: HomeDevice): [string, HomeFeature][] => [
  ...Object.entries(device.features),
  ...(device.folders ?? []).map((name): [string, HomeFeature] => [name, {}]),
  ...(device.disabled ?? []).map((name): [string, HomeFeature] => [name, { isEnabled: false }]),
];

/** The state of the house: all its records, what moves them, and what commands have changed but is not shown yet. Times in epoch ms. */
export class House {
  readonly home: Home;
  readonly wall: (epochMs: number) => Wall;
  effectDelayMs: number;
  /** Whether it moves by itself; held values never do. */
  lives: boolean;
  /** What the models of the house know more exactly than the records show. */
  readonly inner = new Map<string, number>();
  readonly #records = new Map<string, FeatureRecord>();
  readonly #byName = new Map<string, FeatureRecord>();
  readonly #model: HouseModel;
  #pending: Pending[] = [];
  readonly #held = new Set<string>();
  readonly #away = new Set<string>();
  /** Devices that don't answer; `undefined` stands for the gateway. */
  readonly #silent = new Set<string | undefined>();
  #livedUntil: number;

  constructor(home: Home, now: number, effectDelayMs: number, model: HouseModel) {
    this.home = home;
    this.#model = model;
    this.wall = wallClock(home.timeZone);
    this.effectDelayMs = effectDelayMs;
    this.lives = home.lives ?? false;
    this.#livedUntil = Math.floor(now / MINUTE_MS) * MINUTE_MS;
    for (const [name, feature] of Object.entries(home.gatewayFeatures ?? {})) this.add(undefined, name, feature, now);
    for (const [id, device] of Object.entries(home.devices))
      for (const [name, feature] of allFeatures(device)) this.add(id, name, feature, now);
    this.#live(this.#livedUntil, 0);
  }

  devices(): readonly string[] {
    return Object.keys(this.home.devices).filter((device) => !this.#away.has(device));
  }

  /** Takes a device out of the house, or brings it back as it was. */
  take(device: string, away: boolean): void {
    if (away) this.#away.add(device);
    else this.#away.delete(device);
  }

  /** Whether the gateway, or else a device behind it, can be reached. */
  online(device?: string): boolean {
    return !this.#silent.has(undefined) && !this.#silent.has(device);
  }

  /** Takes the gateway, or else a device behind it, off the net or brings it back. */
  connect(device: string | undefined, online: boolean): void {
    if (online) this.#silent.delete(device);
    else this.#silent.add(device);
  }

  add(device: string | undefined, name: string, feature: HomeFeature, now: number): void {
    const ids = { gateway: this.home.gateway, device, uriBase: this.home.uriBase ?? '' };
    const record = new FeatureRecord(name, feature, ids, earlier(now, name));
    this.#records.set(key(device, name), record);
    if (this.#byName.get(name)?.device === device || !this.#byName.has(name)) this.#byName.set(name, record);
  }

  /** The record, or undefined where the platform has none (or none any more). */
  record(device: string | undefined, feature: string): FeatureRecord | undefined {
    const record = this.#records.get(key(device, feature));
    return record?.presence === 'removed' ? undefined : record;
  }

  /** Also a record that was removed, to bring it back. */
  everRecord(device: string | undefined, feature: string): FeatureRecord | undefined {
    return this.#records.get(key(device, feature));
  }

  records(device: string | undefined): readonly FeatureRecord[] {
    return [...this.#records.values()].filter((record) => record.device === device && record.presence !== 'removed');
  }

  /** The first record of that name, whichever device has it. */
  find(feature: string): FeatureRecord | undefined {
    const record = this.#byName.get(feature);
    return record?.presence === 'removed' ? undefined : record;
  }

  /** Brings the house to `now`: lives through the minutes since the last time, and shows what has become due. */
  advance(now: number): void {
    this.#livedUntil = Math.max(this.#livedUntil, now - LONGEST_CATCH_UP_MS);
    let next = Math.floor(this.#livedUntil / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
    for (; next <= now; next += MINUTE_MS) {
      this.#settle(next);
      this.#live(next, 1);
      this.#livedUntil = next;
    }
    this.#settle(now);
  }

  /** What a command has changed; shown `effectDelayMs` later, at once when that is 0. */
  effect(device: string | undefined, changes: readonly Change[], now: number): void {
    this.#pending.push({ due: now + this.effectDelayMs, device, changes });
    if (this.effectDelayMs === 0) this.#settle(now);
  }

  /** Writes a value where it differs; only then the record gets a new timestamp. */
  put(record: FeatureRecord, property: string, value: Json | undefined, at: number): void {
    if (!same(record.value(property), value)) record.write(property, value, at);
  }

  /** A value set from outside, which the house no longer moves by itself. */
  hold(record: FeatureRecord, property: string): void {
    this.#held.add(`${key(record.device, record.name)}\n${property}`);
  }

  holds(record: FeatureRecord, property: string): boolean {
    return this.#held.has(`${key(record.device, record.name)}\n${property}`);
  }

  release(): void {
    this.#held.clear();
  }

  #settle(now: number): void {
    const due = this.#pending.filter((pending) => pending.due <= now);
    if (due.length === 0) return;
    this.#pending = this.#pending.filter((pending) => pending.due > now);
    for (const { due: at, device, changes } of due) {
      for (const change of changes) change.apply(this, device, at);
      this.#live(at, 0);
    }
  }

  #live(at: number, minutes: 0 | 1): void {
    if (this.lives) this.#model(this, { at, minutes, wall: this.wall(at) });
  }
}
