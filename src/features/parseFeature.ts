import { bad, broken, type Checked, good, type Issue, pointer, shown } from '../shared/issue.ts';
import { isDeeperThan, isRecord } from '../shared/json.ts';
import type { Command, Feature, Json, Parameter, Property } from './feature.ts';

/** True for what can stand in an address of the platform: no step in a path, and text. */
const isName = (name: string): boolean => !/^\.{0,2}$/.test(name) && name.isWellFormed();

type Raw = Readonly<Record<string, unknown>>;
type Keys = readonly string[];

/** The records of a body: `{"data":{…}}`, `{"data":[…]}`, one bare record, or a bare array; undefined where it is none of these. */
export const recordsOf = (body: unknown): readonly unknown[] | undefined => {
  if (Array.isArray(body)) return body;
  if (!isRecord(body)) return undefined;
  if ('feature' in body) return [body];
  if (Array.isArray(body.data)) return body.data;
  return isRecord(body.data) && 'feature' in body.data ? [body.data] : undefined;
};

/** The device of a record in a gateway's list: by its `deviceId`, else by its address; without both it is the gateway's own. */
export const deviceOfRecord = (raw: unknown): string => {
  if (!isRecord(raw)) return GATEWAY_DEVICE;
  const inUri = typeof raw.uri === 'string' ? /\/devices\/([^/?]+)\//.exec(raw.uri)?.[1] : undefined;
  return idOf(raw.deviceId) ?? (inUri === undefined ? undefined : decoded(inUri)) ?? GATEWAY_DEVICE;
};

/** The id under which a gateway's own features are read. */
export const GATEWAY_DEVICE = 'gateway';

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * The meaning of one feature record: lenient on extra keys and on what may be missing, strict on what is used. A property, value or command
 * that makes no sense is left out and told in `issues` of the feature; a value that is not of the type declared for it is kept and told in
 * `contradictions`; the record is refused only where it has no name, gateway or flags.
 */
export const parseFeature = (raw: unknown): Checked<Feature> => {
  if (!isRecord(raw)) return bad(noSense([], raw, 'an object'));
  if (isDeeperThan(raw, DEEPEST)) return bad(broken('type', '', `this is nested more than ${DEEPEST} deep, which makes no sense`));
  const name = raw.feature;
  const gateway = idOf(raw.gatewayId);
  const device = idOf(raw.deviceId);
  const isEnabled = flagOf(raw.isEnabled, true);
  const isReady = flagOf(raw.isReady, true);
  const refused: Issue[] = [];
  if (typeof name !== 'string' || !isName(name)) refused.push(noSense(['feature'], name, 'a dotted name'));
  if (gateway === undefined) refused.push(noSense(['gatewayId'], raw.gatewayId, 'a serial number'));
  if (device === undefined && isThere(raw.deviceId)) refused.push(noSense(['deviceId'], raw.deviceId, 'an id'));
  if (isEnabled === undefined) refused.push(noSense(['isEnabled'], raw.isEnabled, 'true or false'));
  if (isReady === undefined) refused.push(noSense(['isReady'], raw.isReady, 'true or false'));
  const told: Told = { spoiled: [], contradictions: [] };
  const { spoiled, contradictions } = told;
  const properties = readMap(raw.properties, ['properties'], told, readProperty);
  const commands = readMap(raw.commands, ['commands'], told, readCommand);
  if (!properties) refused.push(noSense(['properties'], raw.properties, 'an object'));
  if (!commands) refused.push(noSense(['commands'], raw.commands, 'an object'));
  if (typeof name !== 'string' || gateway === undefined || isEnabled === undefined || isReady === undefined) return bad(...refused);
  if (!properties || !commands || refused.length > 0) return bad(...refused);
  return good({
    name,
    gateway,
    ...(device === undefined ? {} : { device }),
    isEnabled,
    isReady,
    ...(typeof raw.timestamp === 'string' ? { timestamp: raw.timestamp } : {}),
    properties,
    commands,
    ...(isRecord(raw.deprecated) ? { deprecated: readDeprecated(raw.deprecated) } : {}),
    ...(spoiled.length > 0 ? { issues: spoiled } : {}),
    ...(contradictions.length > 0 ? { contradictions } : {}),
  });
};

// The deepest record of the platform has 7 levels; what walks through records takes a call for each.
const DEEPEST = 100;

const noSense = (keys: Keys, got: unknown, wanted: string): Issue =>
  broken('type', pointer(...keys), `${keys.at(-1) ?? 'a record'} is ${shown(got)}, which makes no sense; expected is ${wanted}`, { got });

const isThere = (value: unknown): boolean => value !== undefined && value !== null;

/** An id, a number's digits included; an empty text is none. */
const idOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return Number.isSafeInteger(value) ? String(value) : undefined;
};

