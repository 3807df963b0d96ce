import { PARTS } from '../features/composites/composite.ts';
import { DAYS } from '../schedule/week.ts';
import { isRecord, jsonObject } from '../shared/json.ts';
import { decodeLevel, deviceTopic, encodeLevel, featureTopic, RESERVED } from './topicNames.ts';

const BRIDGE_LEAVES = ['state', 'info', 'health', 'quota', 'auth'];
/** What a property of type Schedule has beside itself. */
const SCHEDULE_LEAVES = ['entries', 'text', ...DAYS, 'profile', 'now', 'next', 'next_at'];
const COMPOSITE = /^((?:heating\.circuits|rooms)\.\d+)\.climate$|^(heating\.dhw)\.water_heater$/;

/** The device of a topic, as its `info` names it. */
type OwnDevice = { readonly name: string; readonly gateway: string; readonly device: string };

/** A retained topic that a bridge has published, with what it belongs to. */
export type OwnTopic = { readonly topic: string } & (
  | { readonly kind: 'bridge' }
  | { readonly kind: 'device'; readonly device: OwnDevice; readonly leaf: 'availability' | 'info' }
  | { readonly kind: 'feature' | 'composite'; readonly device: OwnDevice; readonly name: string; readonly leaf: string }
);

const parentOf = (topic: string): string => topic.slice(0, topic.lastIndexOf('/'));
const leafOf = (topic: string): string => topic.slice(topic.lastIndexOf('/') + 1);

/** Bases below ours that a bridge of their own has: `haus/keller` below `haus`. */
const nestedBases = (base: string, retained: ReadonlyMap<string, string>): string[] =>
  [...retained.keys()].flatMap((topic) => {
    const inner = topic.endsWith('/bridge/state') ? parentOf(parentOf(topic)) : '';
    return inner.length > base.length && retained.has(`${inner}/bridge/health`) ? [`${inner}/`] : [];
  });

/** The device whose `info` this is; undefined where a bridge did not write it for this topic. */
const deviceOfInfo = (base: string, topic: string, payload: string): OwnDevice | undefined => {
  const info = jsonObject(payload);
  if (typeof info?.installation !== 'string' || typeof info.gateway !== 'string' || typeof info.device !== 'string') return undefined;
  const name = typeof info.name === 'string' ? info.name : decodeLevel(leafOf(parentOf(topic)));
  if (name === undefined || deviceTopic(base, name, 'info') !== topic) return undefined;
  return { name, gateway: info.gateway, device: info.device };
};

type RecordOfFeature = { readonly feature: string; readonly leaves: ReadonlySet<string> };

/** The feature that a `record` of the device describes, with the last levels that it has topics for; undefined where it is no record for this topic. */
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
      // The end of a write that ends by itself.
      ...(Object.keys(commands).length > 0 ? ['until'] : []),
    ]),
  };
};

/** What a bridge with this base can prove to have published below it, by the topic of each `info` and `record` that lies there. */
class Proof {
  readonly #base: string;
  readonly #devices = new Map<string, OwnDevice>();
  /** By the topic above the record. */
  readonly #records = new Map<string, RecordOfFeature>();
  /** Features by the topic of their device, each with all names above it: `heating`, `heating.circuits` … */
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

  of(topic: string): OwnTopic | undefined {
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

/** In this order topics can be taken away, so that what is left after half of it still shows whose it is. */
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
 * Which of the retained topics below `base` a bridge with this base has published, told by what lies there alone: its own, and below a
 * device with an `info` what the `record` of a feature names, and the composites of those features. Whatever else lies there is not
 * touched. In the order in which they can be taken away.
 */
export const ownTopics = (base: string, retained: ReadonlyMap<string, string>): readonly OwnTopic[] => {
  const foreign = nestedBases(base, retained);
  const below = [...retained].filter(([topic]) => topic.startsWith(`${base}/`) && !foreign.some((start) => topic.startsWith(start)));
  const proof = new Proof(base, below);
  return below.flatMap(([topic]) => proof.of(topic) ?? []).sort((a, b) => rankOf(a) - rankOf(b));
};

/** The topics of `ownTopics`. */
export const topicsOfBridge = (base: string, retained: ReadonlyMap<string, string>): string[] =>
  ownTopics(base, retained).map(({ topic }) => topic);
