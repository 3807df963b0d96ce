import * as z from 'zod/mini';
import type { Json } from '../../../features/feature.ts';
import { DAYS } from '../../../schedule/week.ts';
import type { StoredWrite } from '../../ports.ts';
import type { Effect } from '../../state/valueParts.ts';

// The result of JSON.parse is JSON throughout.
const VALUE = z.custom<Json>();
const PRESENT = z.custom<Json>((value) => value !== null);
const VALUES = z.record(z.string(), VALUE);
const PLACE = { property: z.string(), day: z.optional(z.enum(DAYS)) };
/** A later year needs more than four digits, and much later dates do not exist. */
const LATEST_MS = Date.UTC(9999, 11, 31);
/** Epoch milliseconds. */
const INSTANT = z.int().check(z.gte(0), z.lte(LATEST_MS));
const STATUS = z.enum(['accepted', 'applied', 'unconfirmed', 'failed', 'rejected', 'superseded', 'unchanged', 'valid']);

/** Drops an invalid member of an earlier run's row instead of the whole write. */
const lenient = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined);

const BEFORE = z.object({ ...PLACE, values: z.readonly(z.array(VALUE)) });
const CHANGE = z.object({ ...PLACE, written: VALUE, former: z.optional(VALUE), lasting: z.optional(VALUE) });
/** `former` was shown before the write. If it was temporary too, the older write has the value to restore. */
const END_PART = z.object({ ...PLACE, written: PRESENT, former: PRESENT });
const END = z.object({
  untilMs: INSTANT,
  parts: z.readonly(z.array(END_PART).check(z.minLength(1))),
  /** No read has shown it yet: a value that looks ended may be a lag of the platform. */
  unseen: z.optional(z.literal(true)),
});
const OUTCOME = z.object({
  status: STATUS,
  code: z.optional(z.string()),
  message: z.optional(z.string()),
  /** The rest of the final answer until it is delivered, so that the next run can repeat it. */
  more: lenient(VALUES),
});

const COMMON = {
  /** The name of the device in topics when the write came. */
  name: z.string(),
  /** The topic of the command. */
  topic: z.string(),
  id: lenient(z.union([z.string(), z.number()])),
  /** The author. */
  by: lenient(z.object({ kind: z.enum(['mqtt', 'page', 'end', 'season', 'calendar', 'price']), user: z.optional(z.string()) })),
};

const QUEUED = z.object({
  state: z.literal('queued'),
  ...COMMON,
  /** The final answer, until it is delivered. */
  outcome: lenient(OUTCOME),
});

const WAITING = z.object({
  state: z.literal('waiting'),
  ...COMMON,
  command: z.string(),
  /** By property. */
  values: VALUES,
  missing: z.readonly(z.array(z.string())),
  untilMs: INSTANT,
  /** The final answer, until it is delivered. */
  outcome: lenient(OUTCOME),
});

const SENT = z.object({
  state: z.enum(['sent', 'lost', 'accepted', 'settled', 'failed']),
  ...COMMON,
  command: z.string(),
  /** The composite that the command addressed. */
  composite: lenient(z.string()),
  /** The written value, if it was rounded to the nearest step. */
  rounded: lenient(z.union([z.number(), z.record(z.string(), z.number())])),
  /** The key of the first write of the same command; its own key where missing. */
  group: lenient(z.number()),
  /** Expected values by property, and days of a week; absent without a predictable effect, or once closed. */
  values: lenient(VALUES),
  days: lenient(z.readonly(z.array(z.enum(DAYS)))),
  /** What reads may show before the write: values, or else revisions of the feature. */
  before: lenient(z.readonly(z.array(BEFORE))),
  revsBefore: lenient(z.readonly(z.array(z.string()))),
  /** The changes to the shown values; absent where unknown. */
  change: lenient(z.readonly(z.array(CHANGE))),
  /** It restores former values; `restore` is a revert that also overwrites foreign values. */
  purpose: lenient(z.enum(['undo', 'revert', 'restore'])),
  /** For an undo: the group that it undoes, with all later writes to the feature. */
  undoes: lenient(z.number()),
  /** True while it can be undone. */
  isUndoable: lenient(z.literal(true)),
  /** The end as requested. */
  until: lenient(INSTANT),
  /** Without an end, over a temporary write, which stays in force until a read shows this write. */
  over: lenient(z.literal(true)),
  /** The device ends the write itself, at the time in its command. */
  endsItself: lenient(z.literal(true)),
  /** While in force: when it ends, and the values to restore. */
  end: lenient(END),
  /** The platform reported that it adapted the values. */
  adapted: lenient(z.literal(true)),
  /** The platform's answer was lost, and no read has shown the write. */
  isPossible: lenient(z.literal(true)),
  /** For a week: the sent days that change; and the sent days, where a later write replaced others. */
  changed: lenient(z.readonly(z.array(z.enum(DAYS)))),
  kept: lenient(z.readonly(z.array(z.enum(DAYS)))),
  /** The outcome of the command, as far as known. */
  outcome: lenient(OUTCOME),
  /** The final answer is not given, given, or delivered to the broker. */
  answer: z.catch(z.enum(['open', 'given', 'delivered']), 'open'),
});

