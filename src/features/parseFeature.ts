import * as z from 'zod/mini';
import { bad, broken, type Checked, good, type Issue, pointer, shown } from '../shared/issue.ts';
import { isDeeperThan, isRecord } from '../shared/json.ts';
import { percentDecoded } from '../shared/percentDecoded.ts';
import type { Command, Feature, Json, Parameter, Property } from './feature.ts';

/** True for a valid path part: no `.` or `..` (path steps), no lone surrogate (not encodable). */
export const isName = (name: string): boolean => !/^\.{0,2}$/.test(name) && name.isWellFormed();

/**
 * The records of a body: `{"data":{…}}`, `{"data":[…]}`, one bare record, or a bare array; else undefined.
 */
export const recordsOf = (body: unknown): readonly unknown[] | undefined => {
  if (Array.isArray(body)) return body;
  if (!isRecord(body)) return undefined;
  if ('feature' in body) return [body];
  if (Array.isArray(body.data)) return body.data;
  return isRecord(body.data) && 'feature' in body.data ? [body.data] : undefined;
};

const OPENING = '{"data":[';
const CLOSING = '}]}';

/**
 * Calls `read` with the text of each record of a list in the platform's form: no blanks, the same first
 * member. Undefined for any other body, for more than `most` records, and if `read` throws: a cut is valid
 * only if each text is JSON, which no other cut gives. Do not keep a text: a substring holds the whole body
 * in memory.
 */
export const cutRecords = <T>(body: string, most: number, read: (record: string) => T): readonly T[] | undefined => {
  if (!body.startsWith(OPENING) || !body.endsWith(CLOSING)) return undefined;
  const head = body.slice(OPENING.length, body.indexOf(':', OPENING.length) + 1);
  // The brace that ends a record is not part of the split text.
  const tails = body.slice(OPENING.length + head.length, -CLOSING.length).split(`},${head}`, most + 1);
  try {
    return tails.length > most ? undefined : tails.map((tail) => read(`${head}${tail}}`));
  } catch {
    return undefined;
  }
};

// The schemas of a record; null means missing. A check's message names the expected value for `read`.
const FLAG = z.optional(z.literal([true, false, 'true', 'false', null], 'true or false'));
const objectOf = <T>() =>
  z.optional(z.custom<Readonly<Record<string, T>> | null>((value) => value === null || isRecord(value), 'an object'));
const TYPE = z.string('a type name').check(z.minLength(1, 'a type name'));
const TEXT = z.catch(z.optional(z.string()), undefined);
const ID = [z.string().check(z.minLength(1)), z.int()] as const;

const DEPRECATED = z.object({ info: TEXT, removalDate: TEXT });
const COMMAND = z.object({ isExecutable: FLAG, params: objectOf<unknown>() }, 'an object');
const PARAMETER = z.object({ required: FLAG, type: TYPE, constraints: objectOf<Json>() }, 'an object');
const PLACE = z.object({ deviceId: z.catch(z.optional(z.union(ID)), undefined), uri: TEXT });

/** The device id for a gateway's own features. */
export const GATEWAY_DEVICE = 'gateway';

/** The device of a record in a gateway's list: `deviceId`, else from `uri`, else the gateway itself. */
export const deviceOfRecord = (raw: unknown): string => {
  const { deviceId, uri = '' } = PLACE.safeParse(raw).data ?? {};
  const inUri = /\/devices\/([^/?]+)\//.exec(uri)?.[1];
  return deviceId === undefined ? (inUri === undefined ? GATEWAY_DEVICE : percentDecoded(inUri)) : String(deviceId);
};

/** The omitted parts of a record, and kept values that contradict their type. */
type Notes = { readonly spoiled: Issue[]; readonly contradictions: Issue[] };

/**
 * Parses one feature record: lenient with extra and optional keys, strict with used ones. Invalid properties,
 * values and commands are omitted and noted in `issues`; values of another type than declared are kept and
 * noted in `contradictions`. Only an invalid name, id, flag or map refuses the record.
 */
