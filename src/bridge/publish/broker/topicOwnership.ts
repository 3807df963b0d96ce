import type { Message } from '../../../shared/message.ts';
import type { Held } from '../../ports.ts';
import { type Device, deviceKey } from '../../state/deviceState.ts';
import { LargeText } from './largeText.ts';

/** What a topic shall hold. */
export class WantedTopic extends LargeText {
  readonly owner: string;

  constructor(payload: string, owner: string) {
    super(payload);
    this.owner = owner;
  }

  get payload(): string {
    return this.text;
  }
}

/** Which retained topics are ours, and what each shall hold: every topic has one owner, which always names all of its topics at once. */
export class TopicOwnership {
  readonly wanted = new Map<string, WantedTopic>();
  /** Topics that are published past the publisher, with their owners. */
  readonly adopted = new Map<string, string>();
  /** Mostly three of an owner: a set of them would take twice the memory. */
  readonly #topicsOf = new Map<string, readonly string[]>();
  /** By kind and device, as `feature <key>`: the owners, whose last part is the name of what they own. */
  readonly #ownersOf = new Map<string, Set<string>>();
  /** Owners that have named their topics in this run: the topics of others stay, as their first read may still be under way. */
  readonly #named = new Set<string>();

  /** `left`: what earlier runs have left on the broker. */
  constructor(left: ReadonlyMap<string, Held>) {
    for (const [topic, { owner }] of left) this.#add(topic, owner);
  }

  /** All topics of an owner from now on; gives those of which something else is wanted than before, the released ones first. */
  assign(owner: string, messages: readonly Message[]): string[] {
    this.#named.add(owner);
    const topics = this.#topics(owner);
    const changed: string[] = [];
    // The same names are kept as they are, once with `wanted`.
    if (messages.length !== topics.length || messages.some(({ topic }, at) => topic !== topics[at])) {
      const now = messages.map(({ topic }) => topic);
      this.#topicsOf.set(owner, now);
      for (const topic of topics) if (!now.includes(topic) && this.#release(topic, owner)) changed.push(topic);
    }
    for (const { topic, payload } of messages) {
      const wanted = this.wanted.get(topic);
      if (wanted?.owner === owner && wanted.is(payload)) continue;
      // Its name as it is kept already, as each read makes the text of it anew.
      this.wanted.set(topic, new WantedTopic(payload, wanted?.owner === owner ? wanted.owner : owner));
      changed.push(topic);
    }
    return changed;
  }

  /** A topic of an earlier run was found on the broker; true where no owner will want it. */
  find(topic: string, owner: string): boolean {
    this.#add(topic, owner);
    return !this.isOwned(topic, owner);
  }

  /** The one topic of an owner that is published past the publisher; gives those that the owner had before. */
  adopt(owner: string, topic: string): string[] {
    const released = this.assign(owner, []).filter((before) => before !== topic);
    this.#add(topic, owner);
    this.adopted.set(topic, owner);
    return released;
  }

  /** Another bridge has the topics of the owner now; gives them. */
  abandon(owner: string): readonly string[] {
    const topics = this.#topics(owner);
    this.#topicsOf.set(owner, []);
    for (const topic of topics) this.#release(topic, owner);
    return topics;
  }

  /** Every owner that has topics, wanted or left over from an earlier run. */
  owners(): string[] {
    return [...this.#topicsOf].filter(([, topics]) => topics.length > 0).map(([owner]) => owner);
  }

  /** Names of the device's features or composites that have topics, of this run or an earlier one. */
  namesOf(kind: 'feature' | 'composite', device: Device): string[] {
    const group = `${kind} ${deviceKey(device)}`;
    const names: string[] = [];
    for (const owner of this.#ownersOf.get(group) ?? []) if (this.topicsOf(owner).length > 0) names.push(owner.slice(group.length + 1));
    return names;
  }

  /** The retained topics of an owner, wanted or left over from an earlier run. */
  topicsOf(owner: string): readonly string[] {
    return this.#topicsOf.get(owner) ?? [];
  }

  /** True where the topic is wanted, or its `owner` of an earlier run has not named its topics yet. */
  isOwned(topic: string, owner: string): boolean {
    return this.wanted.has(topic) || this.adopted.has(topic) || !this.#named.has(owner);
  }

  #add(topic: string, owner: string): void {
    const topics = this.#topics(owner);
    if (!topics.includes(topic)) this.#topicsOf.set(owner, [...topics, topic]);
  }

  #topics(owner: string): readonly string[] {
    const known = this.#topicsOf.get(owner);
    if (known) return known;
    const group = owner.split(' ', 2).join(' ');
    this.#topicsOf.set(owner, []);
    this.#ownersOf.set(group, (this.#ownersOf.get(group) ?? new Set()).add(owner));
    return [];
  }

  /** True where the topic is not wanted any more. */
  #release(topic: string, owner: string): boolean {
    const wanted = this.wanted.get(topic);
    // Another owner may have taken the topic over, as after two devices swapped names.
    if (wanted && wanted.owner !== owner) return false;
    this.wanted.delete(topic);
    return true;
  }
}

/** Who owns the topics of a device's feature. Features have dots and no blanks; a name with one still stays whole, being the last part. */
export const featureOwner = (device: Device, feature: string): string => `feature ${deviceKey(device)} ${feature}`;

/** Who owns the documents of a device, by its key, or of the `bridge`. */
export const documentOwner = (key: string): string => `document ${key}`;

/** Who owns the topics of a composite. */
export const compositeOwner = (device: Device, composite: string): string => `composite ${deviceKey(device)} ${composite}`;

/** Keys of the devices of which something is held. */
export const publishedDevices = (held: ReadonlyMap<string, Held>): string[] => {
  const keys = [...held.values()].map(({ owner }) => owner.split(' ')[1] ?? '');
  return [...new Set(keys)].filter((key) => key.includes('/'));
};
