import { isRecord, jsonObject } from '../../shared/json.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import { ORIGIN } from '../ids.ts';
import { MIGRATE } from './documentSteps.ts';
import { readDocumentTopic } from './entityDocuments.ts';

/** Filters that match every discovery topic below this prefix. */
export const documentFilters = (prefix: string): string[] => [`${prefix}/+/+/config`, `${prefix}/+/+/+/config`];

const STATE = bridgeTopic('', 'state');

/** The `mqtt.base` of the bridge that published this discovery document; undefined if another program did. */
export const baseOfDocument = (payload: string): string | undefined => {
  const document = jsonObject(payload);
  const origin = document?.origin;
  if (!isRecord(origin) || origin.name !== ORIGIN || !Array.isArray(document?.availability)) return undefined;
  const topics = document.availability.map((entry: unknown) => (isRecord(entry) && typeof entry.topic === 'string' ? entry.topic : ''));
  return topics.find((topic) => topic.endsWith(STATE))?.slice(0, -STATE.length);
};

/** Topics of the documents of a bridge with this base, also of those that are just moving to the other form. */
export const documentsOf = (base: string, retained: ReadonlyMap<string, string>): string[] => {
  const topics = [...retained.keys()].filter((topic) => baseOfDocument(retained.get(topic) ?? '') === base);
  const devices = new Set(topics.map((topic) => readDocumentTopic(topic)?.main));
  const handedOver = [...retained].filter(([topic, payload]) => payload === MIGRATE && devices.has(readDocumentTopic(topic)?.main ?? ''));
  return [...topics, ...handedOver.map(([topic]) => topic)];
};
