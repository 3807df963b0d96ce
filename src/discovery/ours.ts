import { isRecord } from '../base/json.ts';
import { jsonObject } from '../base/jsonObject.ts';
import { bridgeTopic } from '../topics/address.ts';
import { ORIGIN } from './ids.ts';
import { readDocumentTopic } from './single.ts';
import { MIGRATE } from './steps.ts';

/** Filters of everything that Home Assistant takes for a discovery document below this prefix. */
export const documentFilters = (prefix: string): string[] => [`${prefix}/+/+/config`, `${prefix}/+/+/+/config`];

/** True for a discovery document, of a device or of one entity, that a bridge with this base has made: a second bridge's names another base. */
export const isDocumentOf = (base: string, payload: string): boolean => {
  const document = jsonObject(payload);
  const origin = document?.origin;
  if (!isRecord(origin) || origin.name !== ORIGIN || !Array.isArray(document?.availability)) return false;
  return document.availability.some((entry: unknown) => isRecord(entry) && entry.topic === bridgeTopic(base, 'state'));
};

/** Topics of the documents that a bridge with this base has made, also of those that were just handed over to the other form. */
export const documentsOf = (base: string, retained: ReadonlyMap<string, string>): string[] => {
  const topics = [...retained.keys()].filter((topic) => isDocumentOf(base, retained.get(topic) ?? ''));
  const objects = new Set(topics.map((topic) => readDocumentTopic(topic)?.object));
  const handedOver = [...retained].filter(([topic, payload]) => payload === MIGRATE && objects.has(readDocumentTopic(topic)?.object ?? ''));
  return [...topics, ...handedOver.map(([topic]) => topic)];
};
