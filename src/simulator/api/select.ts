import type { FeatureRecord } from '../home/record.ts';
import { type Answer, type Request, unsupportedType, validationError } from '../http/answer.ts';
import { isArray, isObject, type Json, type JsonObject, parseJson } from '../http/json.ts';

/** The filter for the records of a list, or the refusal of a wrong filter. */
export type Selection = { readonly wanted: (record: FeatureRecord) => boolean } | { readonly refusal: Answer };

/** `N` matches a number, `*` any text, everything else itself. */
const glob = (filter: string): RegExp => {
  const segments = filter.split('.').map((segment) => {
    if (segment === 'N') return '\\d+';
    return segment.replace(/[\\^$+?.()|[\]{}]/g, '\\$&').replaceAll('*', '.*');
  });
  return new RegExp(`^${segments.join('\\.')}$`);
};

const wrong = (path: string, message: string): Selection => ({ refusal: validationError([{ path, message }]) });

const readSwitch = (value: Json | undefined): boolean | undefined => {
  if (value === undefined || value === false || value === 'false') return false;
  return value === true || value === 'true' ? true : undefined;
};

const readFilters = (value: Json | undefined): readonly RegExp[] | undefined => {
  const names = value === undefined ? [] : isArray(value) ? value : [value];
  const texts = names.filter((name) => typeof name === 'string');
  if (texts.length < names.length) return undefined;
  return texts.flatMap((text) => text.split(',').filter((name) => name !== '')).map(glob);
};

const readRegex = (value: Json | undefined): RegExp | undefined => {
  try {
    return typeof value === 'string' ? new RegExp(value, 'u') : undefined;
  } catch {
    return undefined;
  }
};

/** Reads the four filters, from a query or a body; a wrong one is refused as the platform does. */
const select = (words: JsonObject): Selection => {
  const filters = readFilters(words.filter);
  if (!filters) return wrong('filter', 'must be a text or a list of texts');
  const regex = readRegex(words.regex);
  if (words.regex !== undefined && !regex) return wrong('regex', 'must be a regular expression');
  const skipDisabled = readSwitch(words.skipDisabled);
  if (skipDisabled === undefined) return wrong('skipDisabled', 'must be true or false');
  const skipNotReady = readSwitch(words.skipNotReady);
  if (skipNotReady === undefined) return wrong('skipNotReady', 'must be true or false');
  return {
    wanted: (record) =>
      (filters.length === 0 || filters.some((filter) => filter.test(record.name))) &&
      (regex?.test(record.name) ?? true) &&
      (record.presence === 'enabled' || !skipDisabled) &&
      (record.isReady || !skipNotReady),
  };
};

const fromQuery = (query: URLSearchParams): JsonObject =>
  Object.fromEntries(
    ['filter', 'regex', 'skipDisabled', 'skipNotReady'].flatMap((name) => {
      const [first, ...more] = query.getAll(name);
      return first === undefined ? [] : [[name, more.length === 0 ? first : [first, ...more]]];
    }),
  );

/** Reads the filters of a request: from its query or, with POST, from its body. */
export const readSelection = (request: Request): Selection => {
  if (request.method === 'GET') return select(fromQuery(request.query));
  if (request.contentType !== 'application/json') return { refusal: unsupportedType() };
  const body = parseJson(request.body);
  return isObject(body) ? select(body) : wrong('', 'must be a JSON object');
};
