import { isDeepStrictEqual } from 'node:util';
import { jsonObject } from '../../shared/json.ts';
import type { Message } from '../../shared/message.ts';
import { mainObjectId } from '../ids.ts';
import {
  asComponent,
  componentsOf,
  type DocumentTopic,
  readDocumentTopic,
  singleDocuments,
  singleTopic,
  withComponents,
} from './entityDocuments.ts';

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

type Text = Pick<Message, 'topic' | 'payload'>;

/** An entity as hubs know it, whichever document offers it, and its single-entity topic. */
type Known = { readonly entity: string; readonly single: string };

const known = (place: DocumentTopic, platform: string, key: string, uniqueId: unknown): Known => ({
  // Unique ids are made so.
  entity: `${place.prefix} ${platform} ${typeof uniqueId === 'string' ? uniqueId : `${mainObjectId(place.object)}_${key}`}`,
  single: singleTopic(place, platform, key),
});

/** The entities of a document of either form. */
const knownIn = ({ topic, payload }: Text): readonly Known[] => {
  const place = readDocumentTopic(topic);
  if (!place || payload === MIGRATE) return [];
  const { platform, key } = place;
  if (platform !== undefined && key !== undefined) return [known(place, platform, key, jsonObject(payload)?.unique_id)];
  return [...componentsOf(payload)].map(([of, component]) => known(place, component.platform, of, component.unique_id));
};

/** What these documents offer, in either form: the topics of their devices, and by entity the topic of its document. */
const offeredBy = (documents: readonly Message[]) => {
  const [devices, holders] = [new Set<string>(), new Map<string, string>()];
  for (const one of documents) {
    const place = readDocumentTopic(one.topic);
    if (place) devices.add(place.device);
    for (const { entity } of knownIn(one)) holders.set(entity, one.topic);
  }
  return { devices, holders };
};

type Offered = ReturnType<typeof offeredBy>;

/** What of an obsolete document nothing else offers: the whole document if that is all of it, else single entities. */
const goneOf = (text: Text, { devices, holders }: Offered): readonly Text[] => {
  const all = knownIn(text);
  const gone = new Set(all.filter(({ entity }) => !holders.has(entity)).map(({ single }) => single));
  const isSingle = readDocumentTopic(text.topic)?.key !== undefined;
  if (gone.size === 0) return [];
  if (isSingle || (gone.size === all.length && !devices.has(text.topic))) return [text];
  return singleDocuments(text).filter(({ topic }) => gone.has(topic));
};

const leavingOf = (texts: readonly Text[], wanted: readonly Message[]): Leaving => {
  if (texts.length === 0) return new Map();
  const offered = offeredBy(wanted);
  return new Map(texts.flatMap((text) => goneOf(text, offered)).map(({ topic, payload }) => [topic, payload]));
};

/** The documents of `before` that are obsolete or replaced. A long document is only looked into where another one was there. */
const changedIn = (before: Shown, wanted: readonly Message[]): readonly Text[] => {
  const same = new Map(wanted.map(({ topic, payload }) => [topic, payload]));
  return [...before].flatMap(([topic, payload]) => (payload === undefined || same.get(topic) === payload ? [] : [{ topic, payload }]));
};

/** Documents that were published before and are obsolete now: a whole device if nothing of it is offered any more, else single entities. */
export const leavingBetween = (before: Shown, wanted: readonly Message[]): Leaving => leavingOf(changedIn(before, wanted), wanted);

/** Those of `leaving` that are not offered again. */
export const stillLeaving = (leaving: Leaving, wanted: readonly Message[]): Leaving =>
  leavingOf(
    [...leaving].map(([topic, payload]) => ({ topic, payload })),
    wanted,
  );

/** Adds the leaving entities to the documents: as `entry` among the components of their device, or, with `alone`, on their own topics. */
const joined = (
  wanted: readonly Message[],
  leaving: Leaving,
  entry: (platform: string, payload: string) => unknown,
  alone: boolean,
): readonly Message[] => {
  const gone = [...leaving].flatMap(([topic, payload]) => {
    const place = readDocumentTopic(topic);
    return place ? [{ topic, payload, ...place }] : [];
  });
  const topics = topicsOf(wanted);
  // A whole device that leaves has the entities that left it before.
  const whole = alone ? gone.filter(({ topic, key }) => key === undefined && !topics.has(topic)) : [];
  const documents = [...wanted, ...whole.map(({ topic, payload }) => message(topic, payload))];
  const held = topicsOf(documents);
  const isEntry = ({ key, device }: DocumentTopic): boolean => key !== undefined && held.has(device);
  const entries = Map.groupBy(gone.filter(isEntry), ({ device }) => device);
  const changed = documents.map((one) => {
    const of = entries.get(one.topic)?.map(({ key = '', platform = '', payload }) => [key, entry(platform, payload)] as const);
    return of ? message(one.topic, withComponents(one.payload, of)) : one;
  });
  const own = alone ? gone.filter((one) => one.key !== undefined && !isEntry(one) && !held.has(one.topic)) : [];
  return [...changed, ...own.map(({ topic, payload }) => message(topic, payload))];
};

