import type { Feature } from '../../features/feature.ts';
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
import {
  asShown,
  type Kept,
  type Key,
  keyOf,
  laidOver,
  readKept,
  replacedBy,
  standingOf,
  type Temporary,
  withoutTemporary,
  withoutWritten,
} from './temporaryOverride.ts';

type OverrideSettings = {
  readonly base: string;
  /** The time zone in which an end is shown. */
  readonly zone: (device: Device) => string;
};

/** A temporary write that was sent, and the possible one that it replaced. */
type Begun = { readonly temporary: Temporary; readonly replaced: Kept['sending'] };

/** A write that an earlier run has left in the journal. */
type EarlierWrite = { readonly key: number; readonly write: Key; readonly effect: Effect | undefined };

const keyOfSent = ({ state, feature }: Sent): Key => ({ device: deviceKey(state.device), feature });

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
  /** Writes of an earlier run whose outcome is still open. */
  #unsettled: readonly EarlierWrite[];
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
    this.#unsettled = earlier;
    const leftOut = (entries: number): void =>
      log.warn(
        { entries },
        'ends of temporary writes that are kept make no sense and are left out; what these replaced does not come back',
      );
    const stored = store.read();
    for (const [key, { running, sending }] of readKept(stored, leftOut)) {
      // Without a line in the journal it was never sent.
      const wasSent = sending && (sending.possible || earlier.some(({ key: sent }) => sent === sending.key));
      const left = { running, sending: wasSent ? sending : undefined };
      if (left.running ?? left.sending) this.#kept.set(key, left);
      if (JSON.stringify(left) !== JSON.stringify(stored.get(key))) store.write(key, this.#kept.get(key));
    }
  }

  /** Publishes every end, and clears the topics of ends that are over. */
  show(): void {
    const all = [...this.#kept.values()].flatMap(({ running }) => running ?? []);
    const owners = new Set(all.map(({ device, feature }) => untilOwner(device, feature)));
    const shown = this.#publisher.topics.owners().filter((owner) => owner.startsWith(untilOwner('', '').trimEnd()));
    for (const owner of shown) if (!owners.has(owner)) this.#publisher.assign(owner, []);
    for (const running of all) this.#showOne(running, running);
  }

  /** `listener` is called whenever an end was added, moved or removed. */
  onChange(listener: () => void): void {
    this.#changed = listener;
  }

  /** The temporary write on the feature now. */
  running(key: Key): Temporary | undefined {
    return this.#of(key).running;
  }

  /** When the temporary write on the feature ends, as its topic shows it. */
  untilText(device: Device, feature: string): string | undefined {
    const running = this.running({ device: deviceKey(device), feature });
    return running && printInstant(running.untilMs, this.#settings.zone(device));
  }

  /** All temporary writes, `possible` where it is not known whether the write was carried out. */
  all(): readonly (Temporary & { readonly possible?: true | undefined })[] {
    const open = new Set(this.#unsettled.map(({ write }) => keyOf(write)));
    return [...this.#kept]
      .filter(([key]) => !open.has(key))
      .flatMap(([, { running, sending }]) => [running, sending?.possible && sending])
      .filter((one) => one !== undefined);
  }

  /** Moves the end (epoch milliseconds); false where it is the same. */
  move(key: Key, untilMs: number): boolean {
    const { running, sending } = this.#of(key);
    if (!running || running.untilMs === untilMs) return false;
    this.#put(key, { ...running, untilMs }, sending);
    return true;
  }

  /** Removes the temporary write without a revert. */
  end(key: Key): void {
    this.#put(key, undefined, this.#of(key).sending);
  }

  /** Removes a possible write that has ended by now (epoch milliseconds): a read has shown that it was not carried out. */
  dropPossible(key: Key, nowMs: number): void {
    const { running, sending } = this.#of(key);
    if (sending?.possible && sending.untilMs <= nowMs) this.#put(key, running, undefined);
  }

  /** A read has shown the feature: it may prove that a possible write was carried out. */
  seen(key: Key, feature: Feature): void {
    if (this.#kept.size === 0) return;
    const { sending } = this.#of(key);
    if (sending?.possible && sending.parts.every((part) => standingOf(feature, part) === 'written'))
      this.#put(key, temporaryOf(sending), undefined);
  }

  /** The feature as it will be after its temporary write. */
  permanent(key: Key, feature: Feature): Feature {
    const running = this.running(key);
    return running ? withoutTemporary(feature, running) : feature;
  }

  beforeSend(sent: Sent, [key = 0]: readonly number[]): void {
    // A write with an end is never merged.
    const untilMs = sent.shares[0]?.write.untilMs;
    const parts = untilMs === undefined ? undefined : sent.effect && replacedBy(sent.effect, sent.before);
    if (untilMs === undefined || !parts || parts.length === 0) return;
    const target = keyOfSent(sent);
    const { running, sending } = this.#of(target);
    const temporary = laidOver(running, { key, ...target, command: sent.command, untilMs, parts }, sent.before);
    this.#begun.set(sent, { temporary, replaced: sending });
    this.#put(target, running, temporary);
  }

  /** Refuses the write where its end cannot be stored: its values would stay. */
  notKept(sent: Sent): Refusal | undefined {
    const { temporary, replaced } = this.#begun.get(sent) ?? {};
    if (!temporary) return undefined;
    this.#put(temporary, this.running(temporary), replaced);
    return END_NOT_KEPT;
  }

  accepted(sent: Sent): void {
    const { temporary } = this.#begun.get(sent) ?? {};
    if (temporary) this.#put(temporary, temporary, undefined);
    else if (sent.effect) this.#overwritten(keyOfSent(sent), sent.effect);
  }

  ended(sent: Sent, how: SentEnd): void {
    const { temporary, replaced } = this.#begun.get(sent) ?? {};
    if (!temporary) return;
    const { running, sending } = this.#of(temporary);
    if (how === 'unknown' && sending) this.#put(temporary, running, { ...sending, possible: true });
    // A failed write leaves no end, and the write before it continues.
    if (how === 'failed' && sending) this.#put(temporary, running, replaced);
    const feature = sent.state.shown(sent.feature);
    if (how === 'adapted' && feature && running?.parts === temporary.parts) this.#put(running, asShown(running, feature), undefined);
  }

  /** The outcome of a write of an earlier run: it was accepted, or a later read has to show it. */
  interrupted({ key, write, effect }: EarlierWrite, how: 'accepted' | 'unknown'): void {
    const { running, sending } = this.#of(write);
    this.#unsettled = this.#unsettled.filter((one) => one.key !== key);
    if (sending?.key === key) {
      if (how === 'accepted') this.#put(write, temporaryOf(sending), undefined);
      else this.#put(write, running, { ...sending, possible: true });
      // The running one was written later.
    } else if (how === 'accepted' && effect && (running?.key ?? 0) < key) this.#overwritten(write, effect);
    this.#changed();
  }

  #overwritten(key: Key, effect: Effect): void {
    const { running, sending } = this.#of(key);
    const left = running && withoutWritten(running, effect);
    const possible = sending?.possible ? withoutWritten(sending, effect) : sending;
    if (left !== running || possible !== sending) this.#put(key, left, possible);
  }

  #of(key: Key): Kept {
    return this.#kept.get(keyOf(key)) ?? {};
  }

  #put({ device, feature }: Key, running: Temporary | undefined, sending: Kept['sending']): void {
    const key = keyOf({ device, feature });
    const kept = (running ?? sending) && { running, sending };
    if (kept) this.#kept.set(key, kept);
    else this.#kept.delete(key);
    this.#store.write(key, kept);
    this.#showOne({ device, feature }, running);
    this.#changed();
  }

  #showOne({ device, feature }: Key, running: Temporary | undefined): void {
    const { base, zone } = this.#settings;
    const known = this.#states.get(device)?.device;
    // The next list may name an unknown device again.
    if (running && !known) return;
    const messages = running && known ? [endMessage(running, known, base, zone(known))] : [];
    this.#publisher.assign(untilOwner(device, feature), messages);
  }
}

const endMessage = ({ feature, untilMs }: Temporary, { name }: Device, base: string, zone: string): Message => ({
  topic: featureTopic(base, name, feature, 'until'),
  payload: printInstant(untilMs, zone),
  retain: true,
});

const END_NOT_KEPT: Refusal = {
  code: 'end_not_kept',
  message: 'not sent: the end of this write cannot be kept on disk (see the log), so what it writes would stay; leave until and for out',
};

const temporaryOf = ({ possible: _, ...temporary }: NonNullable<Kept['sending']>): Temporary => temporary;
