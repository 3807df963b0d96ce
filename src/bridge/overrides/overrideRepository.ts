import { isDeepStrictEqual } from 'node:util';
import type { Feature, Json } from '../../features/feature.ts';
import type { Day } from '../../schedule/week.ts';
import { printInstant } from '../../schedule/zone.ts';
import type { Log } from '../../shared/log.ts';
import type { Message } from '../../shared/message.ts';
import { featureTopic } from '../../topics/topicNames.ts';
import type { Effect } from '../commands/evaluate.ts';
import type { Refusal } from '../commands/rejection.ts';
import { type Device, type DeviceState, deviceKey } from '../devices/deviceState.ts';
import type { SendObserver, Sent, SentEnd } from '../execution/sentCommand.ts';
import type { KeyedStore } from '../ports.ts';
import type { RetainedPublisher } from '../publishing/retainedPublisher.ts';
import { untilOwner } from '../publishing/topicOwnership.ts';
import { type Kept, type OnItsWay, readKept } from './storedOverrides.ts';
import { asShown, laidOver, replacedBy, standingOf, type Temporary, withoutTemporary, withoutWritten } from './temporaryOverride.ts';

export type OverrideSettings = {
  readonly base: string;
  /** The time zone in which an end is shown. */
  readonly zone: (device: Device) => string;
};

/** A temporary write that was sent, and the possible one that it replaced. */
type Begun = { readonly temporary: Temporary; readonly replaced: OnItsWay | undefined };

/** A write that an earlier run has left in the journal. */
type EarlierWrite = {
  readonly key: number;
  readonly write: Key & { readonly values?: Readonly<Record<string, Json>> | undefined; readonly days?: readonly Day[] | undefined };
};

type Key = { readonly device: string; readonly feature: string };

const keyOf = ({ device, feature }: Key): string => `${device} ${feature}`;
const keyOfSent = ({ state, feature }: Pick<Sent, 'state' | 'feature'>): string => keyOf({ device: deviceKey(state.device), feature });

/**
 * The temporary writes, at most one on each feature. They are on disk before they are sent, shown on `<feature>/until`, and removed where a
 * newer write replaces them. RevertScheduler restores the former values.
 */
export class OverrideRepository implements SendObserver {
  readonly #settings: OverrideSettings;
  readonly #states: ReadonlyMap<string, DeviceState>;
  readonly #store: KeyedStore;
  readonly #publisher: RetainedPublisher;
  readonly #kept = new Map<string, Kept>();
  /** Writes of an earlier run whose outcome is still open, by feature. */
  readonly #unsettled: Map<string, Set<number>>;
  readonly #begun = new WeakMap<Sent, Begun>();
  #changed: () => void = () => undefined;

  /** Loads what an earlier run has stored. `earlier` are the writes that it left in the journal. */
  constructor(
    settings: OverrideSettings,
    states: ReadonlyMap<string, DeviceState>,
    store: KeyedStore,
    earlier: readonly EarlierWrite[],
    publisher: RetainedPublisher,
    log: Pick<Log, 'warn'>,
  ) {
    this.#settings = settings;
    this.#states = states;
    this.#store = store;
    this.#publisher = publisher;
    const byFeature = Map.groupBy(earlier, ({ write }) => keyOf(write));
    this.#unsettled = new Map([...byFeature].map(([feature, left]) => [feature, new Set(left.map(({ key }) => key))]));
    const leftOut = (entries: number): void =>
      log.warn(
        { entries },
        'ends of temporary writes that are kept make no sense and are left out; what these replaced does not come back',
      );
    const stored = store.read();
    for (const [key, { running, sending }] of readKept(stored, leftOut)) {
      // Without a line in the journal it was never sent.
      const wasSent = sending && (sending.possible || earlier.some(({ key: sent }) => sent === sending.key));
      const left = { ...(running ? { running } : {}), ...(wasSent ? { sending } : {}) };
      const some = left.running ?? left.sending;
      const isKept = some && keyOf(some) === key;
      if (isKept) this.#kept.set(key, left);
      if (!isKept || !isDeepStrictEqual(left, stored.get(key))) store.write(key, isKept ? left : undefined);
    }
  }

