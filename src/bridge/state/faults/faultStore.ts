import { EventEmitter } from 'node:events';
import * as z from 'zod/mini';
import { FAULT_EVENT, type FaultEvent } from '../../../features/faults/faultEvent.ts';
import { FAULT_KINDS, type FaultKind, isProblem } from '../../../features/faults/faultKind.ts';
import { listEnds, listedAt, newEntries, seen } from '../../../features/faults/listChanges.ts';
import { differences, isActive, type Life, livesOf, momentOf } from '../../../features/faults/lives.ts';
import { messageListOf } from '../../../features/faults/messageList.ts';
import type { Feature } from '../../../features/feature.ts';
import { type Clock, DAY_MS } from '../../../shared/clock.ts';
import type { CallFailure, KeyedStore } from '../../ports.ts';
import { type Device, type DeviceState, deviceKey } from '../deviceState.ts';
import { keptValues, keyedRows } from '../keptValues.ts';

/** How long events are kept; state events, which come by the dozen a day, only for a month. */
const KEPT_MS = 365 * DAY_MS;
const STATES_KEPT_MS = 30 * DAY_MS;
/** Maximum number of events per device; state events are dropped first, then the oldest. */
const MOST_KEPT = 5000;
/** After a longer pause, events are taken over as past, as at the first start. */
const SILENT_AFTER_MS = 7 * DAY_MS;
/** No earlier time is right. */
const PROGRAM_MS = Date.UTC(2026, 0);

const EVENT = z.omit(FAULT_EVENT, { key: true });
const KNOWN = z.object({ name: z.string(), tells: z.boolean() });
/** The last read of an installation's events that worked, and the failure since then (epoch milliseconds). */
const READ = z.object({
  at: z.optional(z.number()),
  failed: z.optional(z.object({ code: z.string(), since: z.number() })),
});
export type EventsRead = Readonly<z.infer<typeof READ>>;

type FaultStoreEvents = {
  /** The active faults of this device have changed. */
  changed: [state: DeviceState];
  /** A fault, warning or service message began or ended. The device may be gone. */
  event: [device: Device, what: 'began' | 'ended', life: Life];
  /** A list of the device has a new entry. */
  entryAdded: [state: DeviceState];
  /** The events of an installation were read, or could not be. */
  eventsRead: [installation: string, failure?: CallFailure];
  /** The device has sent its first message: hubs are offered its faults from now on. */
  tells: [state: DeviceState];
};

/** The faults of a device. */
export type DeviceFaults = {
  /** The most severe first; each code once. */
  readonly active: readonly Life[];
  /** The fault or warning that began last. */
  readonly last?: Life;
  /**
   * False for a device that has never reported a fault or the absence of one: its empty list proves nothing.
   */
  readonly tells: boolean;
  /** Set while the events cannot be read: their last read (epoch milliseconds), or null for never. */
  readonly readAt?: number | null;
  /** With `readAt`: the code of the failure. */
  readonly failed?: string;
};

/**
 * The events of a year, and the lives made of them. Rows: `event <key>`, `device <device key>`, `read
 * <installation>`. `readsEvents`: false where the settings disable events. A fault known only from events
 * then ends at their last read, as its end would never be seen.
 */
