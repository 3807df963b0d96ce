import * as z from 'zod/mini';
import type { Json } from '../../features/feature.ts';
import { printInstant } from '../../schedule/zone.ts';
import type { DeviceRequest } from '../commands/commandRequest.ts';
import type { Write } from '../commands/evaluate.ts';
import type { DeviceState } from '../devices/deviceState.ts';
import { AUTHOR, ID, JSON_VALUE } from '../execution/journalRecovery.ts';

/** A write that waits for the other values of its command, as it goes with the last of them. */
export type Joined = {
  /** Its key among those that wait. */
  readonly waited: number;
  readonly request: DeviceRequest;
  readonly write: Write;
  /** What it wrote. */
  readonly properties: readonly string[];
};

/** What waits on a feature. */
export type Draft = {
  readonly command: string;
  readonly values: ReadonlyMap<string, Json>;
  readonly writes: readonly Joined[];
};

export type DraftOf = (state: DeviceState, feature: string) => Draft | undefined;

/** What is shown of a draft. */
export type ShownDraft = {
  readonly command: string;
  readonly values: Readonly<Record<string, Json>>;
  readonly missing: readonly string[];
  /** RFC 3339, in the zone of the device. */
  readonly since: string;
  readonly until: string;
};

const ENDED = z.object({
  status: z.enum(['superseded', 'rejected', 'unchanged']),
  code: z.optional(z.string()),
  message: z.optional(z.string()),
});

/** Epoch milliseconds. Beyond the last one a date has more than four digits for its year. */
const INSTANT = z.number().check(z.gte(0), z.lte(Date.UTC(9999, 11, 31)));

const KEPT = z.object({
  /** `deviceKey` */
  device: z.string(),
  /** The name of the device in topics when it was written. */
  name: z.string(),
  feature: z.string(),
  command: z.string(),
  topic: z.string(),
  id: z.catch(z.optional(ID), undefined),
  by: z.catch(z.optional(AUTHOR), undefined),
  /** By property. */
  values: z.record(z.string(), JSON_VALUE),
  missing: z.readonly(z.array(z.string())),
  sinceMs: INSTANT,
  untilMs: INSTANT,
  /** Its final answer, until that has arrived. */
  ended: z.catch(z.optional(ENDED), undefined),
});

/** A write that waits, as it is stored. */
export type KeptWrite = Readonly<z.infer<typeof KEPT>>;
/** What an earlier run has stored, by key. Rows that make no sense are named in `broken`. */
export const readKept = (
  stored: ReadonlyMap<string, unknown>,
): { readonly kept: ReadonlyMap<number, KeptWrite>; readonly broken: readonly string[] } => {
  const kept = new Map<number, KeptWrite>();
  const broken: string[] = [];
  for (const [name, value] of stored) {
    const key = Number(name);
    const write = KEPT.safeParse(value).data;
    if (write && Number.isSafeInteger(key)) kept.set(key, write);
    else broken.push(name);
  }
  return { kept, broken };
};

/** What is shown of these writes, which wait on one feature. */
export const shownDraft = (all: readonly KeptWrite[], zone: string): ShownDraft => {
  const values: Readonly<Record<string, Json>> = Object.assign({}, ...all.map((write) => write.values));
  const missing = new Set(all.flatMap((write) => write.missing));
  return {
    command: all.at(-1)?.command ?? '',
    values,
    missing: [...missing].filter((name) => !Object.hasOwn(values, name)),
    since: printInstant(Math.min(...all.map(({ sinceMs }) => sinceMs)), zone),
    until: printInstant(Math.min(...all.map(({ untilMs }) => untilMs)), zone),
  };
};
