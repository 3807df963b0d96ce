import { PARTS } from '../features/composites/composite.ts';
import { DAYS } from '../schedule/week.ts';
import { isRecord, jsonObject } from '../shared/json.ts';
import { decodeLevel, deviceTopic, encodeLevel, featureTopic, RESERVED } from './topicNames.ts';

const BRIDGE_LEAVES = ['state', 'info', 'health', 'quota', 'auth'];
/** Topics of a feature with a property of type Schedule. */
const SCHEDULE_LEAVES = ['entries', 'text', ...DAYS, 'profile', 'now', 'next', 'next_at'];
const COMPOSITE = /^((?:heating\.circuits|rooms)\.\d+)\.climate$|^(heating\.dhw)\.water_heater$/;

/** A device as its `info` topic describes it. */
type OwnDevice = { readonly name: string; readonly gateway: string; readonly device: string };

/** A retained topic that a bridge has published, and its owner. */
export type OwnTopic = { readonly topic: string } & (
  | { readonly kind: 'bridge' }
  | { readonly kind: 'device'; readonly device: OwnDevice; readonly leaf: 'availability' | 'info' }
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

type RecordOfFeature = { readonly feature: string; readonly leaves: ReadonlySet<string> };

/** The feature of a `record` topic with the last levels of its topics; undefined if a bridge did not publish it on this topic. */
const readRecord = (base: string, device: string, topic: string, payload: string): RecordOfFeature | undefined => {
  const record = jsonObject(payload);
  const { feature, properties, commands } = record ?? {};
  if (typeof feature !== 'string' || !isRecord(properties) || !isRecord(commands)) return undefined;
  if (featureTopic(base, device, feature, 'record') !== topic) return undefined;
  const names = Object.keys(properties).map(encodeLevel);
  const hasWeek = Object.values(properties).some((property) => isRecord(property) && property.type === 'Schedule');
  return {
    feature,
    leaves: new Set([
      'record',
      ...names.filter((name) => !RESERVED.has(name)),
      ...(hasWeek ? SCHEDULE_LEAVES : []),
      // The end of a temporary write.
      ...(Object.keys(commands).length > 0 ? ['until'] : []),
    ]),
  };
};

/** Finds the owner of each retained topic from the `info` and `record` topics beside it. */
class OwnerFinder {
  readonly #base: string;
  readonly #devices = new Map<string, OwnDevice>();
  /** By the topic of the feature. */
  readonly #records = new Map<string, RecordOfFeature>();
  /** `<topic of the device> <scope>` for every name above a feature: `heating`, `heating.circuits` … */
  readonly #scopes = new Set<string>();

  constructor(base: string, own: readonly (readonly [topic: string, payload: string])[]) {
    this.#base = base;
    for (const [topic, payload] of own) {
      const device = leafOf(topic) === 'info' && parentOf(parentOf(topic)) === base ? deviceOfInfo(base, topic, payload) : undefined;
      if (device) this.#devices.set(parentOf(topic), device);
    }
    for (const [topic, payload] of own) {
      const place = leafOf(topic) === 'record' ? this.#deviceAt(topic) : undefined;
      const record = place && readRecord(base, place.device.name, topic, payload);
      if (!record) continue;
      this.#records.set(parentOf(topic), record);
      const levels = record.feature.split('.');
      for (let depth = 1; depth < levels.length; depth += 1) this.#scopes.add(`${place.at} ${levels.slice(0, depth).join('.')}`);
    }
  }

  #deviceAt(topic: string): { readonly device: OwnDevice; readonly at: string } | undefined {
    const [level = ''] = topic.slice(this.#base.length + 1).split('/');
    const at = `${this.#base}/${level}`;
    const device = this.#devices.get(at);
    return device && { device, at };
  }

  find(topic: string): OwnTopic | undefined {
    const parent = parentOf(topic);
    const leaf = leafOf(topic);
    if (parent === `${this.#base}/bridge`) return BRIDGE_LEAVES.includes(leaf) ? { topic, kind: 'bridge' } : undefined;
    const place = this.#deviceAt(topic);
    if (!place) return undefined;
    const { device, at } = place;
    if (parent === at) return leaf === 'availability' || leaf === 'info' ? { topic, kind: 'device', device, leaf } : undefined;
    const record = this.#records.get(parent);
    if (record) return record.leaves.has(leaf) ? { topic, kind: 'feature', device, name: record.feature, leaf } : undefined;
    const name = parent.slice(at.length + 1).replaceAll('/', '.');
    const [, circuit, water] = COMPOSITE.exec(name) ?? [];
    const isMade = PARTS.some((part) => part === leaf) && this.#scopes.has(`${at} ${circuit ?? water}`);
    return isMade ? { topic, kind: 'composite', device, name, leaf } : undefined;
  }
}

/** The order of clearing: the `info` and `record` that prove ownership go after the topics that they prove. */
const rankOf = (own: OwnTopic): number => {
  switch (own.kind) {
    case 'bridge':
      return 4;
    case 'device':
      return own.leaf === 'info' ? 3 : 2;
    case 'feature':
      return own.leaf === 'record' ? 1 : 0;
    case 'composite':
      return 0;
    default:
      return own satisfies never;
  }
};

/**
 * The retained topics below `base` that a bridge with this base has published, in the order in which they can be cleared. Ownership is
 * proven by the retained messages alone: below a device with an `info`, the topics that the `record` of a feature lists, and the climates
 * and water heaters of those features. Other topics are left out.
 */
export const ownTopics = (base: string, retained: ReadonlyMap<string, string>): readonly OwnTopic[] => {
  const foreign = nestedBases(base, retained);
  const below = [...retained].filter(([topic]) => topic.startsWith(`${base}/`) && !foreign.some((start) => topic.startsWith(start)));
  const owners = new OwnerFinder(base, below);
  return below.flatMap(([topic]) => owners.find(topic) ?? []).sort((a, b) => rankOf(a) - rankOf(b));
};

/** The topics of `ownTopics`. */
export const topicsOfBridge = (base: string, retained: ReadonlyMap<string, string>): string[] =>
  ownTopics(base, retained).map(({ topic }) => topic);
