import * as z from 'zod/mini';
import { bad, broken, type Checked, good, type Issue, pointer, shown } from '../shared/issue.ts';
import { isDeeperThan, isRecord } from '../shared/json.ts';
import { percentDecoded } from '../shared/percentDecoded.ts';
import type { Command, Feature, Json, Parameter, Property } from './feature.ts';

/** True for a text that can be part of a path of the platform: `.` and `..` would be steps, half a character cannot be percent-encoded. */
export const isName = (name: string): boolean => !/^\.{0,2}$/.test(name) && name.isWellFormed();

/** The records of a body: `{"data":{…}}`, `{"data":[…]}`, one bare record, or a bare array; undefined for anything else. */
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
 * What `read` gives for the text of each record of a list as the platform writes it: without blanks, and with the same first member in each.
 * Undefined for any other body, for more than `most` records, and where `read` throws: a cut counts only where each text is JSON. An object ends
 * where its JSON ends, so that no other cut gives JSON alone. A text is not to be kept, as a part of it holds all of the body in memory.
 */
export const cutRecords = <T>(body: string, most: number, read: (record: string) => T): readonly T[] | undefined => {
  if (!body.startsWith(OPENING) || !body.endsWith(CLOSING)) return undefined;
  const head = body.slice(OPENING.length, body.indexOf(':', OPENING.length) + 1);
  // The brace that ends a record is no part of what is between two of them.
  const tails = body.slice(OPENING.length + head.length, -CLOSING.length).split(`},${head}`, most + 1);
  try {
    return tails.length > most ? undefined : tails.map((tail) => read(`${head}${tail}}`));
  } catch {
    return undefined;
  }
};

// The forms of what is in a record; null stands for what is missing. The message of a check names what is expected, `read` makes a sentence of it.
const FLAG = z.optional(z.literal([true, false, 'true', 'false', null], 'true or false'));
const objectOf = <T>() =>
  z.optional(z.custom<Readonly<Record<string, T>> | null>((value) => value === null || isRecord(value), 'an object'));
const TYPE = z.string('the name of a type').check(z.minLength(1, 'the name of a type'));
const TEXT = z.catch(z.optional(z.string()), undefined);
const ID = [z.string().check(z.minLength(1)), z.int()] as const;

const DEPRECATED = z.object({ info: TEXT, removalDate: TEXT });
const COMMAND = z.object({ isExecutable: FLAG, params: objectOf<unknown>() }, 'an object');
const PARAMETER = z.object({ required: FLAG, type: TYPE, constraints: objectOf<Json>() }, 'an object');
const PLACE = z.object({ deviceId: z.catch(z.optional(z.union(ID)), undefined), uri: TEXT });

/** The id under which a gateway's own features are read. */
export const GATEWAY_DEVICE = 'gateway';

/** The device of a record in a gateway's list: by its `deviceId`, else by its address; without both it is the gateway's own. */
export const deviceOfRecord = (raw: unknown): string => {
  const { deviceId, uri = '' } = PLACE.safeParse(raw).data ?? {};
  const inUri = /\/devices\/([^/?]+)\//.exec(uri)?.[1];
  return deviceId === undefined ? (inUri === undefined ? GATEWAY_DEVICE : percentDecoded(inUri)) : String(deviceId);
};

/** Parts of a record that were left out, and values that were kept although they contradict their type. */
type Notes = { readonly spoiled: Issue[]; readonly contradictions: Issue[] };

/**
 * The meaning of one feature record: lenient with extra keys and with what may be missing, strict with what is used. A property, value or
 * command that makes no sense is left out and noted in `issues` of the feature; a value that is not of the type declared for it is kept and
 * noted in `contradictions`. A record is refused only where its name, ids, flags or maps make no sense.
 */
