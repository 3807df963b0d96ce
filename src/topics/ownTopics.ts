import { PARTS } from '../features/composites/composite.ts';
import { isPeriod } from '../features/energy/periods.ts';
import { DAYS } from '../schedule/week.ts';
import { isRecord, jsonObject } from '../shared/json.ts';
import { PERFORMANCE_LEAVES } from './performanceMessages.ts';
import { bridgeTopic, decodeLevel, deviceTopic, encodeLevel, featureTopic, fieldTopicOf, RESERVED, RUNNING_TOTAL } from './topicNames.ts';

const BRIDGE_LEAVES = ['state', 'info', 'health', 'quota', 'auth', 'plan', 'price_plan', 'problems', 'seasons', 'calendar', 'accounts'];
/** `info` proves ownership of the others, so it is cleared last. */
const PERFORMANCE = PERFORMANCE_LEAVES.map((leaf) => `performance/${leaf}` as const);
const DEVICE_LEAVES = ['availability', 'faults', ...PERFORMANCE, 'problems', 'info'] as const;
/** Topics of a feature with a property of type Schedule. */
const SCHEDULE_LEAVES = ['entries', 'text', ...DAYS, 'profile', 'overview', 'now', 'next', 'next_at'];
const SCOPE = /^(?:(?:heating\.circuits|rooms)\.\d+|heating\.dhw)(?=\.)/;

/** A device from its `info` topic. */
type OwnDevice = { readonly name: string; readonly gateway: string; readonly device: string };

/** A retained topic that a bridge has published, and its owner. */
export type OwnTopic = { readonly topic: string } & (
  | { readonly kind: 'bridge' }
  | { readonly kind: 'device'; readonly device: OwnDevice; readonly leaf: (typeof DEVICE_LEAVES)[number] }
  | { readonly kind: 'feature' | 'composite'; readonly device: OwnDevice; readonly name: string; readonly leaf: string }
);

const parentOf = (topic: string): string => topic.slice(0, topic.lastIndexOf('/'));
const leafOf = (topic: string): string => topic.slice(topic.lastIndexOf('/') + 1);

/** Bases of other bridges below ours: `haus/keller` below `haus`. */
const nestedBases = (base: string, retained: ReadonlyMap<string, string>): string[] =>
  [...retained.keys()].flatMap((topic) => {
    const inner = topic.endsWith('/bridge/state') ? parentOf(parentOf(topic)) : '';
    return inner.length > base.length && retained.has(`${inner}/bridge/health`) ? [`${inner}/`] : [];
  });

/** The device of an `info` topic; undefined if a bridge did not publish it on this topic. */
const deviceOfInfo = (base: string, topic: string, payload: string): OwnDevice | undefined => {
  const info = jsonObject(payload);
  if (typeof info?.installation !== 'string' || typeof info.gateway !== 'string' || typeof info.device !== 'string') return undefined;
  const name = typeof info.name === 'string' ? info.name : decodeLevel(leafOf(parentOf(topic)));
  if (name === undefined || deviceTopic(base, name, 'info') !== topic) return undefined;
  return { name, gateway: info.gateway, device: info.device };
};

type FeatureRecord = { readonly name: string; readonly leaves: readonly string[] };

/** The feature of a `record` topic, with its leaves; undefined if a bridge did not publish it there. */
const readRecord = (base: string, device: string, topic: string, payload: string): FeatureRecord | undefined => {
  const { feature, properties, commands } = jsonObject(payload) ?? {};
  if (typeof feature !== 'string' || !isRecord(properties) || !isRecord(commands)) return undefined;
  if (featureTopic(base, device, feature, 'record') !== topic) return undefined;
  const names = Object.keys(properties).map(encodeLevel);
  const hasWeek = Object.values(properties).some((property) => isRecord(property) && property.type === 'Schedule');
  // The end of a temporary write, and a write that waits for other values.
  const until = Object.keys(commands).length > 0 ? ['until', 'until/conflict', 'waiting', ...names.map(fieldTopicOf)] : [];
  const totals = names.some(isPeriod) ? [RUNNING_TOTAL] : [];
  const leaves = new Set([...names.filter((name) => !RESERVED.has(name)), ...(hasWeek ? SCHEDULE_LEAVES : []), ...until, ...totals]);
  return { name: feature, leaves: [...leaves] };
};

/** The composites that these features can have. */
const compositesOf = (records: readonly FeatureRecord[]): readonly string[] => {
  const scopes = new Set(records.flatMap(({ name }) => SCOPE.exec(name)?.[0] ?? []));
  return [...scopes].map((scope) => `${scope}.${scope === 'heating.dhw' ? 'water_heater' : 'climate'}`);
};

/** All possible topics of a device that has an `info`, in the order of clearing. */
const topicsOfDevice = (base: string, device: OwnDevice, retained: ReadonlyMap<string, string>): readonly OwnTopic[] => {
  const start = deviceTopic(base, device.name, '');
  const records = [...retained].flatMap(([topic, payload]) =>
    topic.startsWith(start) && leafOf(topic) === 'record' ? (readRecord(base, device.name, topic, payload) ?? []) : [],
  );
  const own = (kind: 'feature' | 'composite', name: string, leaf: string): OwnTopic => ({
    topic: featureTopic(base, device.name, name, leaf),
    kind,
    device,
    name,
    leaf,
  });
  return [
    ...compositesOf(records).flatMap((name) => PARTS.map((part) => own('composite', name, part))),
    ...records.flatMap(({ name, leaves }) => leaves.map((leaf) => own('feature', name, leaf))),
    ...records.map(({ name }) => own('feature', name, 'record')),
    ...DEVICE_LEAVES.map((leaf) => ({ topic: `${start}${leaf}`, kind: 'device' as const, device, leaf })),
  ];
};

/**
 * The retained topics below `base` that a bridge with this base published, in the order of clearing: `info`
 * and `record` come after the topics whose ownership they prove. Only retained messages prove ownership: the
 * topics in the `record` of a feature below a device with an `info`, and the climates and water heaters of
 * those features. Other topics are omitted.
 */
export const ownTopics = (base: string, retained: ReadonlyMap<string, string>): readonly OwnTopic[] => {
  const foreign = nestedBases(base, retained);
  const below = new Map(
    [...retained].filter(([topic]) => topic.startsWith(`${base}/`) && !foreign.some((start) => topic.startsWith(start))),
  );
  const devices = [...below].flatMap(([topic, payload]) => (leafOf(topic) === 'info' ? (deviceOfInfo(base, topic, payload) ?? []) : []));
  const all: readonly OwnTopic[] = [
    ...devices.flatMap((device) => topicsOfDevice(base, device, below)),
    ...BRIDGE_LEAVES.map((leaf) => ({ topic: bridgeTopic(base, leaf), kind: 'bridge' as const })),
  ];
  return all.filter(({ topic }) => below.has(topic));
};

/** The topics of `ownTopics`. */
export const topicsOfBridge = (base: string, retained: ReadonlyMap<string, string>): string[] =>
  ownTopics(base, retained).map(({ topic }) => topic);
