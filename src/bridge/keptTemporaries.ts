import { isRecord } from '../base/json.ts';
import type { Json } from '../features/feature.ts';
import { DAYS } from '../schedule/week.ts';
import type { Part, Temporary } from './temporary.ts';

/**
 * A temporary write that was sent: `topic` and `id` of its message, by which the journal knows it. `possible`: its answer was lost, and no
 * read has shown it yet.
 */
export type OnItsWay = Temporary & { readonly topic: string; readonly id?: string | number; readonly possible?: true };

/** What ends by itself on one feature, and what is about to take its place. */
export type Kept = { readonly running?: Temporary; readonly sending?: OnItsWay };

/** The file's object. */
export const printKept = (all: Iterable<Kept>): object => ({ features: [...all] });

/** What the file holds; what makes no sense in it counts as missing. */
export const readKept = (stored: unknown): readonly Kept[] => {
  const features = isRecord(stored) && Array.isArray(stored['features']) ? stored['features'] : [];
  return features.flatMap((raw: unknown): readonly Kept[] => {
    if (!isRecord(raw)) return [];
    const [running, sending] = [readTemporary(raw['running']), readOnItsWay(raw['sending'])];
    return running || sending ? [{ ...(running ? { running } : {}), ...(sending ? { sending } : {}) }] : [];
  });
};

const readOnItsWay = (raw: unknown): OnItsWay | undefined => {
  const temporary = readTemporary(raw);
  if (!temporary || !isRecord(raw)) return undefined;
  const { topic, id, possible } = raw;
  if (typeof topic !== 'string') return undefined;
  return {
    ...temporary,
    topic,
    ...(typeof id === 'string' || typeof id === 'number' ? { id } : {}),
    ...(possible === true ? { possible } : {}),
  };
};

const readTemporary = (raw: unknown): Temporary | undefined => {
  if (!isRecord(raw)) return undefined;
  const { device, feature, command, untilMs, parts } = raw;
  if (typeof device !== 'string' || typeof feature !== 'string' || typeof command !== 'string') return undefined;
  if (typeof untilMs !== 'number' || !Number.isSafeInteger(untilMs) || !Array.isArray(parts)) return undefined;
  const known = parts.flatMap((part: unknown) => readPart(part) ?? []);
  return known.length > 0 && known.length === parts.length ? { device, feature, command, untilMs, parts: known } : undefined;
};

const readPart = (raw: unknown): Part | undefined => {
  if (!isRecord(raw)) return undefined;
  const { property, day: named, written, former } = raw;
  const day = DAYS.find((known) => known === named);
  if (typeof property !== 'string' || (named !== undefined && day === undefined)) return undefined;
  if (!isJson(written) || !isJson(former)) return undefined;
  return { property, ...(day === undefined ? {} : { day }), written, former };
};

// What came out of JSON.parse is JSON all the way down.
const isJson = (value: unknown): value is Json => value !== undefined && value !== null;
