import { type DocumentTopic, readDocumentTopic, singleTopic } from '../../homeassistant/documents/entityDocuments.ts';
import { baseOfDocument } from '../../homeassistant/documents/ownDocuments.ts';
import { bridgeObjectId, mainObjectId } from '../../homeassistant/ids.ts';
import type { Clock } from '../../shared/clock.ts';
import type { Log } from '../../shared/log.ts';
import type { Held, PublishedTopics, ReadRetained } from '../ports.ts';
import { LogOnce } from '../publishing/logOnce.ts';
import { digest, documentOwner } from '../publishing/topicOwnership.ts';

/** What another bridge has can go, and before something is cleared another bridge may have taken it over: what was seen counts so long. */
const HOLDS_MS = 5000;

/** The base of the other bridge that this discovery document is of; undefined for one of ours, also where it names an earlier base of ours. */
export const otherBaseOf = (payload: string, base: string, held: Held | undefined): string | undefined => {
  const by = baseOfDocument(payload);
  return by === undefined || by === base || held?.hash === digest(payload) ? undefined : by;
};

export type DocumentGuardParts = {
  readonly base: string;
  readonly publishedTopics: Pick<PublishedTopics, 'held'>;
  readonly read: ReadRetained;
  readonly clock: Clock;
  readonly log: Log;
};

/** `by`: the base of the other bridge that has documents of the device; undefined where none has. */
type Seen = { readonly owner: string; readonly atMs: number; readonly by: string | undefined };

/**
 * Keeps this bridge from writing on the discovery documents of a bridge with another base: the ids of a heating do not depend on the
 * base, so two bridges for one heating have the same document topics. The first one that has offered a device keeps it.
 */
export class DocumentGuard {
  readonly #parts: DocumentGuardParts;
  /** By the discovery topic of the device. */
  readonly #seen = new Map<string, Seen>();
  /** Those that are looked for now. */
  #looks = new Map<string, Promise<void>>();
  #asked = new Map<string, { readonly place: DocumentTopic; readonly owner: string }>();
  #next: Promise<void> | undefined;
  readonly #logged = new LogOnce();

  constructor(parts: DocumentGuardParts) {
    this.#parts = parts;
  }

  /**
   * Whether the bridge may publish on this retained topic of an owner, or with `clears` clear it; a promise that resolves when that is known.
   * Every topic but those of the documents of devices is allowed.
   */
  allows(topic: string, owner: string, clears: boolean): boolean | Promise<void> {
    // What a broker shows again after it was cleared has no owner.
    const place = owner === '' || owner.startsWith(documentOwner('')) ? readDocumentTopic(topic) : undefined;
    if (!place || place.object === bridgeObjectId(this.#parts.base)) return true;
    // The parts of a device belong to the bridge that has the device.
    const device = place.main;
    const look = this.#looks.get(device);
    if (look) return look;
    const seen = this.#seen.get(device);
    const isOld = seen !== undefined && this.#parts.clock.elapsedMs() - seen.atMs > HOLDS_MS;
    if (!seen || (isOld && (clears || seen.by !== undefined))) return this.#look(device, place, owner);
    if (seen.by === undefined) return true;
    if (!clears && this.#logged.isFirst(`${device} ${seen.by}`))
      this.#parts.log.warn(
        { device: owner.slice(documentOwner('').length), topic: device, other_base: seen.by },
        'a bridge with another mqtt.base offers this device to hubs already, so this bridge does not; if that bridge is gone, run `heating2mqtt forget` with its mqtt.base, then publish on bridge/republish/set of this one',
      );
    return false;
  }

  /** Another connection has begun, or everything is published again: what another bridge had is looked for anew. */
  reset(): void {
    for (const [device, { by }] of this.#seen) if (by !== undefined) this.#seen.delete(device);
    this.#looks = new Map();
  }

  /** What lies on the documents' topics may be otherwise by now. */
  doubt(owner: string): void {
    for (const [device, seen] of this.#seen) if (seen.owner === owner) this.#seen.delete(device);
  }

  /** Devices that are asked for in the same turn of the event loop share one look. */
  #look(device: string, place: DocumentTopic, owner: string): Promise<void> {
    this.#asked.set(device, { place, owner });
    this.#next ??= Promise.resolve().then(() => this.#lookAtAsked());
    this.#looks.set(device, this.#next);
    return this.#next;
  }

  async #lookAtAsked(): Promise<void> {
    const places = this.#asked;
    const looks = this.#looks;
    this.#asked = new Map();
    this.#next = undefined;
    const filters = [...places.values()].flatMap(({ place }) => [
      place.main,
      singleTopic({ ...place, object: mainObjectId(place.object) }, '+', '+'),
    ]);
    const { base, publishedTopics, read, clock } = this.#parts;
    // A broker that takes no second connection shows nothing.
    const found = await read(filters)
      .catch(() => read(filters))
      .catch(() => new Map<string, string>());
    if (looks !== this.#looks) return;
    const others = new Map<string, string>();
    for (const [topic, payload] of found) {
      const place = readDocumentTopic(topic);
      const by = place && otherBaseOf(payload, base, publishedTopics.held.get(topic));
      if (place && by !== undefined) others.set(place.main, by);
    }
    const atMs = clock.elapsedMs();
    for (const [device, { owner }] of places) {
      looks.delete(device);
      this.#seen.set(device, { owner, atMs, by: others.get(device) });
    }
  }
}