const tombstone = (platform: string): unknown => ({ platform });

/** The topics of `before` with an entity that another document offers now. */
const moving = (before: Shown, wanted: readonly Message[]): ReadonlySet<string> => {
  const changed = changedIn(before, wanted);
  const topics = topicsOf(wanted);
  const unknown = [...before].filter(([, payload]) => payload === undefined).map(([topic]) => topic);
  if (changed.length + unknown.length === 0) return new Set();
  const { holders } = offeredBy(wanted);
  const moved = changed.filter((one) => knownIn(one).some(({ entity }) => (holders.get(entity) ?? one.topic) !== one.topic));
  // Of an unknown payload only the topic tells what it can have been.
  const mains = Map.groupBy(new Set([...topics, ...unknown]), (topic) => readDocumentTopic(topic)?.main);
  const mayMove = (topic: string): boolean => {
    const place = readDocumentTopic(topic);
    if (!place) return false;
    const { platform, key, main } = place;
    if (platform === undefined || key === undefined) return (mains.get(main) ?? []).some((other) => other !== topic);
    return !topics.has(topic) && holders.has(known(place, platform, key, undefined).entity);
  };
  return new Set([...moved.map(({ topic }) => topic), ...unknown.filter(mayMove)]);
};

/** The documents of `before` while `released` ones are handed over; those that nobody wants any more and that leave are not there. */
const releasing = (before: Shown, wanted: readonly Message[], leaving: Leaving, released: ReadonlySet<string>): readonly Message[] => {
  const next = new Map(wanted.map(({ topic, payload }) => [topic, payload]));
  return [...before].flatMap(([topic, payload]) => {
    // Home Assistant 2026.11 warns if an old topic is cleared after the entity has moved. It releases the entity at `migrate_discovery` alone.
    if (released.has(topic)) return [message(topic, MIGRATE)];
    const kept = payload ?? next.get(topic);
    return next.has(topic) && !leaving.has(topic) && kept !== undefined ? [message(topic, kept)] : [];
  });
};

/** The step before a birth's if entities move from one document to another. */
export const handOver = (before: Shown, wanted: readonly Message[], leaving: Leaving): Steps => {
  const released = moving(before, wanted);
  return released.size === 0 ? [] : [releasing(before, wanted, leaving, released)];
};

/**
 * The steps from the documents of `before` to the wanted ones: directly; with tombstones first if components leave, because Home Assistant
 * removes a component only for a tombstone; and with `migrate_discovery` first if entities move to another document, as to the other form
 * or to the device of a part: hubs then release them and keep what they know of them.
 */
export const stepsTo = (before: Shown, wanted: readonly Message[], leaving: Leaving): Steps => {
  const released = moving(before, wanted);
  const isReleased = (topic: string): boolean => !before.has(topic) && released.has(readDocumentTopic(topic)?.device ?? '');
  const [early, late] = [new Map<string, string>(), new Map<string, string>()];
  for (const [topic, payload] of leaving) (isReleased(topic) ? early : late).set(topic, payload);
  const over = joined(wanted, late, tombstone, false);
  const last = isDeepStrictEqual(over, wanted) ? [wanted] : [over, wanted];
  if (released.size === 0) return last;
  const handedOver = [releasing(before, wanted, leaving, released), ...last];
  if (early.size === 0) return handedOver;
  const shown = [...before].flatMap(([topic, payload]) => (payload === undefined || leaving.has(topic) ? [] : [message(topic, payload)]));
  return [joined(shown, early, tombstone, false), ...handedOver];
};

/**
 * What the next run has to take for shown if the bridge is stopped in step `n` or after it; undefined where that stays as it is. After a
 * hand-over the old documents are history, but what leaves is there until the last step.
 */
export const notedAt = (n: number, steps: Steps, wanted: readonly Message[], leaving: Leaving): readonly Message[] | undefined => {
  if (n === steps.length - 1) return wanted;
  const isHandedOver = steps[n - 1]?.some(({ payload }) => payload === MIGRATE);
  return isHandedOver ? joined(wanted, leaving, asComponent, true) : undefined;
};

/** After a birth message: the hub may remember leaving entities, so they are offered once more and then withdrawn. */
export const stepsAtBirth = (wanted: readonly Message[], leaving: Leaving): Steps => [
  joined(wanted, leaving, asComponent, true),
  joined(wanted, leaving, tombstone, false),
  wanted,
];