// One recorded `isExecutable` is the text "false" (recorded/Vitocal333G.json).
const FLAGS: ReadonlyMap<unknown, boolean> = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
]);

const flagOf = (value: unknown, missing: boolean): boolean | undefined => (isThere(value) ? FLAGS.get(value) : missing);

/** What is told of a record: what was left out of it, and what was kept though it contradicts itself. */
type Told = { readonly spoiled: Issue[]; readonly contradictions: Issue[] };

type Reader<T> = (name: string, raw: Raw, keys: Keys, told: Told) => T | undefined;

/** What `read` gives for each member, without those that make no sense; undefined where `raw` is no object at all. */
const readMap = <T>(raw: unknown, keys: Keys, told: Told, read: Reader<T>): ReadonlyMap<string, T> | undefined => {
  const map = new Map<string, T>();
  if (!isThere(raw)) return map;
  if (!isRecord(raw)) return undefined;
  for (const [name, member] of Object.entries(raw)) {
    const path = [...keys, name];
    const value = isRecord(member) ? read(name, member, path, told) : undefined;
    if (!isRecord(member)) told.spoiled.push(noSense(path, member, 'an object'));
    if (value !== undefined) map.set(name, value);
  }
  return map;
};

// What came out of JSON.parse is JSON all the way down, but for a number that is greater than any.
const isJson = (value: unknown): value is Json =>
  value === null || (typeof value === 'number' ? Number.isFinite(value) : ['string', 'boolean', 'object'].includes(typeof value));

const FITS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['boolean', (value) => typeof value === 'boolean'],
  ['number', (value) => Number.isFinite(value)],
  ['string', (value) => typeof value === 'string'],
  ['array', (value) => Array.isArray(value)],
  ['object', (value) => isRecord(value)],
  ['Schedule', (value) => isRecord(value)],
]);

const readProperty: Reader<Property> = (_name, raw, keys, { spoiled, contradictions }) => {
  const { type, unit } = raw;
  if (typeof type !== 'string' || type === '') {
    spoiled.push(noSense([...keys, 'type'], type, 'the name of a type'));
    return undefined;
  }
  const value = type === 'boolean' ? (FLAGS.get(raw.value) ?? raw.value) : raw.value;
  const place = [...keys, 'value'];
  if (!isThere(value) || !isJson(value)) {
    if (isThere(value)) spoiled.push(noSense(place, value, `a value of type ${type}`));
    return { type, ...(typeof unit === 'string' ? { unit } : {}) };
  }
  // Better than nothing: the people who made the device know what it means.
  if (FITS.get(type)?.(value) === false)
    contradictions.push(broken('type', pointer(...place), `value is ${shown(value)}, though its type is ${type}`, { got: value }));
  return { type, ...(typeof unit === 'string' ? { unit } : {}), value };
};

const readCommand: Reader<Command> = (name, raw, keys, { spoiled, contradictions }) => {
  if (!isName(name)) {
    spoiled.push(broken('type', pointer(...keys), `a command cannot be called ${JSON.stringify(name)}`, { got: name }));
    return undefined;
  }
  const isExecutable = flagOf(raw.isExecutable, true);
  if (isExecutable === undefined) spoiled.push(noSense([...keys, 'isExecutable'], raw.isExecutable, 'true or false'));
  const own: Issue[] = [];
  const params = readMap(raw.params, [...keys, 'params'], { spoiled: own, contradictions }, readParameter);
  if (!params) own.push(noSense([...keys, 'params'], raw.params, 'an object'));
  spoiled.push(...own);
  // A command of which one parameter is unknown can't be checked, so it is better not there.
  return isExecutable === undefined || !params || own.length > 0 ? undefined : { name, isExecutable, params };
};

const readParameter: Reader<Parameter> = (_name, raw, keys, { spoiled }) => {
  const required = flagOf(raw.required, false);
  const { type, constraints } = raw;
  if (required === undefined) spoiled.push(noSense([...keys, 'required'], raw.required, 'true or false'));
  if (typeof type !== 'string' || type === '') spoiled.push(noSense([...keys, 'type'], type, 'the name of a type'));
  if (isThere(constraints) && !isRecord(constraints)) spoiled.push(noSense([...keys, 'constraints'], constraints, 'an object'));
  if (required === undefined || typeof type !== 'string') return undefined;
  return { type, required, constraints: isJsonRecord(constraints) ? constraints : {} };
};

const isJsonRecord = (value: unknown): value is Readonly<Record<string, Json>> => isRecord(value);

const readDeprecated = ({ info, removalDate }: Raw): { readonly info?: string; readonly removalDate?: string } => ({
  ...(typeof info === 'string' ? { info } : {}),
  ...(typeof removalDate === 'string' ? { removalDate } : {}),
});
