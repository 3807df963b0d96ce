import type { Message } from '../../shared/message.ts';
import {
  type Component,
  componentsOf,
  MIGRATE,
  mainDocumentTopic,
  type PublishedDocument,
  withComponents,
  withMoreComponents,
} from './publishedDocument.ts';

/** The discovery documents of an owner, by topic. */
export type DocumentsByTopic = ReadonlyMap<string, string>;

/** The components that hubs must still remove: by discovery topic, a document with only these. */
export type Leaving = ReadonlyMap<string, string>;

/** Successive contents of an owner's discovery topics, published some seconds apart. */
export type Steps = readonly (readonly Message[])[];

const message = (topic: string, payload: string): Message => ({ topic, payload, retain: true });

/** The identity of an entity for hubs, whichever document of the device or its parts offers it. */
const entityId = (topic: string, { platform, unique_id: id }: Component): string => `${mainDocumentTopic(topic)} ${platform} ${String(id)}`;

/** The topic of the offering document, by entity. */
const topicsByEntity = (documents: readonly PublishedDocument[]): ReadonlyMap<string, string> =>
  new Map(
    documents.flatMap(({ topic, payload }) => [...componentsOf(payload).values()].map((one) => [entityId(topic, one), topic] as const)),
  );

/** The documents of `before` that are obsolete or replaced. */
const changedIn = (before: DocumentsByTopic, wanted: readonly Message[]): readonly PublishedDocument[] => {
  const now = new Map(wanted.map(({ topic, payload }) => [topic, payload]));
  return [...before].flatMap(([topic, payload]) => (now.get(topic) === payload ? [] : [{ topic, payload }]));
};

/** The components of these documents that `wanted` does not offer. */
const missingIn = (documents: readonly PublishedDocument[], wanted: readonly Message[]): Leaving => {
  // Documents are long: parse the new ones only if there were others.
  if (documents.length === 0) return new Map();
  const offered = topicsByEntity(wanted);
  return new Map(
    documents.flatMap(({ topic, payload }) => {
      const gone = [...componentsOf(payload)].filter(([, component]) => !offered.has(entityId(topic, component)));
      return gone.length === 0 ? [] : [[topic, withComponents(payload, gone)] as const];
    }),
  );
};

/** The components that were published before and are obsolete now. */
export const leavingBetween = (before: DocumentsByTopic, wanted: readonly Message[]): Leaving =>
  missingIn(changedIn(before, wanted), wanted);

/** The components of both that are not offered again. */
export const stillLeaving = (former: Leaving, fresh: Leaving, wanted: readonly Message[]): Leaving => {
  const all = new Map(former);
  for (const [topic, payload] of fresh) {
    const known = all.get(topic);
    all.set(topic, known === undefined ? payload : withMoreComponents(known, componentsOf(payload)));
  }
  return missingIn(
    [...all].map(([topic, payload]) => ({ topic, payload })),
    wanted,
  );
};

/** The documents with their leaving components added, each as `entry`. */
const withLeaving = (documents: readonly Message[], leaving: Leaving, entry: (component: Component) => unknown): readonly Message[] =>
  documents.map((one) => {
    const gone = leaving.get(one.topic);
    if (gone === undefined) return one;
    const entries = [...componentsOf(gone)].map(([key, component]) => [key, entry(component)] as const);
    return message(one.topic, withMoreComponents(one.payload, entries));
  });

/** Home Assistant removes a component only for a tombstone. */
const tombstone = ({ platform }: Component): unknown => ({ platform });

/** The topics of `before` with an entity that another document offers now. */
const moving = (before: DocumentsByTopic, wanted: readonly Message[]): ReadonlySet<string> => {
  const changed = changedIn(before, wanted);
  if (changed.length === 0) return new Set();
  const offered = topicsByEntity(wanted);
  const moves = ({ topic, payload }: PublishedDocument): boolean =>
    [...componentsOf(payload).values()].some((one) => (offered.get(entityId(topic, one)) ?? topic) !== topic);
  return new Set(changed.filter(moves).map(({ topic }) => topic));
};

/** The documents of `before` that are published again or whose entities move; the others are cleared. */
const remaining = (before: DocumentsByTopic, wanted: readonly Message[], released: ReadonlySet<string>): readonly Message[] => {
  const topics = new Set(wanted.map(({ topic }) => topic));
  return [...before].flatMap(([topic, payload]) => (topics.has(topic) || released.has(topic) ? [message(topic, payload)] : []));
};

const releasing = (documents: readonly Message[], released: ReadonlySet<string>): readonly Message[] =>
  documents.map((one) => (released.has(one.topic) ? message(one.topic, MIGRATE) : one));

/** If entities move between documents, the step before those of a birth message; else none. */
export const handOver = (before: DocumentsByTopic, wanted: readonly Message[]): Steps => {
  const released = moving(before, wanted);
  return released.size === 0 ? [] : [releasing(remaining(before, wanted, released), released)];
};

/**
 * The steps from the documents of `before` to the wanted ones. Leaving components first get tombstones. If
 * entities move to another document, for example to a new part, `migrate_discovery` comes before the wanted
 * documents: hubs then release the entities and keep their data. After a stop in between, all steps are
 * repeated.
 */
export const stepsTo = (before: DocumentsByTopic, wanted: readonly Message[], leaving: Leaving): Steps => {
  const released = moving(before, wanted);
  const documents = released.size === 0 ? wanted : remaining(before, wanted, released);
  const removing = withLeaving(documents, leaving, tombstone);
  return [
    ...(documents.some(({ topic }) => leaving.has(topic)) ? [removing] : []),
    ...(released.size === 0 ? [] : [releasing(removing, released)]),
    wanted,
  ];
};

/** After a birth message: hubs may remember leaving entities; offer these again, then withdraw them. */
export const stepsAtBirth = (wanted: readonly Message[], leaving: Leaving): Steps => {
  const topics = new Set(wanted.map(({ topic }) => topic));
  const whole = [...leaving].flatMap(([topic, payload]) => (topics.has(topic) ? [] : [message(topic, payload)]));
  return [[...withLeaving(wanted, leaving, (component) => component), ...whole], withLeaving(wanted, leaving, tombstone), wanted];
};
