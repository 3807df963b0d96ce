import type { Message } from '../shared/message.ts';
import { asComponent, deviceTopicOf, readDocumentTopic, singleDocuments, withComponents } from './entityDocuments.ts';

/** Discovery documents by topic; undefined where it is not known what one says. */
export type Shown = ReadonlyMap<string, string | undefined>;

/** Entities and devices that hubs have to let go, by discovery topic: a single entity's, or a whole device's. */
export type Leaving = ReadonlyMap<string, string>;

/** What an owner's discovery topics hold, one after the other, some seconds apart. */
export type Steps = readonly (readonly Message[])[];

/** Tells Home Assistant (2024.11) and openHAB (5.2) that the same entities come by another topic. */
export const MIGRATE = JSON.stringify({ migrate_discovery: true });

const message = (topic: string, payload: string): Message => ({ topic, payload, retain: true });

/** The topics on which each entity of these documents is known, whatever the form. */
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

/** What was offered before and is not wanted any more. A device without any document is one; else each of its entities. */
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

/** Those of `leaving` that have not come back. */
export const stillLeaving = (leaving: Leaving, wanted: readonly Message[]): Leaving => {
  const back = new Set([...entityTopics(wanted), ...wanted.map(({ topic }) => topic)]);
  return new Map([...leaving].filter(([topic]) => !back.has(topic)));
};

/** Those that leave put into the documents: with `entry` beside the components of a device that stays, else with `alone` on their own topics. */
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

/** The topics whose entities come by the other form now, under the same prefix. */
const migrating = (before: Shown, wanted: readonly Message[]): readonly string[] => {
  const topics = new Set(wanted.map(({ topic }) => topic));
  const devices = deviceTopics(wanted);
  const stays = entityTopics(wanted);
  return [...before.keys()].filter((topic) => {
    const place = readDocumentTopic(topic);
    if (!place || topics.has(topic) || !devices.has(deviceTopicOf(place))) return false;
    // In the form of before all of the device comes anew; a single entity only where the device's document has it.
    return place.key === undefined || (topics.has(deviceTopicOf(place)) && stays.has(topic));
  });
};

/**
 * How documents follow others: at once; over one with tombstones where components leave that hubs know (reference/home-assistant.md §2.7);
 * or over a word that the same entities come by other topics.
 */
export const stepsTo = (before: Shown, wanted: readonly Message[], leaving: Leaving): Steps => {
  const moved = migrating(before, wanted).map((topic) => message(topic, MIGRATE));
  // Home Assistant 2026.11 warns of each old topic that is cleared after it has taken the entity by the new one; at the word alone it lets go.
  if (moved.length > 0) return [moved, wanted];
  const over = joined(wanted, leaving, tombstone, false);
  return same(over, wanted) ? [wanted] : [over, wanted];
};

/** A hub was born that may know the ones that leave from an earlier run: they are offered in full once more, then taken back. */
export const stepsAtBirth = (wanted: readonly Message[], leaving: Leaving): Steps => [
  joined(wanted, leaving, asComponent, true),
  joined(wanted, leaving, tombstone, false),
  wanted,
];
