import { EventEmitter } from 'node:events';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { WriteStore } from '../../ports.ts';
import { type Device, type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { PendingWrite } from '../../state/pendingWrites.ts';
import type { ResultPublisher } from '../answers/resultPublisher.ts';
import { noDevice } from '../answers/results.ts';
import { type About, type CommandRequest, reply } from '../request/commandRequest.ts';
import { step, type WriteEvent } from './step.ts';
import { type OwnEffect, transition } from './transition.ts';
import { effectOf, isListed, isLive, isSent, readWrite, type SentWrite, type WaitingWrite, type Write } from './write.ts';

/** A feature of a device; `device` is a `deviceKey`. */
export type Place = { readonly device: string; readonly feature: string };
export const placeOf = (device: Device, feature: string): Place => ({ device: deviceKey(device), feature });
export const placeKey = ({ device, feature }: Place): string => `${device} ${feature}`;

/** The request of a write, and the details for its results. */
export type Asked = {
  readonly request: CommandRequest;
  readonly about: About;
  /** The waiting write that it was, if it had waited for other values. */
  readonly waited?: WaitingWrite;
};

type WriteLogEvents = {
  /** The end of a temporary write was added, moved or removed, or a read has shown the write. */
  endChanged: [place: Place];
  /** A command that sent nothing has set another end. */
  endSet: [place: Place, by: CommandRequest['by']];
  /** The feature shows another value than before, without a read. */
  shownChanged: [state: DeviceState, feature: string];
};

/** An open write. `isLeft`: from an earlier run; `knownMs`: first held by this run (`Clock.elapsedMs`). */
type Live = { write: Write; asked: Asked | undefined; readonly knownMs: number; readonly isLeft: boolean };

/** A write without its key, which `add` assigns. */
type WithoutKey<T> = T extends unknown ? Omit<T, 'key'> : never;

/**
 * The open writes, over restarts. Only this part changes the table `writes`. `transition` decides what an event
 * makes of the writes; this part stores the result and performs the effects.
 */
export const writeLog = (
  store: WriteStore,
  states: ReadonlyMap<string, DeviceState>,
  results: Pick<ResultPublisher, 'replyTo'>,
  clock: Clock,
  log: Pick<Log, 'warn'>,
) => {
  const events = new EventEmitter<WriteLogEvents>();
  /** By key, oldest first. */
  const live = new Map<number, Live>();
  let nextKey = store.lastKey + 1;

  /** Open writes, oldest first. */
  const all = (): readonly Write[] => [...live.values()].map(({ write }) => write);

  /** Open writes to a feature, oldest first. */
  const at = ({ device, feature }: Place): readonly Write[] => {
    const found: Write[] = [];
    for (const { write } of live.values()) if (write.feature === feature && write.device === device) found.push(write);
    return found;
  };

  const sentOn = (place: Place): readonly SentWrite[] => at(place).filter(isSent);

  /** The open sent write with this key, if any. */
  const sent = (key: number): SentWrite | undefined => {
    const write = live.get(key)?.write;
    return write && isSent(write) ? write : undefined;
  };

  /** True for a write of an earlier run. */
  const isLeft = (key: number): boolean => live.get(key)?.isLeft === true;

  /** The request of the write; for a write of an earlier run it is rebuilt from the row. */
  const askedOf = (write: Write): Asked => live.get(write.key)?.asked ?? askedAnew(write);

  /** Milliseconds since this run first held the write. */
  const knownForMs = (key: number): number => {
    const now = clock.elapsedMs();
    return now - (live.get(key)?.knownMs ?? now);
  };

  /** Sent writes to the device that no read has shown yet. */
  const pendingOf = (device: Device): readonly PendingWrite[] => {
    const key = deviceKey(device);
    return all().flatMap((write) => {
      const isPending = write.device === key && isSent(write) && (write.state === 'lost' || write.state === 'accepted');
      return isPending ? [pendingWriteOf(write)] : [];
    });
  };

  /** Stores a new write and returns its key. `isDurable`: it survives a power cut. */
  const add = (write: WithoutKey<Write>, asked: Asked | undefined, isDurable = false): number => {
    const key = nextKey++;
    put({ ...write, key }, isDurable, asked);
    return key;
  };

  /**
   * Applies an event to these writes: stores the changes in one transaction, then shows, then answers. `shown`
   * runs before the `shownChanged` events.
   */
  const apply = (
    keys: readonly number[],
    eventOf: WriteEvent | ((index: number) => WriteEvent),
    shown: () => void = () => undefined,
  ): void => {
    const { result: done } = store.together(() => {
      const all = keys.flatMap((key, index) => {
        const known = live.get(key);
        if (!known) return [];
        const event = typeof eventOf === 'function' ? eventOf(index) : eventOf;
        const { write, changes, effects } = transition(known.write, sentOn(known.write), event);
        for (const { before, after, isDurable } of changes) {
          if (after) put(after, isDurable);
          else drop(before.key);
        }
        // The request is not needed any more.
        if (event.kind === 'delivered') known.asked = undefined;
        return effects.map((effect) => ({ write, effect }));
      });
      for (const { write, effect } of all) show(write, effect);
      shown();
      const changed = new Map(all.flatMap(({ write, effect }) => (effect.kind === 'show' ? [[placeKey(write), write] as const] : [])));
      for (const write of changed.values()) {
        const state = stateOf(write);
        if (state) events.emit('shownChanged', state, write.feature);
      }
      return all;
    });
    for (const { write, effect } of done) {
      if (effect.kind !== 'answer') continue;
      const { request, about } = askedOf(write);
      reply(request, effect.result, about, effect.isFinal ? () => apply([write.key], { kind: 'delivered' }) : undefined);
    }
  };

  const show = (write: Write, effect: OwnEffect): void => {
    if (effect.kind === 'markPending' && isSent(write)) stateOf(write)?.pending.add(pendingWriteOf(write));
    if (effect.kind === 'clearPending') stateOf(write)?.pending.discard(write.key);
    if (effect.kind === 'endChanged') events.emit('endChanged', write);
  };

  const pendingWriteOf = (write: SentWrite): PendingWrite => {
    const { key, feature, state, before = [], revsBefore = [] } = write;
    const outcome = state === 'lost' ? 'unknown' : 'accepted';
    return { key, feature, outcome, effect: effectOf(write), before, revsBefore, sinceMs: clock.elapsedMs() };
  };

  const stateOf = ({ key, device }: Write): DeviceState | undefined => live.get(key)?.asked?.request.target.state ?? states.get(device);

  const put = (write: Write, isDurable: boolean, asked?: Asked): void => {
    const { key, at, device, feature, ...facts } = write;
    const [isOpen, isShown] = [isLive(write), isSent(write) && isListed(write)];
    if (!isOpen && !isShown) {
      drop(key);
      return;
    }
    if (isOpen) hold(write, asked);
    else live.delete(key);
    store.put({ key, at, device, feature, facts, isLive: isOpen, isListed: isShown }, isDurable);
  };

  const drop = (key: number): void => {
    live.delete(key);
    store.remove(key);
  };

  const hold = (write: Write, asked: Asked | undefined, isLeft = false): void => {
    const known = live.get(write.key);
    if (known) known.write = write;
    else live.set(write.key, { write, asked, knownMs: clock.elapsedMs(), isLeft });
  };

  const askedAnew = (write: Write): Asked => {
    const { device, feature, name, topic, by, id } = write;
    const state = states.get(device);
    const target = state
      ? ({ kind: 'stored', state, device: state.device.name, feature } as const)
      : ({ kind: 'unknown', device: name, feature, refusal: noDevice(name) } as const);
    const request = {
      source: topic,
      replyTo: results.replyTo({ topic, by }),
      by,
      id,
      address: { kind: 'set', device: target.device, path: feature.split('.') },
      target,
      text: '',
      atMs: clock.elapsedMs(),
    } as const;
    return { request, about: aboutOf(write) };
  };

  // Loads the writes of an earlier run and removes invalid rows.
  let entries = 0;
  for (const row of store.left) {
    const write = readWrite(row);
    // An unanswered sent write becomes lost. Waiting writes are answered once the bridge runs.
    const open = write && isSent(write) ? step(write, { kind: 'resumed' }).write : write;
    if (open && isLive(open)) hold(open, undefined, true);
    else if (open) put(open, false);
    else store.remove(row.key);
    if ('end' in row.facts && !(open && 'end' in open && open.end)) entries += 1;
  }
  const sentence = 'stored ends of temporary writes are invalid and are ignored; the former values are not restored';
  if (entries > 0) log.warn({ entries }, sentence);
  return Object.assign(events, { all, at, sentOn, sent, isLeft, askedOf, knownForMs, pendingOf, add, apply, together: store.together });
};

/** The result details of a write of an earlier run. */
const aboutOf = (write: Write): About => {
  const { id, feature } = write;
  const about = { envelope: { id }, feature, command: write.state === 'queued' ? undefined : write.command };
  if (!isSent(write)) return about;
  const { composite, until: untilMs, rounded } = write;
  const through = composite === undefined ? {} : { feature: composite, through: feature };
  const details = { ...through, ...(rounded === undefined ? {} : { rounded_from: rounded }) };
  return { ...about, untilMs, details };
};

export type WriteLog = ReturnType<typeof writeLog>;
