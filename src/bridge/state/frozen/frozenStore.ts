import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { factsOf } from '../../../features/frozen/facts.ts';
import { type FrozenState, look, type Moment, type Stale } from '../../../features/frozen/rules.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { CallFailure, KeyedStore } from '../../ports.ts';
import { type Device, type DeviceState, deviceKey } from '../deviceState.ts';
import type { RunningTotals } from '../runningTotals.ts';

const MAYBE = z.optional(z.number());
const WATCH = z.object({ counted: z.number(), driver: z.number(), grewAt: MAYBE, from: MAYBE, lag: MAYBE });
const STALE = z.object({
  ...{ rule: z.enum(['pulse', 'hours', 'heat', 'tellers']), since: z.number() },
  ...{ features: z.array(z.string()), isSlow: z.boolean() },
});
/** As they come from disk. */
const STATE = z.object({ steadySince: z.number(), watches: z.record(z.string(), WATCH) });
const TOLD = z.object({ stale: z.optional(STALE) });
const ASKED = z.object({ at: z.number() });

type FrozenEvents = {
  /** Something else stands of the device than before, or nothing. */
  changed: [state: DeviceState];
  /** Hubs are offered more of the device from now on. */
  offered: [state: DeviceState];
  /** The platform has answered to the restart of this gateway; without a failure it was accepted. */
  restartAnswered: [gateway: string, failure?: CallFailure];
  /** A restart of this gateway was accepted for the first time. */
  restartAccepted: [gateway: string];
};

/** Where it is kept over restarts: what is remembered of each device by its key, and rows `device <key>`, `asked <gateway>` and `restart <gateway>`. */
type FrozenStores = {
  /** May lack the last half hour after a kill: the next reads make it anew. */
  readonly states: KeyedStore;
  readonly told: KeyedStore;
};

/** What is remembered of each device to know whether its data are frozen; whether they are, or ever were; and of which gateways the platform has ever accepted a restart. */
export class FrozenStore extends EventEmitter<FrozenEvents> {
  readonly #stores: FrozenStores;
  readonly #totals: Pick<RunningTotals, 'tellers'>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #mayRestart: boolean;
  readonly #states = new Map<string, FrozenState>();
  /** What stands of the devices of which something ever did, by their keys. */
  readonly #told = new Map<string, Stale | undefined>();
  readonly #restartable = new Set<string>();
  readonly #askedAt = new Map<string, number>();

  /** `mayRestart`: the paths of the platform have a restart of gateways, and the settings allow it. */
  constructor(stores: FrozenStores, totals: Pick<RunningTotals, 'tellers'>, clock: Pick<Clock, 'now'>, mayRestart = false) {
    super();
    this.#mayRestart = mayRestart;
    this.#stores = stores;
    this.#totals = totals;
    this.#clock = clock;
    for (const [key, value] of stores.states.read()) {
      const state = STATE.safeParse(value).data;
      if (state) this.#states.set(key, state);
    }
    for (const [row, value] of stores.told.read()) {
      const [kind, key = ''] = row.split(' ');
      const [told, asked] = [TOLD.safeParse(value).data, ASKED.safeParse(value).data];
      if (kind === 'restart') this.#restartable.add(key);
      else if (kind === 'asked') this.#askedAt.set(key, asked?.at ?? 0);
      else if (told) {
        const { stale } = told;
        this.#told.set(key, stale);
        const state = this.#states.get(key);
        // What was told of the whole device stands until a record is new: it is not told anew.
        if (state && stale?.rule === 'pulse') this.#states.set(key, { ...state, newest: stale.since, lateAt: stale.since });
      }
    }
  }

  /** What stands of the device with this key since when, by its last good read; undefined where nothing does. */
  of(key: string): Stale | undefined {
    return this.#told.get(key);
  }

  /** True where a restart of the gateway was once accepted: it may be offered. */
  canRestart({ gateway }: Pick<Device, 'gateway'>): boolean {
    return this.#mayRestart && this.#restartable.has(gateway);
  }

  /** When the restart of a gateway was last asked for, by whatever run (epoch milliseconds). */
  restartAskedAt(gateway: string): number | undefined {
    return this.#askedAt.get(gateway);
  }

  /** The restart of a gateway is asked for now; kept before the call, which a restart of the bridge must not repeat. */
  restartAsked(gateway: string): void {
    const at = this.#clock.now();
    this.#askedAt.set(gateway, at);
    this.#stores.told.write(`asked ${gateway}`, { at });
  }

  /** The platform has answered to the restart of a gateway; without a failure it was accepted. */
  restartAnswered(gateway: string, failure?: CallFailure): void {
    this.emit('restartAnswered', gateway, failure);
    if (failure) return;
    this.#stores.told.write(`restart ${gateway}`, { at: this.#clock.now() });
    if (this.#restartable.has(gateway)) return;
    this.#restartable.add(gateway);
    this.emit('restartAccepted', gateway);
  }

  /** Marks what hubs are offered of the device; `hasButton`: the restart of its gateway is offered there. */
  mark(state: DeviceState, hasButton: boolean): void {
    const wasStale = this.#told.has(deviceKey(state.device));
    const canRestart = hasButton && this.canRestart(state.device);
    if (state.offers.stale === wasStale && state.offers.restart === canRestart) return;
    state.offers = { stale: wasStale, restart: canRestart };
    this.emit('offered', state);
  }

  /** A read of the device has worked, and what it has shown is counted. */
  read(state: DeviceState, moment: Moment): void {
    const key = deviceKey(state.device);
    const before = this.#states.get(key);
    const found = look(before, factsOf(state.truths, this.#totals.tellers(key), moment.now), moment);
    this.#states.set(key, found.state);
    // The rest is known from the records.
    const { steadySince, watches } = found.state;
    if (before?.steadySince !== steadySince || !isDeepStrictEqual(before.watches, watches))
      this.#stores.states.write(key, { steadySince, watches });
    const { stale } = found;
    if (isDeepStrictEqual(this.of(key), stale)) return;
    this.#told.set(key, stale);
    this.#stores.told.write(`device ${key}`, stale ? { stale } : {});
    this.emit('changed', state);
  }

  /** Forgets devices that are gone. */
  removed(devices: readonly Device[]): void {
    for (const key of devices.map(deviceKey)) {
      if (this.#states.delete(key)) this.#stores.states.write(key, undefined);
      if (this.#told.delete(key)) this.#stores.told.write(`device ${key}`, undefined);
    }
  }
}
