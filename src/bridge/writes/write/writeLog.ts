import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../shared/clock.ts';
import type { Log } from '../../../shared/log.ts';
import type { Committed, WriteStore } from '../../ports.ts';
import { type Device, type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { PendingWrite } from '../../state/pendingWrites.ts';
import type { ResultPublisher } from '../answers/resultPublisher.ts';
import { noDevice } from '../answers/results.ts';
import { type About, type CommandRequest, reply } from '../request/commandRequest.ts';
import { type StepEffect, step, type WriteEvent } from './step.ts';
import { effectOf, groupOf, isListed, isLive, isSent, readWrite, type SentWrite, type WaitingWrite, type Write } from './write.ts';

/** A feature of a device, by `deviceKey`. */
export type Place = { readonly device: string; readonly feature: string };
export const placeKey = ({ device, feature }: Place): string => `${device} ${feature}`;

/** How a write of this process is answered: with its response topic and the details of its results. */
export type Asked = {
  readonly request: CommandRequest;
  readonly about: About;
  /** What it waited as, where it had waited for others. */
  readonly waited?: WaitingWrite;
};

type WriteLogEvents = {
  /** The end of a temporary write to this feature was added, moved, removed, or became certain. */
  endChanged: [place: Place];
  /** The feature shows something else than before, without a read. */
  shownChanged: [state: DeviceState, feature: string];
};

/** What the next run would find out again where a power cut took it. */
const FOUND_AGAIN: ReadonlySet<WriteEvent['kind']> = new Set(['settled', 'delivered', 'resumed', 'confirmed', 'unknown']);

/** So many changes of a schedule can be taken back (docs/schedules.md). */
const MOST_UNDOABLE = 10;

/** An effect of a step, and the write whose step it was. */
type Done = { readonly write: Write; readonly effect: StepEffect };

/**
 * The writes of which something is still open, over restarts: what the table `writes` says of them, and the only place that changes it. What
 * an event makes of a write is decided by `step`; here it is stored, and its effects are performed.
 */
export class WriteLog extends EventEmitter<WriteLogEvents> {
  readonly #store: WriteStore;
  readonly #states: ReadonlyMap<string, DeviceState>;
  readonly #results: Pick<ResultPublisher, 'replyTo'>;
  readonly #clock: Clock;
  /** By place, then by key. */
  readonly #live = new Map<string, Map<number, Write>>();
  readonly #places = new Map<number, string>();
  readonly #asked = new Map<number, Asked>();
  /** Since when this process knows them (`Clock.elapsedMs`). */
  readonly #knownMs = new Map<number, number>();
  /** Keys of what an earlier run has left. */
  readonly #left = new Set<number>();
  #next: number;
  #isJoining = false;

  /** Loads what an earlier run has left; rows that make no sense are removed. */
  constructor(
    store: WriteStore,
    states: ReadonlyMap<string, DeviceState>,
    results: Pick<ResultPublisher, 'replyTo'>,
    clock: Clock,
    log: Pick<Log, 'warn'>,
  ) {
    super();
    this.#store = store;
    this.#states = states;
    this.#results = results;
    this.#clock = clock;
    this.#next = store.lastKey + 1;
    let entries = 0;
    for (const row of store.left) {
      const write = readWrite(row);
      // What was sent without an answer is lost; what waits is answered when the bridge runs.
      const left = write && isSent(write) ? step(write, { kind: 'resumed' }).write : write;
      if (left && isLive(left)) {
        this.#hold(left);
        this.#knownMs.set(left.key, clock.elapsedMs());
        this.#left.add(left.key);
      } else if (left) this.#put(left, false);
      else store.remove(row.key);
      if ('end' in row.facts && !(left && 'end' in left && left.end)) entries += 1;
    }
    const sentence = 'ends of temporary writes that are kept make no sense and are left out; what these replaced does not come back';
    if (entries > 0) log.warn({ entries }, sentence);
  }

  /** What is open, in the order of the keys. */
  all(): readonly Write[] {
    return [...this.#live.values()].flatMap((writes) => [...writes.values()]).sort((a, b) => a.key - b.key);
  }

  /** What is open on a feature, in the order of the keys. */
  at(place: Place): readonly Write[] {
    const writes = this.#live.get(placeKey(place));
    return writes ? [...writes.values()] : [];
  }

  sentOn(place: Place): readonly SentWrite[] {
    return this.at(place).filter(isSent);
  }

  /** The write of this key, where it was sent and something of it is open. */
  sent(key: number): SentWrite | undefined {
    const write = this.#get(key);
    return write && isSent(write) ? write : undefined;
  }

  /** True for what an earlier run has left. */
  isLeft(key: number): boolean {
    return this.#left.has(key);
  }

  /** How the write is answered. */
  askedOf(write: Write): Asked {
    return this.#asked.get(write.key) ?? this.#askedAnew(write);
  }

  /** How long this process knows the write. */
  knownForMs(key: number): number {
    const now = this.#clock.elapsedMs();
    return now - (this.#knownMs.get(key) ?? now);
  }

  /** What an earlier run has sent to a device and no read has shown yet. */
  pendingOf(device: Device): readonly PendingWrite[] {
    const key = deviceKey(device);
    return this.all().flatMap((write) => {
      const isPending = write.device === key && isSent(write) && (write.state === 'lost' || write.state === 'accepted');
      return isPending ? [this.#pendingOf(write, write.state === 'lost' ? 'unknown' : 'accepted')] : [];
    });
  }

  /** Keeps a new write; gives its key. `isDurable`: it also survives a power cut. */
  add(make: (key: number) => Write, asked: Asked | undefined, isDurable = false): number {
    const key = this.#next++;
    if (asked) this.#asked.set(key, asked);
    this.#knownMs.set(key, this.#clock.elapsedMs());
    this.#put(make(key), isDurable);
    return key;
  }

  /**
   * Has an event happen to these writes: what it makes of them is stored at once, then shown, then answered. `shown` is called before what is
   * shown.
   */
  apply(keys: readonly number[], eventOf: WriteEvent | ((index: number) => WriteEvent), shown: () => void = () => undefined): void {
    const { result: done } = this.together(() => {
      const all = keys.flatMap((key, index) => this.#step(key, typeof eventOf === 'function' ? eventOf(index) : eventOf));
      shown();
      const changed = new Map(all.flatMap(({ write, effect }) => (effect.kind === 'show' ? [[placeKey(write), write] as const] : [])));
      for (const write of changed.values()) {
        const state = this.#stateOf(write);
        if (state) this.emit('shownChanged', state, write.feature);
      }
      return all;
    });
    for (const { write, effect } of done) {
      if (effect.kind !== 'answer') continue;
      const { request, about } = this.askedOf(write);
      reply(request, effect.result, about, effect.isFinal ? () => this.apply([write.key], { kind: 'delivered' }) : undefined);
    }
  }

  /** Writes all that `work` changes in one transaction. */
  together<T>(work: () => T): Committed<T> {
    if (this.#isJoining) return { result: work(), isKept: true };
    this.#isJoining = true;
    try {
      return this.#store.together(work);
    } finally {
      this.#isJoining = false;
    }
  }

  #step(key: number, event: WriteEvent): readonly Done[] {
    const write = this.#get(key);
    if (!write) return [];
    const { write: next, effects } = step(write, event);
    if (!next) {
      this.#forget(write);
      this.#store.remove(key);
    } else if (next !== write) this.#put(next, !FOUND_AGAIN.has(event.kind));
    const now = next ?? write;
    // The request is not needed any more.
    if (event.kind === 'delivered') this.#asked.delete(key);
    const [before, after] = [write, next].map((one) => one && isSent(one) && one.end && [one.end, one.isPossible, one.state, one.answer]);
    if (!isDeepStrictEqual(before, after)) this.emit('endChanged', write);
    return effects
      .flatMap((effect) => {
        if (effect.kind === 'markPending' && isSent(now)) this.#stateOf(now)?.pending.add(this.#pendingOf(now, effect.outcome));
        if (effect.kind !== 'tellOlder') return [{ write: now, effect }];
        const { from = 0 } = effect;
        const older = this.sentOn(write).filter((one) => one.key < key && groupOf(one) >= from);
        return older.flatMap((one) => this.#step(one.key, effect.event));
      })
      .concat(event.kind === 'accepted' || event.kind === 'made' ? this.#limitUndo(now) : []);
  }

  /** Only the newest changes of a schedule can be taken back. One that may still fail costs no older one. */
  #limitUndo(place: Place): readonly Done[] {
    const undoable = this.sentOn(place).filter(({ isUndoable, state }) => isUndoable && state !== 'sent');
    const tooOld = [...new Set(undoable.map(groupOf))].slice(0, -MOST_UNDOABLE);
    return undoable.filter((one) => tooOld.includes(groupOf(one))).flatMap(({ key }) => this.#step(key, { kind: 'undone' }));
  }

  #get(key: number): Write | undefined {
    return this.#live.get(this.#places.get(key) ?? '')?.get(key);
  }

  #pendingOf(write: SentWrite, outcome: PendingWrite['outcome']): PendingWrite {
    const { key, feature, before = [], revsBefore = [] } = write;
    return { key, feature, outcome, effect: effectOf(write), before, revsBefore, sinceMs: this.#clock.elapsedMs() };
  }

  #stateOf({ key, device }: Write): DeviceState | undefined {
    return this.#asked.get(key)?.request.target.state ?? this.#states.get(device);
  }

  #put(write: Write, isDurable: boolean): void {
    const { key, at, device, feature, ...facts } = write;
    const [isOpen, isShown] = [isLive(write), isSent(write) && isListed(write)];
    if (isOpen) this.#hold(write);
    else this.#forget(write);
    if (isOpen || isShown) this.#store.put({ key, at, device, feature, facts, isLive: isOpen, isListed: isShown }, isDurable);
    else this.#store.remove(key);
  }

  #hold(write: Write): void {
    const place = placeKey(write);
    const writes = this.#live.get(place) ?? new Map<number, Write>();
    this.#live.set(place, writes.set(write.key, write));
    this.#places.set(write.key, place);
  }

  #forget({ key }: Write): void {
    const place = this.#places.get(key) ?? '';
    const writes = this.#live.get(place);
    writes?.delete(key);
    if (writes?.size === 0) this.#live.delete(place);
    for (const known of [this.#places, this.#asked, this.#knownMs]) known.delete(key);
  }

  #askedAnew(write: Write): Asked {
    const { device, name, topic, by, id } = write;
    const feature = (isSent(write) && write.composite) || write.feature;
    const state = this.#states.get(device);
    const target = state
      ? ({ kind: 'stored', state, device: state.device.name, feature } as const)
      : ({ kind: 'unknown', device: name, feature, refusal: noDevice(name) } as const);
    const about = { envelope: id === undefined ? {} : { id }, feature, ...(write.state === 'queued' ? {} : { command: write.command }) };
    const request = {
      source: topic,
      replyTo: this.#results.replyTo({ topic, by }),
      by,
      id,
      address: { kind: 'set', device: target.device, path: feature.split('.') },
      target,
      text: '',
      atMs: this.#clock.elapsedMs(),
    } as const;
    return { request, about };
  }
}
