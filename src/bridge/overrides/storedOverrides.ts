import * as z from 'zod/mini';
import type { Json } from '../../features/feature.ts';
import { DAYS } from '../../schedule/week.ts';
import { isRecord } from '../../shared/json.ts';

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