export const parseFeature = (raw: unknown): Checked<Feature> => {
  const notes: Notes = { spoiled: [], contradictions: [] };
  const { spoiled, contradictions } = notes;
  if (!hasShape(raw, spoiled)) return bad(...spoiled);
  if (isDeeperThan(raw, DEEPEST)) return bad(broken('type', '', `this is nested more than ${DEEPEST} levels deep`));
  const { feature: name, gatewayId, deviceId, isEnabled, isReady, timestamp, deprecated } = raw;
  // Optional members are assigned: a spread for each takes more memory and time.
  const parsed: { -readonly [K in keyof Feature]: Feature[K] } = {
    name,
    gateway: String(gatewayId),
    isEnabled: isTrue(isEnabled, true),
    isReady: isTrue(isReady, true),
    properties: propertiesOf(raw.properties ?? {}, notes),
    commands: mapOf(raw.commands, ['commands'], notes, commandOf),
  };
  if (isThere(deviceId)) parsed.device = String(deviceId);
  if (typeof timestamp === 'string') parsed.timestamp = timestamp;
  if (isRecord(deprecated)) parsed.deprecated = DEPRECATED.parse(deprecated);
  if (spoiled.length > 0) parsed.issues = spoiled;
  if (contradictions.length > 0) parsed.contradictions = contradictions;
  return good(parsed);
};

// The deepest platform record has 7 levels. Code that walks records uses a stack frame per level.
const DEEPEST = 100;

const invalidField = (keys: readonly string[], got: unknown, expected: string): Issue =>
  broken('type', pointer(...keys), `${keys.at(-1) ?? 'a record'} must be ${expected}, not ${shown(got)}`, { got });

const isThere = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

// One recorded `isExecutable` is the text "false" (Vitocal 333-G).
const isTrue = (flag: z.infer<typeof FLAG>, missing: boolean): boolean => (isThere(flag) ? String(flag) === 'true' : missing);

const isId = (value: unknown): boolean => (typeof value === 'string' ? isName(value) : Number.isSafeInteger(value));
const isFlag = (value: unknown): boolean => !isThere(value) || typeof value === 'boolean' || value === 'true' || value === 'false';
const isMap = (value: unknown): boolean => !isThere(value) || isRecord(value);

type Shape = Readonly<Record<string, unknown>> & {
  readonly feature: string;
  readonly gatewayId: string | number;
  readonly deviceId?: string | number | null;
  readonly isEnabled?: z.infer<typeof FLAG>;
  readonly isReady?: z.infer<typeof FLAG>;
  readonly properties?: Readonly<Record<string, unknown>> | null;
  readonly commands?: Readonly<Record<string, unknown>> | null;
};

// Checked by hand, like the properties: a schema makes reading a record almost twice as slow.
const SHAPE: readonly (readonly [key: keyof Shape, fits: (value: unknown) => boolean, expected: string])[] = [
  ['feature', (value) => typeof value === 'string' && isName(value), 'a dotted name'],
  ['gatewayId', isId, 'a serial number'],
  ['deviceId', (value) => !isThere(value) || isId(value), 'an id'],
  ['isEnabled', isFlag, 'true or false'],
  ['isReady', isFlag, 'true or false'],
  ['properties', isMap, 'an object'],
  ['commands', isMap, 'an object'],
];

/** False, with the reasons in `spoiled`, if a member of the record is invalid. */
const hasShape = (raw: unknown, spoiled: Issue[]): raw is Shape => {
  if (!isRecord(raw)) spoiled.push(invalidField([], raw, 'an object'));
  else for (const [key, fits, expected] of SHAPE) if (!fits(raw[key])) spoiled.push(invalidField([String(key)], raw[key], expected));
  return spoiled.length === 0;
};

/** The value in the schema's form; undefined, with the reasons in `spoiled`, if it is invalid. */
const read = <T>(schema: z.ZodMiniType<T>, raw: unknown, keys: readonly string[], spoiled: Issue[]): T | undefined => {
  const { data, error } = schema.safeParse(raw, { reportInput: true });
  for (const { path, input, message } of error?.issues ?? []) spoiled.push(invalidField([...keys, ...path.map(String)], input, message));
  return data;
};

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

type Reader<T> = (raw: unknown, keys: readonly string[], notes: Notes, name: string) => T | undefined;