export const faultStore = (store: KeyedStore, states: ReadonlyMap<string, DeviceState>, clock: Pick<Clock, 'now'>, readsEvents = true) => {
  const emitter = new EventEmitter<FaultStoreEvents>();
  /** By device key, then by event key. */
  const allEvents = new Map<string, Map<string, FaultEvent>>();
  const allLives = new Map<string, readonly Life[]>();
  const rows = store.read();
  const allKnown = keptValues(store, KNOWN, 'device ', rows);
  const readTimes = keptValues(store, READ, 'read ', rows);

  /** The present faults of the device. */
  const of = ({ device }: DeviceState): DeviceFaults => {
    const key = deviceKey(device);
    const lives = allLives.get(key) ?? [];
    const byCode = new Map<string, Life>();
    // The oldest last: of two open lives of a code the first counts.
    for (const life of lives) if (isActive(life)) byCode.set(life.code, life);
    const active = [...byCode.values()].sort((a, b) => FAULT_KINDS.indexOf(a.kind) - FAULT_KINDS.indexOf(b.kind));
    const last = lives.find(({ kind, since }) => isProblem(kind) && since !== undefined);
    const { at = null, failed } = (readsEvents && lastRead(device.installation)) || {};
    const told = failed ? { readAt: at, failed: failed.code } : {};
    return { active, tells: allKnown.all.get(key)?.tells ?? false, ...(last ? { last } : {}), ...told };
  };

  /** Every device ever read, with its lives that ended after `afterMs` or are open; newest first. */
  const devices = (afterMs: number): readonly (z.infer<typeof KNOWN> & { readonly key: string; readonly lives: readonly Life[] })[] => {
    const isNew = (life: Life): boolean => isActive(life) || (life.until ?? momentOf(life)) >= afterMs;
    return [...allKnown.all].map(([key, known]) => ({ key, ...known, lives: (allLives.get(key) ?? []).filter(isNew) }));
  };

  /** When the events of an installation were last read, by any run; a clock ahead may have kept a future time. */
  const readAt = (installation: string): number | undefined => {
    const at = lastRead(installation)?.at;
    return at === undefined ? undefined : Math.min(at, clock.now());
  };
  const lastRead = (installation: string): EventsRead | undefined => readTimes.all.get(installation);

  /** Takes the lists of a device that a read has shown. */
  const learnFeatures = (state: DeviceState, features: readonly Feature[]): void => {
    const key = deviceKey(state.device);
    const isFirst = !allKnown.all.has(key);
    const changed = listsOf(features);
    const open = changed.length > 0 ? openLists(state) : [];
    // A list of maintenance, or the state of one part, says nothing of other faults while it is empty.
    const tells = open.some(({ list: { isComplete, entries } }) => isComplete || entries.length > 0);
    note(state, tells);
    for (const { feature, list } of changed) {
      const events = newEntries(state.device, feature, list, eventsOf(key), clock.now());
      if (!isFirst && events.some(({ active }) => active !== false)) emitter.emit('entryAdded', state);
      learn(events, isFirst);
    }
    const times = changed.flatMap(({ feature, list }) => (list.isOpen ? listedAt(feature, clock.now()) : []));
    if (times.length > 0) endUnlisted(state, open, Math.max(...times), isFirst);
  };

  /** Ends what no list has any more: a code that one list has lost may still be in another one. */
  const endUnlisted = (state: DeviceState, open: ReturnType<typeof openLists>, at: number, isSilent: boolean): void => {
    const listed = new Set(open.flatMap(({ list }) => list.entries.map(({ code }) => code)));
    const names = open.map(({ feature }) => feature.name);
    learn(listEnds(state.device, names, listed, eventsOf(deviceKey(state.device)), at), isSilent);
  };

  /** Ends what the lists of these features held: the platform no longer has them. What another list has begins there. */
  const featuresGone = (state: DeviceState, names: readonly string[]): void => {
    const [known, at] = [eventsOf(deviceKey(state.device)), clock.now()];
    learn(listEnds(state.device, names, new Set(), known, at), false);
    const open = openLists(state);
    for (const { feature, list } of open) learn(newEntries(state.device, feature, list, known, at + 1), false);
    endUnlisted(state, open, at + 1, false);
  };

  /**
   * Takes events of an installation; those of unread devices are left out. Where they do not reach back to
   * the last read (`isWhole`), faults known only from events end at that read: their end may be among the
   * missing events.
   */
  const learnEvents = (installation: string, events: readonly FaultEvent[], isWhole = true): void => {
    const at = readAt(installation);
    const isSilent = at === undefined || clock.now() - at > SILENT_AFTER_MS;
    const ours = events.flatMap((event) => {
      const state = stateOf(event);
      if (!state || state.device.installation !== installation) return [];
      return [{ state, event: { ...event, device: state.device.device } }];
    });
    for (const { state, event } of ours) if (event.kind !== 'connection' && event.kind !== 'other') note(state, true);
    learn(
      ours.map(({ event }) => event),
      isSilent,
    );
    if (isWhole || at === undefined) return;
    for (const { device } of states.values()) {
      const known = eventsOf(deviceKey(device));
      const isUnseen = (life: Life): boolean => !isListed(life, known) && momentOf(life) < at;
      if (device.installation === installation) end(device, at, isUnseen, isSilent);
    }
  };

  /** Handles the end of one read of an installation's events. */
  const eventsRead = (installation: string, failure?: CallFailure): void => {
    const { at, failed } = lastRead(installation) ?? {};
    const isChange = readsEvents && failure?.code !== failed?.code;
    // A machine without a clock battery starts in 1970: the failure is neither older than the last read nor than this program.
    const since = failed && failed.since >= (readAt(installation) ?? PROGRAM_MS) ? failed.since : clock.now();
    readTimes.put(installation, failure ? { at, failed: { code: failure.code, since } } : { at: clock.now() });
    emitter.emit('eventsRead', installation, failure);
    if (isChange) for (const state of states.values()) if (state.device.installation === installation) emitter.emit('changed', state);
  };

  /** Ends the faults of devices that are gone. */
  const removed = (devices: readonly Device[]): void => {
    const at = clock.now();
    for (const device of devices) end(device, at, () => true, false);
  };

  /** Ends the active lives of a device that `isMeant` selects, at `at`. */
  const end = (device: Device, at: number, isMeant: (life: Life) => boolean, isSilent: boolean): void => {
    const known = eventsOf(deviceKey(device));
    const open = (allLives.get(deviceKey(device)) ?? []).filter((life) => life.until === undefined && isMeant(life));
    const ends = open.flatMap(({ code, kind, begins }) =>
      [...new Set(begins.flatMap((begin) => known.get(begin)?.from ?? []))].map((from) =>
        seen(device, { code, kind, from, at, active: false }, `gone ${at}`),
      ),
    );
    learn(ends, isSilent, device);
  };

  /** Remembers the device, and that it has reported its faults if `tells`. */
  const note = (state: DeviceState, tells: boolean): void => {
    const key = deviceKey(state.device);
    const before = allKnown.all.get(key);
    const known = { name: state.device.name, tells: tells || before?.tells === true };
    state.tellsFaults = known.tells;
    if (before?.name === known.name && before.tells === known.tells) return;
    allKnown.put(key, known);
    if (known.tells && !before?.tells) emitter.emit('tells', state);
    emitter.emit('changed', state);
  };

  const learn = (events: readonly FaultEvent[], isSilent: boolean, gone?: Device): void => {
    for (const [key, own] of Map.groupBy(events, deviceKey)) {
      const known = eventsOf(key);
      const fresh = own.filter((event) => !known.has(event.key));
      if (fresh.length === 0) continue;
      const before = allLives.get(key) ?? [];
      for (const event of fresh) {
        known.set(event.key, event);
        const { key: row, ...kept } = event;
        store.write(`event ${row}`, kept);
      }
      compute(key);
      const state = states.get(key);
      const device = state?.device ?? gone;
      if (device && !isSilent)
        for (const { what, life } of differences(before, allLives.get(key) ?? [])) emitter.emit('event', device, what, life);
      if (state) emitter.emit('changed', state);
    }
  };

  /** Computes the lives of a device again, without events that are too old. */
  const compute = (key: string): void => {
    const events = eventsOf(key);
    const lives = makeLives(events);
    const open = new Set(lives.flatMap(({ until, begins }) => (until === undefined ? begins : [])));
    const now = clock.now();
    const closed = [...events.values()].filter((event) => !open.has(event.key)).sort(statesThenOldestFirst);
    const excess = events.size - MOST_KEPT;
    const old = closed.filter((event, index) => index < excess || now - event.at > keptMs(event.kind));
    for (const { key: row } of old) {
      events.delete(row);
      store.write(`event ${row}`, undefined);
    }
    allLives.set(key, old.length > 0 ? makeLives(events) : lives);
  };

  const makeLives = (events: ReadonlyMap<string, FaultEvent>): readonly Life[] => {
    const lives = livesOf(events.values());
    if (readsEvents) return lives;
    const untilOf = ({ since = 0 }: Life): number => Math.max(since, ...[...readTimes.all.values()].map(({ at = 0 }) => at));
    return lives.map((life) => (life.until === undefined && !isListed(life, events) ? { ...life, until: untilOf(life) } : life));
  };

  const eventsOf = (key: string): Map<string, FaultEvent> => {
    const events = allEvents.get(key) ?? new Map<string, FaultEvent>();
    allEvents.set(key, events);
    return events;
  };

  /** The device of an event; an event without a device is about the gateway. */
  const stateOf = ({ gateway, device }: FaultEvent): DeviceState | undefined => {
    if (device !== '') return states.get(deviceKey({ gateway, device }));
    const own = states.get(deviceKey({ gateway, device: 'gateway' }));
    return own ?? [...states.values()].find((state) => state.device.gateway === gateway);
  };

  for (const [key, event] of keyedRows(rows, EVENT, 'event ')) eventsOf(deviceKey(event)).set(key, { ...event, key });
  // Nothing is dropped yet: the clock may be wrong until the platform has answered.
  for (const [key, events] of allEvents) allLives.set(key, makeLives(events));
  return Object.assign(emitter, {
    of,
    devices,
    readAt,
    lastRead,
    learnFeatures,
    featuresGone,
    learnEvents,
    eventsRead,
    removed,
  });
};

export type FaultStore = ReturnType<typeof faultStore>;

const listsOf = (features: readonly Feature[]) =>
  features.flatMap((feature) => {
    const list = messageListOf(feature);
    return list ? [{ feature, list }] : [];
  });

/** The lists of active messages of a device. */
const openLists = (state: DeviceState) => listsOf(state.truths).filter(({ list }) => list.isOpen);

/** True for a life that a list of the device has, or had. */
const isListed = ({ begins }: Life, events: ReadonlyMap<string, FaultEvent>): boolean =>
  begins.some((begin) => events.get(begin)?.from === 'messages');

const statesThenOldestFirst = (a: FaultEvent, b: FaultEvent): number =>
  Number(b.kind === 'status') - Number(a.kind === 'status') || a.at - b.at;

const keptMs = (kind: FaultKind): number => (kind === 'status' ? STATES_KEPT_MS : KEPT_MS);
