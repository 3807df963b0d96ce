import { isRecord, jsonObject } from '../shared/json.ts';
import type { Message } from '../shared/message.ts';

/** How discovery is offered: one document per device, or one per entity (openHAB before 5.2 knows only these). */
export type Form = 'device' | 'entity';

/** What a discovery topic says; `key` and `platform` are absent in the topic of a whole device. */
export type DocumentTopic = { readonly prefix: string; readonly object: string; readonly platform?: string; readonly key?: string };

/** Takes a discovery topic apart; undefined where it is none of ours by its form. */
export const readDocumentTopic = (topic: string): DocumentTopic | undefined => {
  const levels = topic.split('/');
  const tail = levels.at(-4) === undefined || levels.at(-3) === 'device' ? levels.splice(-3) : levels.splice(-4);
  const prefix = levels.join('/');
  if (tail.at(-1) !== 'config' || prefix === '') return undefined;
  const [first, object, key] = tail;
  if (first === undefined || object === undefined || key === undefined) return undefined;
  return tail.length === 3 ? { prefix, object } : { prefix, object, platform: first, key };
};

export const deviceTopicOf = ({ prefix, object }: DocumentTopic): string => `${prefix}/device/${object}/config`;

/** Home Assistant knows a component of a device by the same identity as the document of a single entity on this topic. */
export const singleTopic = ({ prefix, object }: DocumentTopic, platform: string, key: string): string =>
  `${prefix}/${platform}/${object}/${key}/config`;

/** The components of a device's document that are offered there, by key; none for any other payload, and no tombstones. */
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

/** A device's document as one document for each entity: the same ids, topics and options, for hubs that know no devices' documents. */
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

/** The component that a single document stands for, as it would be in its device's document; undefined where it is none. */
export const asComponent = (platform: string, payload: string): Readonly<Record<string, unknown>> | undefined => {
  const document = jsonObject(payload);
  if (!document) return undefined;
  const { device: _, origin: __, ...component } = document;
  return { platform, ...component };
};

/** A device's document with other entries among its components. */
export const withComponents = (payload: string, entries: ReadonlyMap<string, unknown>): string => {
  const document = jsonObject(payload) ?? {};
  const before = isRecord(document.components) ? document.components : {};
  return JSON.stringify({ ...document, components: { ...before, ...Object.fromEntries(entries) } });
};
