import { isRecord } from '../base/json.ts';
import { jsonObject } from '../base/jsonObject.ts';
import { PARTS } from '../features/composite.ts';

const BRIDGE_LEAVES = ['state', 'info', 'health', 'quota', 'auth'];
const COMPOSITE = /\/(?:climate|water_heater)$/;

const parentOf = (topic: string): string => topic.slice(0, topic.lastIndexOf('/'));
const leafOf = (topic: string): string => topic.slice(topic.lastIndexOf('/') + 1);

const isRecordOfFeature = (payload: string | undefined): boolean => {
  const record = payload === undefined ? undefined : jsonObject(payload);
  return record !== undefined && typeof record.feature === 'string' && isRecord(record.properties) && isRecord(record.commands);
};

const isInfoOfDevice = (payload: string | undefined): boolean => {
  const info = payload === undefined ? undefined : jsonObject(payload);
  return typeof info?.installation === 'string' && typeof info.gateway === 'string' && typeof info.device === 'string';
};

/** Bases below ours that a bridge of their own has: `haus/keller` below `haus`. */
const nestedBases = (base: string, retained: ReadonlyMap<string, string>): string[] =>
  [...retained.keys()].flatMap((topic) => {
    const inner = topic.endsWith('/bridge/state') ? parentOf(parentOf(topic)) : '';
    return inner.length > base.length && retained.has(`${inner}/bridge/health`) ? [`${inner}/`] : [];
  });

/**
 * Which of the retained topics below `base` a bridge with this base has published, told by what lies there alone: its own, those beside a
 * feature's `record`, composites. In the order in which they can be taken away, so that what is left after half of it still shows whose it is.
 */
export const topicsOfBridge = (base: string, retained: ReadonlyMap<string, string>): string[] => {
  const foreign = nestedBases(base, retained);
  const rankOf = (topic: string): number | undefined => {
    if (!topic.startsWith(`${base}/`) || foreign.some((start) => topic.startsWith(start))) return undefined;
    const levels = topic.slice(base.length + 1).split('/');
    const leaf = leafOf(topic);
    if (levels[0] === 'bridge') return levels.length === 2 && BRIDGE_LEAVES.includes(leaf) ? 4 : undefined;
    const parent = parentOf(topic);
    if (levels.length === 2 && isInfoOfDevice(retained.get(`${parent}/info`)))
      return leaf === 'availability' ? 2 : leaf === 'info' ? 3 : undefined;
    if (isRecordOfFeature(retained.get(`${parent}/record`))) return leaf === 'record' ? 1 : 0;
    return COMPOSITE.test(parent) && PARTS.some((part) => part === leaf) ? 0 : undefined;
  };
  return [...retained.keys()]
    .flatMap((topic) => {
      const rank = rankOf(topic);
      return rank === undefined ? [] : [{ topic, rank }];
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ topic }) => topic);
};