  /** Publishes every end, and clears the topics of ends that are over. */
  show(): void {
    const shown = this.#publisher.topics.owners().filter((owner) => owner.startsWith(untilOwner('', '').trimEnd()));
    const mine = [...this.#kept.values()].flatMap(({ running }) => (running ? [running] : []));
    const owners = new Set(mine.map(({ device, feature }) => untilOwner(device, feature)));
    for (const owner of shown) if (!owners.has(owner)) this.#publisher.assign(owner, []);
    for (const running of mine) this.#showOne(running, running);
  }

  /** `listener` is called whenever an end was added, moved or removed. */
  onChange(listener: () => void): void {
    this.#changed = listener;
  }

  /** The temporary write on the feature now. */
  running(device: string, feature: string): Temporary | undefined {
    return this.#kept.get(keyOf({ device, feature }))?.running;
  }

  /** All temporary writes, `possible` where it is not known whether the write was carried out. */
  all(): readonly (Temporary & { readonly possible?: true })[] {
    return [...this.#kept].flatMap(([key, { running, sending }]) => {
      const possible = sending?.possible ? [sending] : [];
      return this.#unsettled.has(key) ? [] : [...(running ? [running] : []), ...possible];
    });
  }

  /** Moves the end (epoch milliseconds); false where it is the same. */
  move({ device, feature }: Key, untilMs: number): boolean {
    const running = this.running(device, feature);
    if (!running || running.untilMs === untilMs) return false;
    this.#put(running, { ...running, untilMs }, this.#possible(running));
    return true;
  }

  /** Removes the temporary write without a revert. */
  end(key: Key): void {
    this.#put(key, undefined, this.#possible(key));
  }

  /** Removes a possible write that has ended by now (epoch milliseconds): a read has shown that it was not carried out. */
  dropPossible(key: Key, nowMs: number): void {
    const { running, sending } = this.#kept.get(keyOf(key)) ?? {};
    if (sending?.possible && sending.untilMs <= nowMs) this.#keep(key, { ...(running ? { running } : {}) });
  }

  /** A read has shown the feature: it may prove that a possible write was carried out. */
  seen(key: Key, feature: Feature): void {
    const { sending } = this.#kept.get(keyOf(key)) ?? {};
    if (!sending?.possible || !sending.parts.every((part) => standingOf(feature, part) === 'written')) return;
    this.#put(key, temporaryOf(sending), undefined);
  }

  /** The feature as it will be after its temporary write. */
  permanent(key: Key, feature: Feature): Feature {
    const running = this.running(key.device, key.feature);
    return running ? withoutTemporary(feature, running) : feature;
  }

