import type { Command, Feature, Json, Parameter, Property } from '../../features/feature.ts';
import { isRecord, jsonObject } from '../../shared/json.ts';
import { deviceTopic, featureTopic, propertyTopic, readLeafTopic } from '../../topics/topicNames.ts';

/** Retained topics with their payloads. */
export type Topics = ReadonlyMap<string, string>;

/** A device as its retained topics show it. */
export type Device = {
  /** The name in topics. */
  readonly name: string;
  readonly model?: string;
  readonly isOnline: boolean;
  /** The zone of its schedules. */
  readonly zone?: string;
  readonly features: ReadonlyMap<string, Feature>;
};

/** All devices below `base`, in the order of the bridge's own list, others after them by name. */
export const devicesOf = (topics: Topics, base: string): readonly Device[] => {
  const records = new Map<string, Map<string, string>>();
  for (const [topic, payload] of topics) {
    const place = readLeafTopic(base, topic, 'record');
    if (!place) continue;
    const features = records.get(place.device) ?? new Map<string, string>();
    records.set(place.device, features.set(place.feature, payload));
  }
  const listed = listedDevices(topics, base);
  const names = [...new Set([...listed.keys(), ...[...records.keys()].sort()])];
  return names.map((name) => {
    const model = textOf(jsonObject(topics.get(deviceTopic(base, name, 'info')) ?? '')?.['model']);
    const zone = listed.get(name);
    return {
      name,
      ...(model === undefined ? {} : { model }),
      ...(zone === undefined ? {} : { zone }),
      isOnline: topics.get(deviceTopic(base, name, 'availability')) !== 'offline',
      features: featuresOf(topics, base, name, records.get(name) ?? new Map()),
    };
  });
};

const listedDevices = (topics: Topics, base: string): ReadonlyMap<string, string | undefined> => {
  const devices = jsonObject(topics.get(`${base}/bridge/info`) ?? '')?.['devices'];
  const all = Array.isArray(devices) ? devices.filter(isRecord) : [];
  return new Map(all.flatMap(({ name, time_zone }) => (typeof name === 'string' ? [[name, textOf(time_zone)]] : [])));
};

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const featuresOf = (topics: Topics, base: string, device: string, records: ReadonlyMap<string, string>): ReadonlyMap<string, Feature> => {
  const features = new Map<string, Feature>();
  for (const [name, payload] of records) {
    const plain = recordOf(name, payload);
    if (!plain) continue;
    const properties = [...plain.properties].map(([property, described]): [string, Property] => {
      const shown = topics.get(propertyTopic(base, device, name, property)) ?? topics.get(weekTopic(base, device, name, described));
      const value = shown === undefined ? described.value : readPayload(described.type, shown);
      return [property, value === undefined ? described : { ...described, value }];
    });
    features.set(name, { ...plain, properties: new Map(properties) });
  }
  return features;
};

// A week is also on `entries`, whatever its property is called.
const weekTopic = (base: string, device: string, feature: string, { type }: Property): string =>
  type === 'Schedule' ? featureTopic(base, device, feature, 'entries') : '';

const parsed = new Map<string, Feature>();
/** Records change seldom, values often; a bound for the case that something changes them again and again. */
const MOST_PARSED = 4000;

/** The feature without the values that have topics of their own; undefined where the payload is no record. */
const recordOf = (name: string, payload: string): Feature | undefined => {
  const known = parsed.get(payload);
  if (known?.name === name) return known;
  const record = jsonObject(payload);
  if (!record) return undefined;
  const feature: Feature = {
    name,
    gateway: '',
    isEnabled: record['isEnabled'] !== false,
    isReady: record['isReady'] !== false,
    properties: new Map(members(record['properties']).map(([property, raw]) => [property, propertyOf(raw)])),
    commands: new Map(members(record['commands']).map(([command, raw]) => [command, commandOf(command, raw)])),
  };
  if (parsed.size > MOST_PARSED) parsed.clear();
  parsed.set(payload, feature);
  return feature;
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

/** The value that a payload shows; undefined where it is none of the property's type. */
const readPayload = (type: string, payload: string): Json | undefined => {
  if (type === 'string') return payload;
  try {
    return JSON.parse(payload) as Json;
  } catch {
    return type === 'number' || type === 'boolean' ? undefined : payload;
  }
};
