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
const KEPT = z.object({ steadySince: z.number(), watches: z.record(z.string(), WATCH), stale: z.optional(STALE) });

type Known = { readonly state: FrozenState; readonly stale?: Stale | undefined };

/** What is remembered of each device to know whether its data are frozen, and whether they are. Kept over restarts by the key of the device. */
export class FrozenStore extends EventEmitter<{ changed: [state: DeviceState] }> {
  readonly #store: KeyedStore;
  readonly #totals: Pick<RunningTotals, 'tellers'>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #known = new Map<string, Known>();

  constructor(store: KeyedStore, totals: Pick<RunningTotals, 'tellers'>, clock: Pick<Clock, 'now'>) {
    super();
    this.#store = store;
    this.#totals = totals;
    this.#clock = clock;
    for (const [key, value] of store.read()) {
      const kept = KEPT.safeParse(value).data;
      if (kept) this.#known.set(key, { state: { steadySince: kept.steadySince, watches: kept.watches }, stale: kept.stale });
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

  /** A read of the device has worked, and what it has shown is counted. `midnight`: the last one of the house (epoch milliseconds). */
  read(state: DeviceState, midnight: number): void {
    const key = deviceKey(state.device);
    const before = this.#known.get(key);
    const now = look(before?.state, factsOf(state.truths, this.#totals.tellers(key)), { now: this.#clock.now(), midnight });
    this.#known.set(key, now);
    const kept = (known: Known | undefined) =>
      known && { steadySince: known.state.steadySince, watches: known.state.watches, stale: known.stale };
    if (!isDeepStrictEqual(kept(before), kept(now))) this.#store.write(key, kept(now));
    if (!isDeepStrictEqual(before?.stale, now.stale)) this.emit('changed', state);
  }

  /** Forgets devices that are gone. */
  removed(devices: readonly Device[]): void {
    for (const key of devices.map(deviceKey)) if (this.#known.delete(key)) this.#store.write(key, undefined);
  }
}