/** The result of `reader` for each valid member. */
const mapOf = <T>(
  members: Readonly<Record<string, unknown>> | null | undefined,
  keys: readonly string[],
  notes: Notes,
  reader: Reader<T>,
): ReadonlyMap<string, T> => {
  const all = Object.entries(members ?? {});
  // Most features have no commands.
  if (all.length === 0) return NONE;
  const map = new Map<string, T>();
  for (const [name, member] of all) {
    const value = reader(member, [...keys, name], notes, name);
    if (value !== undefined) map.set(name, value);
  }
  return map;
};

/** True for a value of another type than declared; unknown types accept any value. */
const contradicts = (type: string, value: unknown): boolean => {
  if (type === 'array') return !Array.isArray(value);
  if (type === 'object' || type === 'Schedule') return !isRecord(value);
  return ['boolean', 'number', 'string'].includes(type) && typeof value !== type;
};

// JSON.parse returns valid JSON, except for a number that is too large (1e999).
const isJson = (value: unknown): value is Json => typeof value !== 'number' || Number.isFinite(value);

// Checked by hand: most of a record is properties, and a schema for each doubles the time for a list.
const propertiesOf = (members: Readonly<Record<string, unknown>>, { spoiled, contradictions }: Notes): ReadonlyMap<string, Property> => {
  const properties = new Map<string, Property>();
  for (const name in members) {
    const raw = members[name];
    const { type, unit, value: got } = isRecord(raw) ? raw : {};
    if (typeof type !== 'string' || type === '') {
      const keys = ['properties', name];
      spoiled.push(isRecord(raw) ? invalidField([...keys, 'type'], type, 'a type name') : invalidField(keys, raw, 'an object'));
      continue;
    }
    const value = type === 'boolean' && (got === 'true' || got === 'false') ? got === 'true' : got;
    const isShown = isThere(value) && isJson(value);
    if (isThere(value) && !isShown) spoiled.push(invalidField(['properties', name, 'value'], value, `a value of type ${type}`));
    // The value is kept: users of the device may know what it means.
    if (isShown && contradicts(type, value)) {
      const place = pointer('properties', name, 'value');
      contradictions.push(broken('type', place, `value is ${shown(value)}, but its type is ${type}`, { got: value }));
    }
    // One literal per form: spreads use 50 % more memory per object, and a heating has hundreds.
    if (typeof unit === 'string') properties.set(name, isShown ? { type, unit, value } : { type, unit });
    else properties.set(name, isShown ? { type, value } : { type });
  }
  return properties;
};

const commandOf: Reader<Command> = (raw, keys, { spoiled, contradictions }, name) => {
  if (!isName(name)) {
    spoiled.push(broken('type', pointer(...keys), `${JSON.stringify(name)} is not a command name`, { got: name }));
    return undefined;
  }
  const own: Issue[] = [];
  const command = read(COMMAND, raw, keys, own);
  const params = mapOf(command?.params, [...keys, 'params'], { spoiled: own, contradictions }, parameterOf);
  spoiled.push(...own);
  // A command with an unknown parameter cannot be checked, so it is left out.
  return command && own.length === 0 ? { name, isExecutable: isTrue(command.isExecutable, true), params } : undefined;
};

const parameterOf: Reader<Parameter> = (raw, keys, { spoiled }) => {
  const parameter = read(PARAMETER, raw, keys, spoiled);
  if (!parameter) return undefined;
  const { type, required, constraints } = parameter;
  return { type, required: isTrue(required, false), constraints: constraints ?? {} };
};

/**
 * The feature as a record for `parseFeature`, without issues and the timestamp (changes with each report).
 */
export const recordOf = (feature: Feature): object => ({
  feature: feature.name,
  gatewayId: feature.gateway,
  deviceId: feature.device,
  isEnabled: feature.isEnabled,
  isReady: feature.isReady,
  properties: Object.fromEntries<Property>(feature.properties),
  commands: commandRecords(feature),
  deprecated: feature.deprecated,
});

/** The commands of a feature in record form. */
export const commandRecords = ({ commands }: Feature): object =>
  Object.fromEntries(
    [...commands].map(([name, { isExecutable, params }]) => [name, { isExecutable, params: Object.fromEntries<Parameter>(params) }]),
  );
