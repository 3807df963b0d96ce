import * as z from 'zod/mini';
import type { Feature, Json } from '../../features/feature.ts';
import { DAYS } from '../../schedule/week.ts';
import { isRecord } from '../../shared/json.ts';
import type { Effect } from '../commands/evaluate.ts';
import { entriesOf, isSamePart, isSameValue, partsOf, partValue, withValue } from '../devices/valueParts.ts';

/** Beyond it a date has more than four digits for its year, and at last none at all. */
const LATEST_MS = Date.UTC(9999, 11, 31);

// What came out of JSON.parse is JSON all the way down.
const VALUE = z.custom<Json>((value) => value !== undefined && value !== null);

const PART = z.object({ property: z.string(), day: z.optional(z.enum(DAYS)), written: VALUE, former: VALUE });
/** One value that was replaced for a time. */
export type Part = Readonly<z.infer<typeof PART>>;

const TEMPORARY = z.object({
  /** The key in the journal of the write that made it. */
  key: z._default(z.number(), 0),
  /** `deviceKey` */
  device: z.string(),
  feature: z.string(),
  /** The command that wrote it. */
  command: z.string(),
  /** Epoch milliseconds, whole seconds. */
  untilMs: z.int().check(z.gte(0), z.lte(LATEST_MS)),
  parts: z.readonly(z.array(PART).check(z.minLength(1))),
});
/** A write to one feature that ends at a given time. */
export type Temporary = Readonly<z.infer<typeof TEMPORARY>>;

/** `possible`: its answer was lost, and no read has shown it yet. */
const SENT = z.extend(TEMPORARY, { possible: z.optional(z.literal(true)) });

/** A feature of a device, by `deviceKey`. */
export type Key = Pick<Temporary, 'device' | 'feature'>;
export const keyOf = ({ device, feature }: Key): string => `${device} ${feature}`;

/** The temporary write on one feature, and the sent one that is about to take its place. */
const KEPT = z.catch(z.object({ running: z.catch(z.optional(TEMPORARY), undefined), sending: z.catch(z.optional(SENT), undefined) }), {});
export type Kept = Readonly<z.infer<typeof KEPT>>;

/** What is stored, by key; what makes no sense in it counts as missing, and `leftOut` is told how many entries that are. */
export const readKept = (stored: ReadonlyMap<string, unknown>, leftOut: (entries: number) => void): ReadonlyMap<string, Kept> => {
  const kept = new Map([...stored].map(([key, raw]) => [key, KEPT.parse(raw)]));
  const missing = entriesIn(stored) - entriesIn(kept);
  if (missing > 0) leftOut(missing);
  return kept;
};

const entriesIn = (all: ReadonlyMap<string, unknown>): number =>
  [...all.values()].flatMap((one) => (isRecord(one) ? [one['running'], one['sending']] : [])).filter((one) => one !== undefined).length;

/**
 * The values that a command replaces on the feature as it was shown before, without unchanged ones; undefined where a former value is
 * missing, so that it cannot be restored.
 */
export const replacedBy = (effect: Effect, before: Feature): readonly Part[] | undefined => {
  const parts = partsOf(effect).map(({ value: written, ...part }) => ({ ...part, written, former: partValue(before, part) ?? null }));
  return parts.some(({ former }) => former === null) ? undefined : parts.filter((part) => !isSameValue(part, part.written, part.former));
};

/** `written` while the feature shows the written value, `former` where it shows the replaced one again, `other` for a third value. */
export const standingOf = (feature: Feature, part: Part): 'written' | 'former' | 'other' => {
  const shown = partValue(feature, part);
  if (isSameValue(part, shown, part.former)) return 'former';
  return isSameValue(part, shown, part.written) ? 'written' : 'other';
};

/** The name of the part in messages. */
export const nameOf = ({ property, day }: Part): string => day ?? property;

/**
 * Merges a newer temporary write with the older one on the feature: the parts of both, with the values before the first. Parts of the older
 * that were changed elsewhere since are dropped. `before` is the feature as it was shown before the newer.
 */
export const laidOver = (older: Temporary | undefined, newer: Temporary, before: Feature): Temporary => {
  const still = (older?.parts ?? []).filter((part) => standingOf(before, part) === 'written');
  const parts = newer.parts.map((part) => ({ ...part, former: still.find((one) => isSamePart(one, part))?.former ?? part.former }));
  return { ...newer, parts: [...still.filter((one) => !parts.some((part) => isSamePart(one, part))), ...parts] };
};

/** The rest of a temporary write after an ordinary write with this effect. Parts written with the same value stay. Undefined where nothing is left. */
export const withoutWritten = (temporary: Temporary, { values, days }: Effect): Temporary | undefined => {
  const isOverwritten = (part: Part): boolean => {
    const { property, day } = part;
    const value = values.get(property);
    if (value === undefined || (day !== undefined && days?.includes(day) === false)) return false;
    return !isSameValue(part, day === undefined ? value : entriesOf(value, day), part.written);
  };
  const parts = temporary.parts.filter((part) => !isOverwritten(part));
  if (parts.length === temporary.parts.length) return temporary;
  return parts.length > 0 ? { ...temporary, parts } : undefined;
};

/** With the shown values as the written ones: the platform may have adapted them. */
export const asShown = (temporary: Temporary, feature: Feature): Temporary => ({
  ...temporary,
  parts: temporary.parts.map((part) => ({ ...part, written: partValue(feature, part) ?? part.written })),
});

/** The feature as it will be after the temporary write. */
export const withoutTemporary = (feature: Feature, { parts }: Temporary): Feature =>
  parts.filter((part) => standingOf(feature, part) === 'written').reduce((shown, part) => withValue(shown, part, part.former), feature);
