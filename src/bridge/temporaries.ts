import type { Message } from '../base/message.ts';
import { printInstant } from '../schedule/zone.ts';
import { featureTopic } from '../topics/address.ts';
import type { Effect } from './evaluate.ts';
import { type Device, type DeviceState, deviceKey } from './home.ts';
import { type Journaled, readJournaled } from './interrupted.ts';
import { type Kept, type OnItsWay, printKept, readKept } from './keptTemporaries.ts';
import { untilOwner } from './owners.ts';
import type { Journal, TemporaryStore } from './ports.ts';
import type { Publisher } from './publisher.ts';
import type { SendWatcher, Sent, SentEnd } from './sent.ts';
import { asShown, laidOver, replacedBy, type Temporary, withoutWritten } from './temporary.ts';

export type TemporariesParts = {
  readonly base: string;
  readonly states: ReadonlyMap<string, DeviceState>;
  readonly store: TemporaryStore;
  readonly journal: Pick<Journal, 'left'>;
  readonly publisher: Publisher;
  /** In whose local time an end is shown. */
  readonly zone: (device: Device) => string;
};

type Key = { readonly device: string; readonly feature: string };

const keyOf = ({ device, feature }: Key): string => `${device} ${feature}`;
const keyOfSent = ({ state, feature }: Pick<Sent, 'state' | 'feature'>): string => keyOf({ device: deviceKey(state.device), feature });

/**
 * What ends by itself, one on each feature: on disk before it is sent, shown on `<feature>/until`, and forgotten where a newer write takes
 * its place. Who brings back what it replaced is Returns.
 */
export class Temporaries implements SendWatcher {
  readonly #parts: TemporariesParts;
  readonly #kept = new Map<string, Kept>();
  /** Features of which the journal is still finding out what became of a write. */
  readonly #unsettled = new Set<string>();
  readonly #begun = new WeakMap<Sent, Temporary>();
  #changed: () => void = () => undefined;

  /** Takes up what an earlier run has left. */
  constructor(parts: TemporariesParts) {
    this.#parts = parts;
    const open = [...parts.journal.left.values()].flatMap((line) => readJournaled(line) ?? []);
    for (const write of open) this.#unsettled.add(keyOf(write));
    for (const kept of readKept(parts.store.read())) {
      const { running, sending } = kept;
      const some = running ?? sending;
      // Without a line in the journal it was never sent.
      const left = sending && open.some((write) => isOf(write, sending)) ? kept : { ...(running ? { running } : {}) };
      if (some && (left.running || left.sending)) this.#kept.set(keyOf(some), left);
    }
  }

  /** Shows every end, and clears what is shown of those that are over. */
  show(): void {
    const { publisher } = this.#parts;
    const shown = publisher.owners().filter((owner) => owner.startsWith(untilOwner('', '').trimEnd()));
    const mine = [...this.#kept.values()].flatMap(({ running }) => (running ? [running] : []));
    const owners = new Set(mine.map(({ device, feature }) => untilOwner(device, feature)));
    for (const owner of shown) if (!owners.has(owner)) publisher.own(owner, []);
    for (const running of mine) this.#showOne(running, running);
  }

  /** `told` is told whenever an end has come, moved or gone. */
  onChange(told: () => void): void {
    this.#changed = told;
  }

  /** What ends by itself on the feature now. */
  running(device: string, feature: string): Temporary | undefined {
    return this.#kept.get(keyOf({ device, feature }))?.running;
  }

  /** All of which it is known that they were carried out. */
  all(): readonly Temporary[] {
    return [...this.#kept].flatMap(([key, { running }]) => (running && !this.#unsettled.has(key) ? [running] : []));
  }

  /** It ends at another instant (epoch milliseconds); false where it ends then already. */
  move({ device, feature }: Key, untilMs: number): boolean {
    const running = this.running(device, feature);
    if (!running || running.untilMs === untilMs) return false;
    this.#put(running, { ...running, untilMs });
    return true;
  }

  /** Nothing comes back any more. */
  end(key: Key): void {
    this.#put(key, undefined);
  }

  beforeSend(sent: Sent): void {
    // Such a write is never merged with others.
    const write = sent.shares[0]?.write;
    const parts = sent.effect && replacedBy(sent.effect, sent.before);
    if (write?.untilMs === undefined || !parts || parts.length === 0) return;
    const { state, feature, command } = sent;
    const { running } = this.#kept.get(keyOfSent(sent)) ?? {};
    const {
      untilMs,
      topic,
      envelope: { id },
    } = write;
    const newer = { device: deviceKey(state.device), feature, command, untilMs, parts };
    const temporary = laidOver(running, newer, sent.before);
    this.#begun.set(sent, temporary);
    this.#keep(temporary, { ...(running ? { running } : {}), sending: { ...temporary, topic, ...(id === undefined ? {} : { id }) } });
  }

  accepted(sent: Sent): void {
    const temporary = this.#begun.get(sent);
    if (temporary) this.#put(temporary, temporary);
    else if (sent.effect) this.#overwritten({ device: deviceKey(sent.state.device), feature: sent.feature }, sent.effect);
  }

  ended(sent: Sent, how: SentEnd): void {
    const temporary = this.#begun.get(sent);
    if (!temporary) return;
    const { running, sending } = this.#kept.get(keyOf(temporary)) ?? {};
    // A failed write leaves no end behind, and what ran before goes on.
    if (how === 'failed') {
      if (sending) this.#keep(temporary, running ? { running } : {});
      return;
    }
    const feature = sent.state.shown(sent.feature);
    if (how === 'adapted' && feature && running?.parts === temporary.parts) this.#keep(running, { running: asShown(running, feature) });
  }

  /** A write of an earlier run has its answer: it was carried out, or nobody will know. */
  interrupted(write: Journaled, isApplied: boolean): void {
    const { running, sending } = this.#kept.get(keyOf(write)) ?? {};
    this.#unsettled.delete(keyOf(write));
    if (sending && isOf(write, sending)) {
      const { topic: _, id: __, ...temporary } = sending;
      this.#put(write, isApplied ? temporary : running);
    } else if (isApplied && write.values) {
      const { values, days } = write;
      this.#overwritten(write, { values: new Map(Object.entries(values)), ...(days ? { days } : {}) });
    }
    this.#changed();
  }

  #overwritten(key: Key, effect: Effect): void {
    const running = this.running(key.device, key.feature);
    const left = running && withoutWritten(running, effect);
    if (left !== running) this.#put(key, left);
  }

  #put(key: Key, running: Temporary | undefined): void {
    this.#keep(key, running ? { running } : {});
    this.#showOne(key, running);
    this.#changed();
  }

  #keep(key: Key, kept: Kept): void {
    if (kept.running || kept.sending) this.#kept.set(keyOf(key), kept);
    else this.#kept.delete(keyOf(key));
    this.#parts.store.write(printKept(this.#kept.values()));
  }

  #showOne({ device, feature }: Key, running: Temporary | undefined): void {
    const { base, states, publisher, zone } = this.#parts;
    const known = states.get(device)?.device;
    // A device that nobody knows now may come back with the next list.
    if (running && !known) return;
    const show = (whose: Device, untilMs: number): Message => ({
      topic: featureTopic(base, whose.name, feature, 'until'),
      payload: printInstant(untilMs, zone(whose)),
      retain: true,
    });
    publisher.own(untilOwner(device, feature), running && known ? [show(known, running.untilMs)] : []);
  }
}

const isOf = (write: Journaled, { device, feature, topic, id }: OnItsWay): boolean =>
  write.device === device && write.feature === feature && write.topic === topic && write.id === id;
