import { isRecord, jsonObject } from '../../shared/json.ts';
import type { Message } from '../../shared/message.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import { mainObjectId, ORIGIN } from '../ids.ts';

/** A discovery document that is or was retained on the broker. */
export type PublishedDocument = Pick<Message, 'topic' | 'payload'>;

/** Tells Home Assistant (2024.11) and openHAB (5.2) that this document's entities move to other documents. */
export const MIGRATE = JSON.stringify({ migrate_discovery: true });

/** A filter that matches every discovery topic of a device below this prefix. */
export const documentFilter = (prefix: string): string => `${prefix}/device/+/config`;

const TOPIC = /^(?<prefix>.+)\/device\/(?<object>[^/]*)\/config$/su;

/** The object id in the discovery topic of a device; undefined for any other topic. */
export const documentObject = (topic: string): string | undefined => TOPIC.exec(topic)?.groups?.['object'];

/** The discovery topic of the device that this part belongs to; the topic itself if it is not a part's. */
export const mainDocumentTopic = (topic: string): string => {
  const { prefix, object } = TOPIC.exec(topic)?.groups ?? {};
  return prefix === undefined || object === undefined ? topic : `${prefix}/device/${mainObjectId(object)}/config`;
};

export type Component = Readonly<Record<string, unknown>> & { readonly platform: string };

/** The components of a device's document by key, without tombstones; empty for any other payload. */
export const componentsOf = (payload: string): ReadonlyMap<string, Component> => {
  const components = jsonObject(payload)?.components;
  if (!isRecord(components)) return new Map();
  return new Map(
    Object.entries(components).flatMap(([key, component]) =>
      isRecord(component) && typeof component.platform === 'string' && Object.keys(component).length > 1
        ? [[key, { ...component, platform: component.platform }] as const]
        : [],
    ),
  );
};

/** The document with its components replaced by these. */
export const withComponents = (payload: string, components: Iterable<readonly [key: string, component: unknown]>): string =>
  JSON.stringify({ ...jsonObject(payload), components: Object.fromEntries(components) });

/** The document with these components added or replaced. */
export const withMoreComponents = (payload: string, entries: Iterable<readonly [key: string, component: unknown]>): string => {
  const before = jsonObject(payload)?.components;
  return withComponents(payload, [...Object.entries(isRecord(before) ? before : {}), ...entries]);
};

const STATE = bridgeTopic('', 'state');

/** The `mqtt.base` of the bridge that published this discovery document; undefined if another program did. */
export const baseOfDocument = (payload: string): string | undefined => {
  const document = jsonObject(payload);
  const origin = document?.origin;
  if (!isRecord(origin) || origin.name !== ORIGIN || !Array.isArray(document?.availability)) return undefined;
  const topics = document.availability.map((entry: unknown) => (isRecord(entry) && typeof entry.topic === 'string' ? entry.topic : ''));
  return topics.find((topic) => topic.endsWith(STATE))?.slice(0, -STATE.length);
};

/**
 * The input of `documentsOf`: a document without its components, which are some hundred kilobytes. Undefined
 * for a large document that is certainly not from a bridge with this base.
 */
export const documentHead = (base: string, payload: Buffer): string | undefined => {
  if (payload.length <= MIGRATE.length) return payload.toString();
  // A document has the base first, in its availability: no need to search the whole document.
  const [own, any] = [JSON.stringify(`${base}${STATE}`), `${STATE}"`];
  const at = payload.indexOf(any);
  const isOwn = at >= 0 && payload.toString('utf8', at + any.length - Buffer.byteLength(own), at + any.length) === own;
  return isOwn ? withComponents(payload.toString(), []) : undefined;
};

/** Topics of the documents of a bridge with this base, including those with moving entities. */
export const documentsOf = (base: string, retained: ReadonlyMap<string, string>): string[] => {
  const topics = [...retained.keys()].filter((topic) => baseOfDocument(retained.get(topic) ?? '') === base);
  const devices = new Set(topics.map(mainDocumentTopic));
  const moving = [...retained].filter(([topic, payload]) => payload === MIGRATE && devices.has(mainDocumentTopic(topic)));
  return [...topics, ...moving.map(([topic]) => topic)];
};