export const parseFeature = (raw: unknown): Checked<Feature> => {
  const notes: Notes = { spoiled: [], contradictions: [] };
  const { spoiled, contradictions } = notes;
  if (!hasShape(raw, spoiled)) return bad(...spoiled);
  if (isDeeperThan(raw, DEEPEST)) return bad(broken('type', '', `this is nested more than ${DEEPEST} deep, which makes no sense`));
  const { feature: name, gatewayId, deviceId, isEnabled, isReady, timestamp, deprecated } = raw;
  // What is not always there is added: a spread for each takes more memory and time.
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

// The deepest record of the platform has 7 levels; code that walks through records takes a stack frame for each.
const DEEPEST = 100;

const invalidField = (keys: readonly string[], got: unknown, expected: string): Issue =>
  broken('type', pointer(...keys), `${keys.at(-1) ?? 'a record'} is ${shown(got)}, which makes no sense; expected is ${expected}`, { got });

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

// Checked by hand as the properties are: with a schema a record takes almost twice as long to read.
const SHAPE: readonly (readonly [key: keyof Shape, fits: (value: unknown) => boolean, expected: string])[] = [
  ['feature', (value) => typeof value === 'string' && isName(value), 'a dotted name'],
  ['gatewayId', isId, 'a serial number'],
  ['deviceId', (value) => !isThere(value) || isId(value), 'an id'],
  ['isEnabled', isFlag, 'true or false'],
  ['isReady', isFlag, 'true or false'],
  ['properties', isMap, 'an object'],
  ['commands', isMap, 'an object'],
];

/** False, with the reasons in `spoiled`, where a member of the record makes no sense. */
const hasShape = (raw: unknown, spoiled: Issue[]): raw is Shape => {
  if (!isRecord(raw)) spoiled.push(invalidField([], raw, 'an object'));
  else for (const [key, fits, expected] of SHAPE) if (!fits(raw[key])) spoiled.push(invalidField([String(key)], raw[key], expected));
  return spoiled.length === 0;
};

/** The value in the form of the schema; undefined with the reasons in `spoiled` where it makes no sense. */
const read = <T>(schema: z.ZodMiniType<T>, raw: unknown, keys: readonly string[], spoiled: Issue[]): T | undefined => {
  const { data, error } = schema.safeParse(raw, { reportInput: true });
  for (const { path, input, message } of error?.issues ?? []) spoiled.push(invalidField([...keys, ...path.map(String)], input, message));
  return data;
};

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

type Reader<T> = (raw: unknown, keys: readonly string[], notes: Notes, name: string) => T | undefined;

/** What `reader` gives for each member, without those that make no sense. */
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

/** True for a value of another type than is declared; unknown types have any value. */
const contradicts = (type: string, value: unknown): boolean => {
  if (type === 'array') return !Array.isArray(value);
  if (type === 'object' || type === 'Schedule') return !isRecord(value);
  return ['boolean', 'number', 'string'].includes(type) && typeof value !== type;
};

// JSON.parse gives JSON all the way down, but for a number that is too great (1e999).
const isJson = (value: unknown): value is Json => typeof value !== 'number' || Number.isFinite(value);

// Checked by hand, because most of a record is properties: with a schema for each, a list of records takes twice as long to read.
const propertiesOf = (members: Readonly<Record<string, unknown>>, { spoiled, contradictions }: Notes): ReadonlyMap<string, Property> => {
  const properties = new Map<string, Property>();
  for (const name in members) {
    const raw = members[name];
    const { type, unit, value: got } = isRecord(raw) ? raw : {};
    if (typeof type !== 'string' || type === '') {
      const keys = ['properties', name];
      spoiled.push(isRecord(raw) ? invalidField([...keys, 'type'], type, 'the name of a type') : invalidField(keys, raw, 'an object'));
      continue;
    }
    const value = type === 'boolean' && (got === 'true' || got === 'false') ? got === 'true' : got;
    const isShown = isThere(value) && isJson(value);
    if (isThere(value) && !isShown) spoiled.push(invalidField(['properties', name, 'value'], value, `a value of type ${type}`));
    // The value is still shown, because the device's users may know what it means.
    if (isShown && contradicts(type, value)) {
      const place = pointer('properties', name, 'value');
      contradictions.push(broken('type', place, `value is ${shown(value)}, though its type is ${type}`, { got: value }));
    }
    // A literal for each form, as an object made with spreads takes half as much memory again, and a heating has hundreds.
    if (typeof unit === 'string') properties.set(name, isShown ? { type, unit, value } : { type, unit });
    else properties.set(name, isShown ? { type, value } : { type });
  }
  return properties;
};

const commandOf: Reader<Command> = (raw, keys, { spoiled, contradictions }, name) => {
  if (!isName(name)) {
    spoiled.push(broken('type', pointer(...keys), `a command cannot be called ${JSON.stringify(name)}`, { got: name }));
    return undefined;
  }
  const own: Issue[] = [];
  const command = read(COMMAND, raw, keys, own);
  const params = mapOf(command?.params, [...keys, 'params'], { spoiled: own, contradictions }, parameterOf);
  spoiled.push(...own);
  // A command with an unknown parameter cannot be checked, so it is left out whole.
  return command && own.length === 0 ? { name, isExecutable: isTrue(command.isExecutable, true), params } : undefined;
};

const parameterOf: Reader<Parameter> = (raw, keys, { spoiled }) => {
  const parameter = read(PARAMETER, raw, keys, spoiled);
  if (!parameter) return undefined;
  const { type, required, constraints } = parameter;
  return { type, required: isTrue(required, false), constraints: constraints ?? {} };
};

/** The feature as a record that `parseFeature` understands: without the timestamp, which changes with every report, and without issues. */
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

/** The commands of a feature as in a record. */
export const commandRecords = ({ commands }: Feature): object =>
  Object.fromEntries(
    [...commands].map(([name, { isExecutable, params }]) => [name, { isExecutable, params: Object.fromEntries<Parameter>(params) }]),
  );
