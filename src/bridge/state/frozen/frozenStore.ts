import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { factsOf } from '../../../features/frozen/facts.ts';
import { type FrozenState, look, type Stale } from '../../../features/frozen/rules.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { KeyedStore } from '../../ports.ts';
import { type Device, type DeviceState, deviceKey } from '../deviceState.ts';
import type { RunningTotals } from '../runningTotals.ts';

const MAYBE = z.optional(z.number());
const WATCH = z.object({ counted: z.number(), driver: z.number(), grewAt: MAYBE, from: MAYBE, lag: MAYBE });
const STALE = z.object({
  ...{ rule: z.enum(['pulse', 'hours', 'heat', 'tellers']), since: z.number() },
  ...{ features: z.array(z.string()), isSlow: z.boolean() },
});
/** As it comes from disk. */
const KEPT = z.object({
  ...{ steadySince: z.number(), watches: z.record(z.string(), WATCH) },
  ...{ stale: z.optional(STALE), wasStale: z.optional(z.boolean()) },
});

/** `wasStale`: it was at some time. */
type Known = { readonly state: FrozenState; readonly stale?: Stale | undefined; readonly wasStale?: boolean | undefined };

/** What is kept of it. */
const keptOf = (known: Known | undefined) => {
  if (!known) return undefined;
  const { state, stale, wasStale } = known;
  return {
    ...{ steadySince: state.steadySince, watches: state.watches },
    ...(stale ? { stale } : {}),
    ...(wasStale ? { wasStale } : {}),
  };
};

type FrozenEvents = {
  /** Something else stands of the device than before, or nothing. */
  changed: [state: DeviceState];
  /** Hubs are offered more of the device from now on. */
  offered: [state: DeviceState];
  /** A restart of this gateway was accepted for the first time. */
  restartAccepted: [gateway: string];
};

/** What is remembered of each device to know whether its data are frozen, and whether they are. Kept over restarts by the key of the device; with it, of which gateways the platform has ever accepted a restart. */
export class FrozenStore extends EventEmitter<FrozenEvents> {
  readonly #store: KeyedStore;
  readonly #totals: Pick<RunningTotals, 'tellers'>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new Map<string, Known>();
  readonly #restarts: KeyedStore;
  readonly #restartable: Set<string>;

  constructor(store: KeyedStore, restarts: KeyedStore, totals: Pick<RunningTotals, 'tellers'>, clock: Pick<Clock, 'now'>) {
    super();
    this.#store = store;
    this.#totals = totals;
    this.#clock = clock;
    this.#restarts = restarts;
    this.#restartable = new Set(restarts.read().keys());
    for (const [key, value] of store.read()) {
      const kept = KEPT.safeParse(value).data;
      if (kept)
        this.#known.set(key, {
          state: { steadySince: kept.steadySince, watches: kept.watches },
          stale: kept.stale,
          wasStale: kept.wasStale,
        });
    }
  }

  /** What stands of the device since when, by its last good read; undefined where nothing does. */
  of({ device }: DeviceState): Stale | undefined {
    return this.#known.get(deviceKey(device))?.stale;
  }

  /** True while data of the device with this key are frozen. */
  isStale(key: string): boolean {
    return this.#known.get(key)?.stale !== undefined;
  }

  /** True where a restart of the gateway was once accepted: it may be offered. */
  canRestart({ gateway }: Pick<Device, 'gateway'>): boolean {
    return this.#restartable.has(gateway);
  }

  /** The platform has accepted the restart of a gateway. */
  restarted(gateway: string): void {
    this.#restarts.write(gateway, { at: this.#clock.now() });
    if (this.#restartable.has(gateway)) return;
    this.#restartable.add(gateway);
    this.emit('restartAccepted', gateway);
  }

  /** Marks what hubs are offered of the device; `hasButton`: the restart of its gateway is offered there. */
  mark(state: DeviceState, hasButton: boolean): void {
    const wasStale = this.#known.get(deviceKey(state.device))?.wasStale === true;
    const canRestart = hasButton && this.canRestart(state.device);
    if (state.offers.stale === wasStale && state.offers.restart === canRestart) return;
    state.offers = { stale: wasStale, restart: canRestart };
    this.emit('offered', state);
  }

  /** A read of the device has worked, and what it has shown is counted. `midnight`: the last one of the house (epoch milliseconds). */
  read(state: DeviceState, midnight: number): void {
    const key = deviceKey(state.device);
    const before = this.#known.get(key);
    const found = look(before?.state, factsOf(state.truths, this.#totals.tellers(key)), { now: this.#clock.now(), midnight });
    const now = { ...found, wasStale: before?.wasStale === true || found.stale !== undefined };
    this.#known.set(key, now);
    if (!isDeepStrictEqual(keptOf(before), keptOf(now))) this.#store.write(key, keptOf(now));
    if (!isDeepStrictEqual(before?.stale, now.stale)) this.emit('changed', state);
  }

  /** Forgets devices that are gone. */
  removed(devices: readonly Device[]): void {
    for (const key of devices.map(deviceKey)) if (this.#known.delete(key)) this.#store.write(key, undefined);
  }
}
