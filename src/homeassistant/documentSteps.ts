import type { Message } from '../shared/message.ts';
import { asComponent, deviceTopicOf, readDocumentTopic, singleDocuments, withComponents } from './entityDocuments.ts';

/** Discovery documents by topic; undefined for an unknown payload. */
export type Shown = ReadonlyMap<string, string | undefined>;

/** Documents of entities and devices that hubs have to remove, by discovery topic. */
export type Leaving = ReadonlyMap<string, string>;

/** Successive contents of an owner's discovery topics, published some seconds apart. */
export type Steps = readonly (readonly Message[])[];

/** Tells Home Assistant (2024.11) and openHAB (5.2) that the same entities move to another topic. */
export const MIGRATE = JSON.stringify({ migrate_discovery: true });

const message = (topic: string, payload: string): Message => ({ topic, payload, retain: true });

/** The single-entity topic of each entity of these documents, in either form. */
const entityTopics = (documents: readonly Message[]): ReadonlySet<string> =>
  new Set(
    documents.flatMap((one) =>
      readDocumentTopic(one.topic)?.key === undefined ? singleDocuments(one).map(({ topic }) => topic) : [one.topic],
    ),
  );

const deviceTopics = (documents: readonly Message[]): ReadonlySet<string> =>
  new Set(
    documents.flatMap(({ topic }) => {
      const place = readDocumentTopic(topic);
      return place ? [deviceTopicOf(place)] : [];
    }),
  );

/** Documents that were published before and are obsolete now: a whole device if it has no document any more, else single entities. */
export const leavingBetween = (before: Shown, wanted: readonly Message[]): Leaving => {
  const stays = entityTopics(wanted);
  const devices = deviceTopics(wanted);
  const leaving = new Map<string, string>();
  for (const [topic, payload] of before) {
    const place = readDocumentTopic(topic);
    if (payload === undefined || !place || payload === MIGRATE) continue;
    const isWhole = place.key !== undefined || !devices.has(topic);
    for (const gone of isWhole ? [{ topic, payload }] : singleDocuments({ topic, payload })) {
      if (!stays.has(gone.topic)) leaving.set(gone.topic, gone.payload);
    }
  }
  return leaving;
};

/** Those of `leaving` that are not offered again. */
export const stillLeaving = (leaving: Leaving, wanted: readonly Message[]): Leaving => {
  const back = new Set([...entityTopics(wanted), ...wanted.map(({ topic }) => topic)]);
  return new Map([...leaving].filter(([topic]) => !back.has(topic)));
};

/** Adds the leaving entities to the documents: as `entry` among the components of their device, or, with `alone`, on their own topics. */
const joined = (
  wanted: readonly Message[],
  leaving: Leaving,
  entry: (platform: string, payload: string) => unknown,
  alone: boolean,
): readonly Message[] => {
  const entries = new Map<string, Map<string, unknown>>();
  const own: Message[] = [];
  const topics = new Set(wanted.map(({ topic }) => topic));
  for (const [topic, payload] of leaving) {
    const place = readDocumentTopic(topic);
    if (!place) continue;
    const device = deviceTopicOf(place);
    if (place.key !== undefined && place.platform !== undefined && topics.has(device)) {
      const of = entries.get(device) ?? new Map<string, unknown>();
      entries.set(device, of.set(place.key, entry(place.platform, payload)));
    } else if (alone && !topics.has(topic)) own.push(message(topic, payload));
  }
  const changed = wanted.map((one) => {
    const of = entries.get(one.topic);
    return of ? message(one.topic, withComponents(one.payload, of)) : one;
  });
  return [...changed, ...own];
};

const tombstone = (platform: string): unknown => ({ platform });

const same = (a: readonly Message[], b: readonly Message[]): boolean =>
  a.length === b.length && a.every(({ topic, payload }, i) => b[i]?.topic === topic && b[i]?.payload === payload);

/** The topics whose entities now use the other form, under the same prefix. */
const migrating = (before: Shown, wanted: readonly Message[]): readonly string[] => {
  const topics = new Set(wanted.map(({ topic }) => topic));
  const devices = deviceTopics(wanted);
  const stays = entityTopics(wanted);
  return [...before.keys()].filter((topic) => {
    const place = readDocumentTopic(topic);
    if (!place || topics.has(topic) || !devices.has(deviceTopicOf(place))) return false;
    // The document of a device is replaced as a whole; that of a single entity only if the device's document has the entity.
    return place.key === undefined || (topics.has(deviceTopicOf(place)) && stays.has(topic));
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
  return same(over, wanted) ? [wanted] : [over, wanted];
};

/** After a birth message: the hub may remember leaving entities, so they are offered once more and then withdrawn. */
export const stepsAtBirth = (wanted: readonly Message[], leaving: Leaving): Steps => [
  joined(wanted, leaving, asComponent, true),
  joined(wanted, leaving, tombstone, false),
  wanted,
];
