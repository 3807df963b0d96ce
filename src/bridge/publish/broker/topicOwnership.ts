import type { Message } from '../../../shared/message.ts';
import type { Held } from '../../ports.ts';
import { type Device, deviceKey } from '../../state/deviceState.ts';
import { LargeText } from './largeText.ts';

/** The wanted content of a topic. */
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

/** Our retained topics and their payloads. Each topic has one owner, which lists all its topics together. */
export class TopicOwnership {
  readonly wanted = new Map<string, WantedTopic>();
  /** Topics that bypass the publisher, with their owners. */
  readonly adopted = new Map<string, string>();
  /** Arrays: an owner mostly has three topics, and a set would take twice the memory. */
  readonly #topicsOf = new Map<string, readonly string[]>();
  /** Owners by kind and device, such as `feature <key>`. The owner's last part names its object. */
  readonly #ownersOf = new Map<string, Set<string>>();
  /** Owners that listed their topics in this run. The others keep theirs: their first read may be pending. */
  readonly #named = new Set<string>();

  /** `left`: topics of earlier runs on the broker. */
  constructor(left: ReadonlyMap<string, Held>) {
    for (const [topic, { owner }] of left) this.#add(topic, owner);
  }

  /** Sets all topics of an owner. Returns the topics whose content changes, released ones first. */
  assign(owner: string, messages: readonly Message[]): string[] {
    this.#named.add(owner);
    const topics = this.#topics(owner);
    const changed: string[] = [];
    // If the names are equal, keep the stored strings, which `wanted` shares.
    if (messages.length !== topics.length || messages.some(({ topic }, at) => topic !== topics[at])) {
      const now = messages.map(({ topic }) => topic);
      this.#topicsOf.set(owner, now);
      for (const topic of topics) if (!now.includes(topic) && this.#release(topic, owner)) changed.push(topic);
    }
    for (const { topic, payload } of messages) {
      const wanted = this.wanted.get(topic);
      if (wanted?.owner === owner && wanted.is(payload)) continue;
      // The stored owner string, because each read creates a new one.
      this.wanted.set(topic, new WantedTopic(payload, wanted?.owner === owner ? wanted.owner : owner));
      changed.push(topic);
    }
    return changed;
  }

  /** A topic of an earlier run was found on the broker; true if no owner will want it. */
  find(topic: string, owner: string): boolean {
    this.#add(topic, owner);
    return !this.isOwned(topic, owner);
  }

  /** Sets the one topic of an owner that bypasses the publisher. Returns the owner's previous topics. */
  adopt(owner: string, topic: string): string[] {
    const released = this.assign(owner, []).filter((before) => before !== topic);
    this.#add(topic, owner);
    this.adopted.set(topic, owner);
    return released;
  }

  /** Another bridge now has the topics of the owner; returns them. */
  abandon(owner: string): readonly string[] {
    const topics = this.#topics(owner);
    this.#topicsOf.set(owner, []);
    for (const topic of topics) this.#release(topic, owner);
    return topics;
  }

  /** All owners with topics, wanted or left from an earlier run. */
  owners(): string[] {
    return [...this.#topicsOf].filter(([, topics]) => topics.length > 0).map(([owner]) => owner);
  }

  /** Features or composites of the device with topics of any run; `isLeft`: only those not yet listed now. */
  namesOf(kind: 'feature' | 'composite', device: Device, isLeft = false): string[] {
    const group = `${kind} ${deviceKey(device)}`;
    const names: string[] = [];
    for (const owner of this.#ownersOf.get(group) ?? [])
      if (!(isLeft && this.#named.has(owner)) && this.topicsOf(owner).length > 0) names.push(owner.slice(group.length + 1));
    return names;
  }

  /** The retained topics of an owner, wanted or left from an earlier run. */
  topicsOf(owner: string): readonly string[] {
    return this.#topicsOf.get(owner) ?? [];
  }

  /** True if the topic is wanted, or its `owner` of an earlier run has not listed its topics yet. */
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

  /** Releases the topic; true if it is no longer wanted. */
  #release(topic: string, owner: string): boolean {
    const wanted = this.wanted.get(topic);
    // Another owner may have taken over the topic, for example if two devices swapped names.
    if (wanted && wanted.owner !== owner) return false;
    this.wanted.delete(topic);
    return true;
  }
}

/** Owner of a feature's topics. Feature names have no blanks; one with a blank is safe as the last part. */
export const featureOwner = (device: Pick<Device, 'gateway' | 'device'>, feature: string): string =>
  `feature ${deviceKey(device)} ${feature}`;

/** Owner of the documents of a device (by key) or of the `bridge`. */
export const documentOwner = (key: string): string => `document ${key}`;

/** Owner of the topics of a composite. */
export const compositeOwner = (device: Device, composite: string): string => `composite ${deviceKey(device)} ${composite}`;

/** Keys of the devices with topics on the broker. */
export const publishedDevices = (held: ReadonlyMap<string, Held>): string[] => {
  const keys = [...held.values()].map(({ owner }) => owner.split(' ')[1] ?? '');
  return [...new Set(keys)].filter((key) => key.includes('/'));
};