  /** Refuses the write where its end cannot be stored: its values would stay. */
  beforeSend(sent: Sent, [key = 0]: readonly number[]): Refusal | undefined {
    // A write with an end is never merged.
    const untilMs = sent.shares[0]?.write.untilMs;
    const parts = sent.effect && replacedBy(sent.effect, sent.before);
    if (untilMs === undefined || !parts || parts.length === 0) return undefined;
    const { state, feature, command } = sent;
    const kept = this.#kept.get(keyOfSent(sent)) ?? {};
    const { running } = kept;
    const newer = { key, device: deviceKey(state.device), feature, command, untilMs, parts };
    const temporary = laidOver(running, newer, sent.before);
    this.#begun.set(sent, { temporary, replaced: kept.sending });
    if (this.#keep(temporary, { ...(running ? { running } : {}), sending: temporary })) return undefined;
    this.#keep(temporary, kept);
    return END_NOT_KEPT;
  }

  accepted(sent: Sent): void {
    const { temporary } = this.#begun.get(sent) ?? {};
    if (temporary) this.#put(temporary, temporary, undefined);
    else if (sent.effect) this.#overwritten({ device: deviceKey(sent.state.device), feature: sent.feature }, sent.effect);
  }

  ended(sent: Sent, how: SentEnd): void {
    const { temporary, replaced } = this.#begun.get(sent) ?? {};
    if (!temporary) return;
    const { running, sending } = this.#kept.get(keyOf(temporary)) ?? {};
    if (how === 'unknown' && sending) this.#keep(temporary, { ...(running ? { running } : {}), sending: { ...sending, possible: true } });
    // A failed write leaves no end, and the write before it continues.
    if (how === 'failed' && sending) this.#keep(temporary, { ...(running ? { running } : {}), ...(replaced ? { sending: replaced } : {}) });
    const feature = sent.state.shown(sent.feature);
    if (how === 'adapted' && feature && running?.parts === temporary.parts) this.#keep(running, { running: asShown(running, feature) });
    this.#changed();
  }

  /** The outcome of a write of an earlier run: it was accepted, or a later read has to show it. */
  interrupted({ key, write }: EarlierWrite, how: 'accepted' | 'unknown'): void {
    const { running, sending } = this.#kept.get(keyOf(write)) ?? {};
    const unsettled = this.#unsettled.get(keyOf(write));
    unsettled?.delete(key);
    if (unsettled?.size === 0) this.#unsettled.delete(keyOf(write));
    if (sending?.key === key) {
      if (how === 'accepted') this.#put(write, temporaryOf(sending), undefined);
      else this.#keep(write, { ...(running ? { running } : {}), sending: { ...sending, possible: true } });
      // The running one was written later.
    } else if (how === 'accepted' && write.values && (running?.key ?? 0) < key) {
      const { values, days } = write;
      this.#overwritten(write, { values: new Map(Object.entries(values)), ...(days ? { days } : {}) });
    }
    this.#changed();
  }

  #overwritten(key: Key, effect: Effect): void {
    const { running, sending } = this.#kept.get(keyOf(key)) ?? {};
    const left = running && withoutWritten(running, effect);
    const possible = sending?.possible && withoutWritten(sending, effect);
    if (left === running && (!sending?.possible || possible === sending)) return;
    this.#put(key, left, possible && sending ? { ...sending, parts: possible.parts } : undefined);
  }

  #possible(key: Key): OnItsWay | undefined {
    return this.#kept.get(keyOf(key))?.sending;
  }

  #put(key: Key, running: Temporary | undefined, sending: OnItsWay | undefined): void {
    this.#keep(key, { ...(running ? { running } : {}), ...(sending ? { sending } : {}) });
    this.#showOne(key, running);
    this.#changed();
  }

  /** False where it is not on disk. */
  #keep(key: Key, kept: Kept): boolean {
    const some = (kept.running ?? kept.sending) ? kept : undefined;
    if (some) this.#kept.set(keyOf(key), some);
    else this.#kept.delete(keyOf(key));
    return this.#store.write(keyOf(key), some);
  }

  #showOne({ device, feature }: Key, running: Temporary | undefined): void {
    const { base, zone } = this.#settings;
    const known = this.#states.get(device)?.device;
    // The next list may name an unknown device again.
    if (running && !known) return;
    const show = (whose: Device, untilMs: number): Message => ({
      topic: featureTopic(base, whose.name, feature, 'until'),
      payload: printInstant(untilMs, zone(whose)),
      retain: true,
    });
    this.#publisher.assign(untilOwner(device, feature), running && known ? [show(known, running.untilMs)] : []);
  }
}

const END_NOT_KEPT: Refusal = {
  code: 'end_not_kept',
  message: 'not sent: the end of this write cannot be kept on disk (see the log), so what it writes would stay; leave until and for out',
};

const temporaryOf = ({ possible: _, ...temporary }: OnItsWay): Temporary => temporary;
