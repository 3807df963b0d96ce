import { createHash } from 'node:crypto';
import type { Message } from '../../shared/message.ts';
import { type Device, deviceKey } from '../devices/deviceState.ts';
import type { Held } from '../ports.ts';

/** What a topic shall hold; its digest is made when it is first asked for. */
export class WantedTopic {
  readonly payload: string;
  readonly owner: string;
  #hash: string | undefined;

  constructor(payload: string, owner: string) {
    this.payload = payload;
    this.owner = owner;
  }

  get hash(): string {
    this.#hash ??= digest(this.payload);
    return this.#hash;
  }
}

/** Twelve characters that differ where two payloads differ. */
export const digest = (payload: string): string => createHash('sha1').update(payload).digest('base64').slice(0, 12);

/** Which retained topics are ours, and what each shall hold: every topic has one owner, which always names all of its topics at once. */
export class TopicOwnership {
  readonly #wanted = new Map<string, WantedTopic>();
  readonly #topicsOf = new Map<string, Set<string>>();
  /** The owners of a kind and a device, as `feature <key>`. */
  readonly #ownersOf = new Map<string, Set<string>>();
  /** Owners that have named their topics in this run: the topics of others stay, as their first read may still be under way. */
  readonly #named = new Set<string>();
  readonly #adopted = new Map<string, string>();

  /** `left`: what earlier runs have left on the broker. */
  constructor(left: ReadonlyMap<string, Held>) {
    for (const [topic, { owner }] of left) this.#topics(owner).add(topic);
  }

  /** All topics of an owner from now on; gives those of which something else is wanted than before, the released ones first. */
  assign(owner: string, messages: readonly Message[]): string[] {
    this.#named.add(owner);
    const topics = this.#topics(owner);
    const now = new Set(messages.map(({ topic }) => topic));
    const changed = [...topics].filter((topic) => !now.has(topic) && this.#release(topic, owner));
    for (const { topic, payload } of messages) {
      topics.add(topic);
      const wanted = this.#wanted.get(topic);
      if (wanted?.payload === payload && wanted.owner === owner) continue;
      this.#wanted.set(topic, new WantedTopic(payload, owner));
      changed.push(topic);
    }
    return changed;
  }

  /** A topic of an earlier run was found on the broker; true where no owner will want it. */
  find(topic: string, owner: string): boolean {
    this.#topics(owner).add(topic);
    return !this.isOwned(topic, owner);
  }

  /** The one topic of an owner that is published past the publisher; gives those that the owner had before. */
  adopt(owner: string, topic: string): string[] {
    this.#named.add(owner);
    const topics = this.#topics(owner);
    const released = [...topics].filter((before) => before !== topic && this.#release(before, owner));
    topics.add(topic);
    this.#adopted.set(topic, owner);
    return released;
  }

  get adopted(): ReadonlyMap<string, string> {
    return this.#adopted;
  }

  get wanted(): ReadonlyMap<string, WantedTopic> {
    return this.#wanted;
  }

  /** Every owner that has topics, wanted or left over from an earlier run. */
  owners(): string[] {
    return [...this.#topicsOf].filter(([, topics]) => topics.size > 0).map(([owner]) => owner);
  }

  /** Those of a kind and a device, as `feature <key>`. */
  ownersOf(group: string): string[] {
    return [...(this.#ownersOf.get(group) ?? [])].filter((owner) => this.topicsOf(owner).length > 0);
  }

  topicsOf(owner: string): readonly string[] {
    return [...(this.#topicsOf.get(owner) ?? [])];
  }

  /** True where the topic is wanted, or its `owner` of an earlier run has not named its topics yet. */
  isOwned(topic: string, owner: string): boolean {
    return this.#wanted.has(topic) || this.#adopted.has(topic) || !this.#named.has(owner);
  }

  #topics(owner: string): Set<string> {
    const topics = this.#topicsOf.get(owner);
    if (topics) return topics;
    const fresh = new Set<string>();
    this.#topicsOf.set(owner, fresh);
    const group = owner.split(' ', 2).join(' ');
    const owners = this.#ownersOf.get(group) ?? new Set<string>();
    this.#ownersOf.set(group, owners.add(owner));
    return fresh;
  }

  /** True where the topic is not wanted any more. */
  #release(topic: string, owner: string): boolean {
    this.#topics(owner).delete(topic);
    const wanted = this.#wanted.get(topic);
    // Another owner may have taken the topic over, as after two devices swapped names.
    if (wanted && wanted.owner !== owner) return false;
    this.#wanted.delete(topic);
    return true;
  }
}

type Owners = Pick<TopicOwnership, 'ownersOf'>;

/** Who owns the topics of a device's feature. Features have dots and no blanks; a name with one still stays whole, being the last part. */
export const featureOwner = (device: Device, feature: string): string => `feature ${deviceKey(device)} ${feature}`;

/** Who owns the topic that tells when a write on the feature ends; `device` is its key. */
export const untilOwner = (device: string, feature: string): string => `until ${device} ${feature}`;

/** Names of the device's features that have topics, of this run or an earlier one. */
export const publishedFeatures = (publisher: Owners, device: Device): string[] => {
  const start = featureOwner(device, '');
  return publisher.ownersOf(start.trimEnd()).map((owner) => owner.slice(start.length));
};

/** Who owns the topics of a composite. */
export const compositeOwner = (device: Device, composite: string): string => `composite ${deviceKey(device)} ${composite}`;

/** Names of the device's composites that have topics, of this run or an earlier one. */
export const publishedComposites = (publisher: Owners, device: Device): string[] => {
  const start = compositeOwner(device, '');
  return publisher.ownersOf(start.trimEnd()).map((owner) => owner.slice(start.length));
};

/** Keys of the devices of which something is held. */
export const publishedDevices = (held: ReadonlyMap<string, Held>): string[] => {
  const keys = [...held.values()].map(({ owner }) => owner.split(' ')[1] ?? '');
  return [...new Set(keys)].filter((key) => key.includes('/'));
};
