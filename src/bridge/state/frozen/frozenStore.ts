import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { factsOf } from '../../../features/frozen/facts.ts';
import { FROZEN_STATE, look, type Moment, STALE, type Stale } from '../../../features/frozen/rules.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { CallFailure, KeyedStore } from '../../ports.ts';
import { type Device, type DeviceState, deviceKey } from '../deviceState.ts';
import { keptValues, keyedRows } from '../keptValues.ts';
import type { RunningTotals } from '../runningTotals.ts';

/** As stored. */
const TOLD = z.object({ stale: z.optional(STALE) });
const MOMENT = z.object({ at: z.number() });

/** Devices that have or had frozen data, by key; `rows`: the rows of the table. */
export const toldFrozen = (rows: ReadonlyMap<string, unknown>) => keyedRows(rows, TOLD, 'device ');

type FrozenEvents = {
  /** The frozen data of the device have changed. */
  changed: [state: DeviceState];
  /** Hubs are offered more of the device from now on. */
  offered: [state: DeviceState];
  /** The platform answered the restart of this gateway; without a failure it was accepted. */
  restartAnswered: [gateway: string, failure?: CallFailure];
  /** A restart of this gateway was accepted for the first time. */
  restartAccepted: [gateway: string];
};

/** Stores over restarts: `states` by device key; `told`: rows `device <key>` and `restart <gateway>`. */
type FrozenStores = {
  /** After a kill it may lack the last half hour; the next reads restore it. */
  readonly states: KeyedStore;
  readonly told: KeyedStore;
};

/** Keeps the state that detects frozen data, the devices that have or had them, and accepted restarts. */
export const frozenStore = (
  stores: FrozenStores,
  totals: Pick<RunningTotals, 'tellers'>,
  clock: Pick<Clock, 'now'>,
  mayRestart = false,
) => {
  const events = new EventEmitter<FrozenEvents>();
  const states = keptValues(stores.states, FROZEN_STATE);
  const rows = stores.told.read();
  /** Devices that have or had frozen data, by key. */
  const told = keptValues(stores.told, TOLD, 'device ', rows);
  /** By gateway: when its restart was last accepted. */
  const restarted = keptValues(stores.told, MOMENT, 'restart ', rows);

  /** The frozen data of the device with this key, by its last good read; undefined where there are none. */
  const of = (key: string): Stale | undefined => told.all.get(key)?.stale;

  /** True where a restart of the gateway was once accepted: it may be offered. */
  const canRestart = ({ gateway }: Pick<Device, 'gateway'>): boolean => mayRestart && restarted.all.has(gateway);

  /** When a restart of the gateway was last accepted, by any run (epoch milliseconds). */
  const restartedAt = (gateway: string): number | undefined => restarted.all.get(gateway)?.at;

  /** The platform has answered the restart of a gateway; without a failure it was accepted. */
  const restartAnswered = (gateway: string, failure?: CallFailure): void => {
    events.emit('restartAnswered', gateway, failure);
    if (failure) return;
    const isFirst = !restarted.all.has(gateway);
    restarted.put(gateway, { at: clock.now() });
    if (isFirst) events.emit('restartAccepted', gateway);
  };

  /** Sets what hubs are offered; `hasButton`: true where the restart of its gateway is offered there. */
  const mark = (state: DeviceState, hasButton: (state: DeviceState) => boolean): void => {
    const wasStale = told.all.has(deviceKey(state.device));
    const restart = canRestart(state.device) && hasButton(state);
    if (state.offers.stale === wasStale && state.offers.restart === restart) return;
    state.offers = { stale: wasStale, restart };
    events.emit('offered', state);
  };

  /** Checks a device after a read that worked and whose values are counted. */
  const read = (state: DeviceState, moment: Moment): void => {
    const key = deviceKey(state.device);
    const found = look(states.all.get(key), factsOf(state.truths, totals.tellers(key), moment.now), moment);
    states.put(key, found.state);
    const { stale } = found;
    if (isDeepStrictEqual(of(key), stale)) return;
    told.put(key, stale ? { stale } : {});
    events.emit('changed', state);
  };

  /** Forgets devices that are gone. */
  const removed = (devices: readonly Device[]): void => {
    for (const key of devices.map(deviceKey)) {
      states.put(key, undefined);
      told.put(key, undefined);
    }
  };

  return Object.assign(events, { of, canRestart, restartedAt, restartAnswered, mark, read, removed });
};

export type FrozenStore = ReturnType<typeof frozenStore>;
