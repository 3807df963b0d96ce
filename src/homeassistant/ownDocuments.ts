import { isRecord, jsonObject } from '../shared/json.ts';
import { bridgeTopic } from '../topics/topicNames.ts';
import { MIGRATE } from './documentSteps.ts';
import { readDocumentTopic } from './entityDocuments.ts';
import { ORIGIN } from './ids.ts';

/** Filters of everything that Home Assistant takes for a discovery document below this prefix. */
export const documentFilters = (prefix: string): string[] => [`${prefix}/+/+/config`, `${prefix}/+/+/+/config`];

const STATE = bridgeTopic('', 'state');

/** The base of the bridge that has made this discovery document, of a device or of one entity; undefined where no bridge of this kind has. */
export const baseOfDocument = (payload: string): string | undefined => {
  const document = jsonObject(payload);
  const origin = document?.origin;
  if (!isRecord(origin) || origin.name !== ORIGIN || !Array.isArray(document?.availability)) return undefined;
  const topics = document.availability.map((entry: unknown) => (isRecord(entry) && typeof entry.topic === 'string' ? entry.topic : ''));
  return topics.find((topic) => topic.endsWith(STATE))?.slice(0, -STATE.length);
};

/** True for a discovery document that a bridge with this base has made: a second bridge's names another base. */
export const isDocumentOf = (base: string, payload: string): boolean => baseOfDocument(payload) === base;

/** Topics of the documents that a bridge with this base has made, also of those that were just handed over to the other form. */
export const documentsOf = (base: string, retained: ReadonlyMap<string, string>): string[] => {
  const topics = [...retained.keys()].filter((topic) => isDocumentOf(base, retained.get(topic) ?? ''));
  const objects = new Set(topics.map((topic) => readDocumentTopic(topic)?.object));
  const handedOver = [...retained].filter(([topic, payload]) => payload === MIGRATE && objects.has(readDocumentTopic(topic)?.object ?? ''));
  return [...topics, ...handedOver.map(([topic]) => topic)];
};
