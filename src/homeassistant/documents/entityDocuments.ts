import { isRecord, jsonObject } from '../../shared/json.ts';
import type { Message } from '../../shared/message.ts';
import { mainObjectId } from '../ids.ts';

/** The form of discovery: one document per device, or one per entity (the only form for openHAB before 5.2). */
export type Form = 'device' | 'entity';

/**
 * The parts of a discovery topic; that of a whole device has no `key` and `platform`. `device` is the topic of the device's document, `main`
 * that of the device of which it is a part, or the same.
 */
export type DocumentTopic = {
  readonly prefix: string;
  readonly object: string;
  readonly platform?: string;
  readonly key?: string;
  readonly device: string;
  readonly main: string;
};

const WHOLE = /^(?<prefix>.+)\/device\/(?<object>[^/]*)\/config$/su;
const SINGLE = /^(?<prefix>.+)\/(?<platform>[^/]*)\/(?<object>[^/]*)\/(?<key>[^/]*)\/config$/su;

/** Parses a discovery topic; undefined for any other topic. */
export const readDocumentTopic = (topic: string): DocumentTopic | undefined => {
  const { prefix, object, platform, key } = (WHOLE.exec(topic) ?? SINGLE.exec(topic))?.groups ?? {};
  if (prefix === undefined || object === undefined) return undefined;
  const whole = { prefix, object, device: `${prefix}/device/${object}/config`, main: `${prefix}/device/${mainObjectId(object)}/config` };
  return platform === undefined || key === undefined ? whole : { ...whole, platform, key };
};

/** True for the discovery topic of a part of a device, in either form. */
export const isOfPart = (topic: string): boolean => {
  const place = readDocumentTopic(topic);
  return place !== undefined && place.main !== place.device;
};

/** The topic of a single entity. Home Assistant identifies it with the component of the device's document. */
export const singleTopic = ({ prefix, object }: DocumentTopic, platform: string, key: string): string =>
  `${prefix}/${platform}/${object}/${key}/config`;

/** The components of a device's document by key, without tombstones; empty for any other payload. */
export const componentsOf = (payload: string): ReadonlyMap<string, Readonly<Record<string, unknown>> & { readonly platform: string }> => {
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

/** Splits a device's document into one for each entity, with the same ids, topics and options. */
export const singleDocuments = ({ topic, payload }: Pick<Message, 'topic' | 'payload'>): Message[] => {
  const place = readDocumentTopic(topic);
  const { components: _, ...shared } = jsonObject(payload) ?? {};
  if (!place) return [];
  return [...componentsOf(payload)].map(([key, { platform, ...component }]) => ({
    topic: singleTopic(place, platform, key),
    payload: JSON.stringify({ ...shared, ...component }),
    retain: true,
  }));
};

/** Converts the document of a single entity to a component of its device's document; undefined for any other payload. */
export const asComponent = (platform: string, payload: string): Readonly<Record<string, unknown>> | undefined => {
  const document = jsonObject(payload);
  if (!document) return undefined;
  const { device: _, origin: __, ...component } = document;
  return { platform, ...component };
};

/** A device's document with these components added or replaced. */
export const withComponents = (payload: string, entries: readonly (readonly [key: string, component: unknown])[]): string => {
  const document = jsonObject(payload) ?? {};
  const before = isRecord(document.components) ? document.components : {};
  return JSON.stringify({ ...document, components: { ...before, ...Object.fromEntries(entries) } });
};
