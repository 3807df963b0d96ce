import type { Command, Feature, Json, Parameter, Property } from '../../features/feature.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';
import { deviceTopic, featureTopic, propertyTopic, readLeafTopic } from '../../topics/topicNames.ts';

/** Retained topics with their payloads. */
export type Topics = ReadonlyMap<string, string>;

/** A device, from its retained topics. */
export type Device = {
  /** The name in topics. */
  readonly name: string;
  readonly model?: string | undefined;
  readonly isOnline: boolean;
  /** The time zone of its schedules. */
  readonly zone?: string | undefined;
  readonly features: ReadonlyMap<string, Feature>;
};

/** The value of a property of a device. */
export const valueAt = (device: Device, feature: string, property = 'value'): Json | undefined =>
  device.features.get(feature)?.properties.get(property)?.value;

/** The same, only if it is a text. */
export const textAt = (device: Device, feature: string, property = 'value'): string | undefined => {
  const value = valueAt(device, feature, property);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
};

/** The same, only if it is a number. */
export const numberAt = (device: Device, feature: string): number | undefined => {
  const value = valueAt(device, feature);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

/** All devices below `base`, in the order of the bridge's list; unlisted ones follow by name. */
export const devicesOf = (topics: Topics, base: string): readonly Device[] => {
  const records = new Map<string, Map<string, Feature>>();
  for (const [topic, payload] of topics) {
    if (!topic.endsWith('/record')) continue;
    const read = featureOf(topics, base, topic, payload);
    if (!read) continue;
    const features = records.get(read.device) ?? new Map<string, Feature>();
    records.set(read.device, features.set(read.feature.name, read.feature));
  }
  const listed = listedDevices(topics, base);
  const names = [...new Set([...listed.keys(), ...[...records.keys()].sort()])];
  return names.map((name) => ({
    name,
    model: textOf(jsonObject(topics.get(deviceTopic(base, name, 'info')) ?? '')?.['model']),
    zone: listed.get(name),
    isOnline: topics.get(deviceTopic(base, name, 'availability')) !== 'offline',
    features: records.get(name) ?? new Map(),
  }));
};

const listedDevices = (topics: Topics, base: string): ReadonlyMap<string, string | undefined> => {
  const devices = jsonObject(topics.get(`${base}/bridge/info`) ?? '')?.['devices'];
  const all = Array.isArray(devices) ? devices.filter(isRecord) : [];
  return new Map(all.flatMap(({ name, time_zone }) => (typeof name === 'string' ? [[name, textOf(time_zone)]] : [])));
};

/** The value if it is a non-empty text. */
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Cache of a record and its values: most of them stay the same at the next change. */
type Known = {
  readonly payload: string;
  readonly device: string;
  /** The feature without the values that have their own topics, and those topics. */
  readonly plain: Feature;
  readonly values: readonly (readonly [property: string, described: Property, topics: readonly string[]])[];
  readonly shown: readonly (string | undefined)[];
  readonly feature: Feature;
};

const known = new Map<string, Known>();

/** The feature of a record topic with its values; undefined for other records. */
const featureOf = (topics: Topics, base: string, topic: string, payload: string): Pick<Known, 'device' | 'feature'> | undefined => {
  const before = known.get(topic);
  const record = before?.payload === payload ? before : readRecord(base, topic, payload);
  if (!record) return undefined;
  const shown = record.values.map(([, , places]) => places.map((place) => topics.get(place)).find((value) => value !== undefined));
  if (record === before && shown.every((value, index) => value === before.shown[index])) return before;
  const properties = record.values.map(([property, described], index): [string, Property] => {
    const text = shown[index];
    const value = text === undefined ? described.value : readPayload(described.type, text);
    return [property, value === undefined ? described : { ...described, value }];
  });
  const now: Known = { ...record, shown, feature: { ...record.plain, properties: new Map(properties) } };
  known.set(topic, now);
  return now;
};

/** Parses a record; undefined if the topic or the payload is not one. */
const readRecord = (base: string, topic: string, payload: string): Known | undefined => {
  const place = readLeafTopic(base, topic, 'record');
  const record = jsonObject(payload);
  if (!place || !record) return undefined;
  const { device, feature: name } = place;
  const properties = members(record['properties']).map(([property, raw]) => [property, propertyOf(raw)] as const);
  const plain: Feature = {
    name,
    gateway: '',
    isEnabled: record['isEnabled'] !== false,
    isReady: record['isReady'] !== false,
    properties: new Map(properties),
    commands: new Map(members(record['commands']).map(([command, raw]) => [command, commandOf(command, raw)])),
  };
  const values = properties.map(([property, described]) => {
    const own = propertyTopic(base, device, name, property);
    // A week is also on `entries`, regardless of its property name.
    return [property, described, described.type === 'Schedule' ? [own, featureTopic(base, device, name, 'entries')] : [own]] as const;
  });
  return { payload, device, plain, values, shown: [], feature: plain };
};

const members = (value: unknown): readonly (readonly [string, Readonly<Record<string, unknown>>])[] =>
  isRecord(value) ? Object.entries(value).flatMap(([name, member]) => (isRecord(member) ? [[name, member] as const] : [])) : [];

const propertyOf = ({ type, unit, value }: Readonly<Record<string, unknown>>): Property => ({
  type: typeof type === 'string' ? type : '',
  ...(typeof unit === 'string' ? { unit } : {}),
  ...(value === undefined ? {} : { value: value as Json }),
});

const commandOf = (name: string, { isExecutable, params }: Readonly<Record<string, unknown>>): Command => ({
  name,
  isExecutable: isExecutable === true,
  params: new Map(
    members(params).map(([param, { type, required, constraints }]): [string, Parameter] => [
      param,
      {
        type: typeof type === 'string' ? type : '',
        required: required === true,
        constraints: isRecord(constraints) ? (constraints as Parameter['constraints']) : {},
      },
    ]),
  ),
});

/** Parses a payload; undefined if it does not have the property's type. */
const readPayload = (type: string, payload: string): Json | undefined => {
  if (type === 'string') return payload;
  try {
    return JSON.parse(payload) as Json;
  } catch {
    return type === 'number' || type === 'boolean' ? undefined : payload;
  }
};