const STORED = z.discriminatedUnion('state', [QUEUED, WAITING, SENT]);

/** `at`: when the write came or, once sent, when it was sent (epoch ms). `device`: a `deviceKey`. */
type Row = { readonly key: number; readonly at: number; readonly device: string; readonly feature: string };

/** Taken, not sent yet. */
export type QueuedWrite = Row & Readonly<z.infer<typeof QUEUED>>;
/** Waits for the other values of its command. */
export type WaitingWrite = Row & Readonly<z.infer<typeof WAITING>>;
/**
 * Sent. `sent`: on disk before the call. `lost`: no answer came. `accepted`: the platform said yes, but no
 * read has shown it. `settled`: reads have shown the outcome. `failed`: the platform refused it.
 */
export type SentWrite = Row & Readonly<z.infer<typeof SENT>>;
/** A stored write in any of its states (docs/decisions/writes.md). */
export type Write = QueuedWrite | WaitingWrite | SentWrite;

export type Outcome = Readonly<z.infer<typeof OUTCOME>>;
/** The change of one value. `former`: shown before; `lasting`: without the temporary write above it. */
export type ChangePart = Readonly<z.infer<typeof CHANGE>>;
export type End = Readonly<z.infer<typeof END>>;
/** A value that is replaced temporarily. */
export type EndPart = Readonly<z.infer<typeof END_PART>>;

export const isSent = (write: Write): write is SentWrite => write.state !== 'queued' && write.state !== 'waiting';

/** The key of the command's group: several writes of a week can be one command. */
export const groupOf = ({ key, group }: SentWrite): number => group ?? key;

/** What a write is expected to show; undefined where that cannot be predicted. */
export const effectOf = ({ values, days }: Pick<SentWrite, 'values' | 'days'>): Effect | undefined =>
  values && { values: new Map(Object.entries(values)), ...(days ? { days } : {}) };

/**
 * True for a write that an undo can revert: not for reverts and undos, except a `restore`, which overwrites a
 * change made elsewhere (the app).
 */
export const isChange = ({ purpose }: Pick<SentWrite, 'purpose'>): boolean => purpose === undefined || purpose === 'restore';

/** True while something can still happen to the write. */
export const isLive = (write: Write): boolean => {
  if (!isSent(write)) return true;
  const isOpen = write.answer !== 'delivered' || (write.state !== 'settled' && write.state !== 'failed');
  return isOpen || write.end !== undefined || write.over === true || write.isUndoable === true;
};

/** True for writes in the history: they have an outcome, and were not rejected. */
export const isListed = ({ outcome }: SentWrite): boolean => outcome !== undefined && outcome.status !== 'rejected';

/** A write of an earlier run; undefined where its row is invalid. */
export const readWrite = ({ key, at, device, feature, facts }: Omit<StoredWrite, 'isLive' | 'isListed'>): Write | undefined => {
  const read = STORED.safeParse(facts).data;
  return read && at >= 0 && at <= LATEST_MS ? { ...read, key, at, device, feature } : undefined;
};
