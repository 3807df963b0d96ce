import * as z from 'zod/mini';
import type { Clock } from '../../shared/clock.ts';
import type { CallFailure, KeyedStore, Target } from '../ports.ts';
import { type Device, deviceKey } from '../state/deviceState.ts';
import { keptValues } from '../state/keptValues.ts';
import { readKey } from '../state/readTarget.ts';

/** As read from disk; epoch milliseconds. */
const KEPT = z.object({
  eventsOf: z.optional(z.string()),
  gateway: z.optional(z.string()),
  device: z.optional(z.string()),
  feature: z.optional(z.string()),
  command: z.optional(z.string()),
  since: z.number(),
  last: z.number(),
});
/**
 * A read or command. Without `device`: the whole gateway; without `feature`: the whole device; with
 * `command`: not the feature's read. `eventsOf` alone: the events of an installation.
 */
type Place = Readonly<Omit<z.infer<typeof KEPT>, 'since' | 'last'>>;
const LIMIT = z.object({ per_day: z.int().check(z.positive()) });

/** The key of the daily call limit, which a refusal (429) reported. */
const LIMIT_KEY = 'calls_per_day';
/** Refusals above this number are not reported. */
const MOST = 500;

/**
 * Calls that the platform refuses to this account with 402 (`not_paid`), depending on its plan and age. Known
 * only from failed calls, kept over restarts, and forgotten when the same call works.
 */
export const accountRefusals = (store: KeyedStore, clock: Pick<Clock, 'now'>) => {
  const rows = store.read();
  const { all: known, put } = keptValues(store, KEPT, '', rows);
  const limit = keptValues(store, LIMIT, LIMIT_KEY, rows);
  let listRefusedMs: number | undefined;

  const learnPerDay = (calls: number): void => limit.put('', { per_day: calls });

  /** Records the result of a call; without a failure it worked. True if the refusal is new or over. */
  const ended = ({ eventsOf, gateway, device, feature, command }: Place, failure?: CallFailure): boolean => {
    const place = { eventsOf, gateway, device, feature, command };
    const key = keyOf(place);
    const before = known.get(key);
    if (failure && (failure.code !== 'not_paid' || (!before && known.size >= MOST))) return false;
    if (!failure && !before) return false;
    const now = clock.now();
    const refusal = failure && { ...place, since: before?.since ?? now, last: now };
    put(key, refusal);
    return refusal === undefined || before === undefined;
  };

  /** Records the result of a list request; without a failure it worked. True if its refusal began or ended */
  const listed = (failure?: CallFailure): boolean => {
    const wasRefused = listRefusedMs !== undefined;
    listRefusedMs = failure?.code === 'not_paid' ? (listRefusedMs ?? clock.now()) : undefined;
    return wasRefused !== (listRefusedMs !== undefined);
  };

  /** Since when (epoch milliseconds) all of these reads are refused; undefined if one is not. */
  const allSince = (reads: readonly { readonly target: Target }[]): number | undefined => {
    const all = reads.map(({ target }) => known.get(keyOf(target))?.since);
    if (reads.length === 0) return listRefusedMs;
    return all.includes(undefined) ? undefined : Math.min(...all.map((since) => since ?? 0));
  };

  /** True if all data of this device are refused. */
  const refusesDevice = ({ gateway, device }: Device): boolean => known.has(keyOf({ gateway, device }));

  /** The refusals for these devices and their gateways. */
  const report = (devices: readonly Device[]) => {
    const names = new Map(devices.map((device) => [deviceKey(device), device.name]));
    const places = new Set(devices.flatMap(({ installation, gateway }) => [`installation ${installation}`, `gateway ${gateway}`]));
    return [...known.values()].flatMap(({ eventsOf, gateway = '', device, since, last, ...rest }) => {
      const name = device === undefined ? undefined : names.get(deviceKey({ gateway, device }));
      const isHere = device === undefined ? places.has(eventsOf ? `installation ${eventsOf}` : `gateway ${gateway}`) : name;
      if (!isHere) return [];
      const where = eventsOf ? { installation: eventsOf } : { gateway, ...(name === undefined ? {} : { device: name }) };
      return [{ ...where, ...rest, since: instant(since), last: instant(last) }];
    });
  };

  return {
    /** The account's daily call limit, as reported by the platform; undefined if not reported. */
    get perDay() {
      return limit.all.get('')?.per_day;
    },
    ...{ learnPerDay, ended, listed, allSince, refusesDevice, report },
  };
};

/** True if these stored rows contain a refused read of a device. */
export const refusesReads = (rows: ReadonlyMap<string, unknown>): boolean =>
  [...rows.values()].some((row) => {
    const { data } = KEPT.safeParse(row);
    return data?.device !== undefined && data.command === undefined;
  });

const keyOf = ({ eventsOf, command, ...target }: Place): string =>
  eventsOf === undefined ? `${readKey(target)}${command === undefined ? '' : ` ${command}`}` : `events ${eventsOf}`;

const instant = (ms: number): string => new Date(ms).toISOString();
