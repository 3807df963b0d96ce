import { isRecord } from '../base/json.ts';
import { jsonObject } from '../base/jsonObject.ts';
import { bridgeTopic } from '../topics/address.ts';
import { ORIGIN } from './ids.ts';

/** Filters of everything that Home Assistant takes for a discovery document below this prefix. */
export const documentFilters = (prefix: string): string[] => [
  `${prefix}/device/+/config`,
  `${prefix}/+/+/config`,
  `${prefix}/+/+/+/config`,
];

/** True for a discovery document, of a device or of one entity, that a bridge with this base has made: a second bridge's names another base. */
export const isDocumentOf = (base: string, payload: string): boolean => {
  const document = jsonObject(payload);
  const origin = document?.origin;
  if (!isRecord(origin) || origin.name !== ORIGIN || !Array.isArray(document?.availability)) return false;
  return document.availability.some((entry: unknown) => isRecord(entry) && entry.topic === bridgeTopic(base, 'state'));
};
