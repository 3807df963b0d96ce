import type { Json } from '../../features/feature.ts';
import { DAYS } from '../../schedule/week.ts';
import { isRecord } from '../../shared/json.ts';
import type { Part, Temporary } from './temporaryOverride.ts';

/** A temporary write that was sent. `possible`: its answer was lost, and no read has shown it yet. */
export type OnItsWay = Temporary & { readonly possible?: true };

/** What ends by itself on one feature, and what is about to take its place. */
export type Kept = { readonly running?: Temporary; readonly sending?: OnItsWay };

/** Beyond it a date has more than four digits for its year, and at last none at all. */
const LATEST_MS = Date.UTC(9999, 11, 31);

/** What is stored, by key; what makes no sense in it counts as missing, and `leftOut` is told how many entries that are. */
export const readKept = (
  stored: ReadonlyMap<string, unknown>,
  leftOut: (entries: number) => void = () => undefined,
): ReadonlyMap<string, Kept> => {
  let missing = 0;
  const kept = [...stored].map(([key, raw]): readonly [string, Kept] => {
    const entry = isRecord(raw) ? raw : {};
    const [running, sending] = [readTemporary(entry['running']), readOnItsWay(entry['sending'])];
    missing += [entry['running'] !== undefined && !running, entry['sending'] !== undefined && !sending].filter(Boolean).length;
    return [key, { ...(running ? { running } : {}), ...(sending ? { sending } : {}) }];
  });
  if (missing > 0) leftOut(missing);
  return new Map(kept);
};

const readOnItsWay = (raw: unknown): OnItsWay | undefined => {
  const temporary = readTemporary(raw);
  if (!temporary || !isRecord(raw)) return undefined;
  return raw['possible'] === true ? { ...temporary, possible: true } : temporary;
};

const readTemporary = (raw: unknown): Temporary | undefined => {
  if (!isRecord(raw)) return undefined;
  const { key = 0, device, feature, command, untilMs, parts } = raw;
  if (typeof key !== 'number') return undefined;
  if (typeof device !== 'string' || typeof feature !== 'string' || typeof command !== 'string') return undefined;
  if (typeof untilMs !== 'number' || !Number.isSafeInteger(untilMs) || untilMs < 0 || untilMs > LATEST_MS) return undefined;
  if (!Array.isArray(parts)) return undefined;
  const known = parts.flatMap((part: unknown) => readPart(part) ?? []);
  return known.length > 0 && known.length === parts.length ? { key, device, feature, command, untilMs, parts: known } : undefined;
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
