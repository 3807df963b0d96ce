import { isDeepStrictEqual } from 'node:util';
import type { Message } from '../shared/message.ts';
import { asComponent, type DocumentTopic, readDocumentTopic, singleDocuments, withComponents } from './entityDocuments.ts';

/** Discovery documents by topic; undefined for an unknown payload. */
export type Shown = ReadonlyMap<string, string | undefined>;

/** Documents of entities and devices that hubs have to remove, by discovery topic. */
export type Leaving = ReadonlyMap<string, string>;

/** Successive contents of an owner's discovery topics, published some seconds apart. */
export type Steps = readonly (readonly Message[])[];

/** Tells Home Assistant (2024.11) and openHAB (5.2) that the same entities move to another topic. */
export const MIGRATE = JSON.stringify({ migrate_discovery: true });

const message = (topic: string, payload: string): Message => ({ topic, payload, retain: true });

const topicsOf = (documents: readonly Message[]): ReadonlySet<string> => new Set(documents.map(({ topic }) => topic));

/** What these documents offer: the topics of their devices, and the single-entity topic of each entity, in either form. */
const offeredBy = (documents: readonly Message[]) => {
  const [devices, entities] = [new Set<string>(), new Set<string>()];
  for (const one of documents) {
    const place = readDocumentTopic(one.topic);
    if (place) devices.add(place.device);
    for (const { topic } of place?.key === undefined ? singleDocuments(one) : [one]) entities.add(topic);
  }
  return { devices, entities };
};

/** Documents that were published before and are obsolete now: a whole device if it has no document any more, else single entities. */
export const leavingBetween = (before: Shown, wanted: readonly Message[]): Leaving => {
  const leaving = new Map<string, string>();
  const same = new Map(wanted.map(({ topic, payload }) => [topic, payload]));
  // A long document is only looked into where another one was there.
  const others = [...before].filter(([topic, payload]) => payload !== undefined && same.get(topic) !== payload);
  if (others.length === 0) return leaving;
  const { devices, entities } = offeredBy(wanted);
  for (const [topic, payload] of others) {
    const place = readDocumentTopic(topic);
    if (payload === undefined || !place || payload === MIGRATE) continue;
    const isWhole = place.key !== undefined || !devices.has(topic);
    for (const gone of isWhole ? [{ topic, payload }] : singleDocuments({ topic, payload })) {
      if (!entities.has(gone.topic)) leaving.set(gone.topic, gone.payload);
    }
  }
  return leaving;
};

/** Those of `leaving` that are not offered again. */
export const stillLeaving = (leaving: Leaving, wanted: readonly Message[]): Leaving => {
  if (leaving.size === 0) return leaving;
  const topics = topicsOf(wanted);
  const { entities } = offeredBy(wanted);
  return new Map([...leaving].filter(([topic]) => !entities.has(topic) && !topics.has(topic)));
};

/** Adds the leaving entities to the documents: as `entry` among the components of their device, or, with `alone`, on their own topics. */
const joined = (
  wanted: readonly Message[],
  leaving: Leaving,
  entry: (platform: string, payload: string) => unknown,
  alone: boolean,
): readonly Message[] => {
  const topics = topicsOf(wanted);
  const gone = [...leaving].flatMap(([topic, payload]) => {
    const place = readDocumentTopic(topic);
    return place ? [{ topic, payload, ...place }] : [];
  });
  const isEntry = ({ key, device }: DocumentTopic): boolean => key !== undefined && topics.has(device);
  const entries = Map.groupBy(gone.filter(isEntry), ({ device }) => device);
  const changed = wanted.map((one) => {
    const of = entries.get(one.topic)?.map(({ key = '', platform = '', payload }) => [key, entry(platform, payload)] as const);
    return of ? message(one.topic, withComponents(one.payload, of)) : one;
  });
  const own = alone ? gone.filter((one) => !isEntry(one) && !topics.has(one.topic)) : [];
  return [...changed, ...own.map(({ topic, payload }) => message(topic, payload))];
};

const tombstone = (platform: string): unknown => ({ platform });

/** The topics whose entities now use the other form, under the same prefix. */
const migrating = (before: Shown, wanted: readonly Message[]): readonly string[] => {
  const topics = topicsOf(wanted);
  const others = [...before.keys()].filter((topic) => !topics.has(topic));
  if (others.length === 0) return [];
  const { devices, entities } = offeredBy(wanted);
  return others.filter((topic) => {
    const place = readDocumentTopic(topic);
    if (!place || !devices.has(place.device)) return false;
    // The document of a device is replaced as a whole; that of a single entity only if the device's document has the entity.
    return place.key === undefined || (topics.has(place.device) && entities.has(topic));
  });
};

/**
 * The steps from the documents of `before` to the wanted ones: directly; with tombstones first if components leave, because Home Assistant
 * removes a component only for a tombstone; or with `migrate_discovery` first if the same entities move to other topics.
 */
export const stepsTo = (before: Shown, wanted: readonly Message[], leaving: Leaving): Steps => {
  const moved = migrating(before, wanted).map((topic) => message(topic, MIGRATE));
  // Home Assistant 2026.11 warns if an old topic is cleared after the entity has moved. It releases the entity at `migrate_discovery` alone.
  if (moved.length > 0) return [moved, wanted];
  const over = joined(wanted, leaving, tombstone, false);
  return isDeepStrictEqual(over, wanted) ? [wanted] : [over, wanted];
};

/** After a birth message: the hub may remember leaving entities, so they are offered once more and then withdrawn. */
export const stepsAtBirth = (wanted: readonly Message[], leaving: Leaving): Steps => [
  joined(wanted, leaving, asComponent, true),
  joined(wanted, leaving, tombstone, false),
  wanted,
];
