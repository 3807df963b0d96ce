import * as z from 'zod/mini';
import type { Json } from '../../../features/feature.ts';
import { DAYS } from '../../../schedule/week.ts';
import type { StoredWrite } from '../../ports.ts';
import type { Effect } from '../../state/valueParts.ts';

// What came out of JSON.parse is JSON all the way down.
const VALUE = z.custom<Json>();
const PRESENT = z.custom<Json>((value) => value !== null);
const VALUES = z.record(z.string(), VALUE);
const PLACE = { property: z.string(), day: z.optional(z.enum(DAYS)) };
/** Beyond it a date has more than four digits for its year, and at last none at all. */
const LATEST_MS = Date.UTC(9999, 11, 31);
/** Epoch milliseconds. */
const INSTANT = z.int().check(z.gte(0), z.lte(LATEST_MS));
const STATUS = z.enum(['accepted', 'applied', 'unconfirmed', 'failed', 'rejected', 'superseded', 'unchanged', 'valid']);

/** A member of which other rows of an earlier run make no sense is left out, not the whole write. */
const lenient = <T extends z.ZodMiniType>(schema: T) => z.catch(z.optional(schema), undefined);

const BEFORE = z.object({ ...PLACE, values: z.readonly(z.array(VALUE)) });
const CHANGE = z.object({ ...PLACE, written: VALUE, former: z.optional(VALUE), lasting: z.optional(VALUE) });
/** `former` was shown before the write: where an older temporary write had made it, that one says what comes back. */
const END_PART = z.object({ ...PLACE, written: PRESENT, former: PRESENT });
const END = z.object({
  untilMs: INSTANT,
  parts: z.readonly(z.array(END_PART).check(z.minLength(1))),
  /** No read has shown it yet: what looks as if it had ended may be the platform that lags. */
  unseen: z.optional(z.literal(true)),
});
const OUTCOME = z.object({
  status: STATUS,
  code: z.optional(z.string()),
  message: z.optional(z.string()),
  /** What the final answer says beyond that, until it has arrived: the next run gives the same one. */
  more: lenient(VALUES),
});

const COMMON = {
  /** The name of the device in topics when the write came. */
  name: z.string(),
  /** The topic of the command. */
  topic: z.string(),
  id: lenient(z.union([z.string(), z.number()])),
  /** Who asked for it. */
  by: lenient(z.object({ kind: z.enum(['mqtt', 'page', 'end', 'season', 'calendar', 'price']), user: z.optional(z.string()) })),
};

const QUEUED = z.object({
  state: z.literal('queued'),
  ...COMMON,
  /** Its final answer, until that has arrived. */
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
  /** Its final answer, until that has arrived. */
  outcome: lenient(OUTCOME),
});

const SENT = z.object({
  state: z.enum(['sent', 'lost', 'accepted', 'settled', 'failed']),
  ...COMMON,
  command: z.string(),
  /** The composite, where the command was for one. */
  composite: lenient(z.string()),
  /** What was written, where it went to the nearest step. */
  rounded: lenient(z.union([z.number(), z.record(z.string(), z.number())])),
  /** The key of the first of the writes that went as one command; its own where it is missing. */
  group: lenient(z.number()),
  /** What it shows by property, and of a week the days; absent where no effect can be predicted, and where nothing is open. */
  values: lenient(VALUES),
  days: lenient(z.readonly(z.array(z.enum(DAYS)))),
  /** What reads may show before it is carried out: of its values, else the revisions of the feature. */
  before: lenient(z.readonly(z.array(BEFORE))),
  revsBefore: lenient(z.readonly(z.array(z.string()))),
  /** What it changes of what was shown, absent where that is not known. */
  change: lenient(z.readonly(z.array(CHANGE))),
  /** It brings former values back; `restore` is a revert over what somebody else has written. */
  purpose: lenient(z.enum(['undo', 'revert', 'restore'])),
  /** Of an undo: the group that it takes back, with all that came later on the feature. */
  undoes: lenient(z.number()),
  /** True while an undo can take it back. */
  isUndoable: lenient(z.literal(true)),
  /** As it was written: when it ends. */
  until: lenient(INSTANT),
  /** Without an end of its own, over a temporary write, which goes on where no read shows this one. */
  over: lenient(z.literal(true)),
  /** The device ends it by itself, at the time that its command names. */
  endsItself: lenient(z.literal(true)),
  /** While it is active: when it ends, and which values come back then. */
  end: lenient(END),
  /** The platform said that it adapted the values. */
  adapted: lenient(z.literal(true)),
  /** The answer of the platform was lost, and no read has shown the write. */
  isPossible: lenient(z.literal(true)),
  /** Of a week: the days that are sent of it and change something; those that are left where a later write replaced others. */
  changed: lenient(z.readonly(z.array(z.enum(DAYS)))),
  kept: lenient(z.readonly(z.array(z.enum(DAYS)))),
  /** What became of the command, as far as it is known. */
  outcome: lenient(OUTCOME),
  /** Its final answer: not given, given, or on the broker. */
  answer: z.catch(z.enum(['open', 'given', 'delivered']), 'open'),
});

const STORED = z.discriminatedUnion('state', [QUEUED, WAITING, SENT]);

/** The row of a write: its key, and when it came; from when it was sent, when that was (epoch milliseconds). `device` is a `deviceKey`. */
type Row = { readonly key: number; readonly at: number; readonly device: string; readonly feature: string };

/** Taken, not sent yet. */
export type QueuedWrite = Row & Readonly<z.infer<typeof QUEUED>>;
/** Waits for the other values of its command. */
export type WaitingWrite = Row & Readonly<z.infer<typeof WAITING>>;
/**
 * Sent. `sent`: on disk before the call. `lost`: the platform's answer was lost. `accepted`: the platform said yes, and no read has shown it.
 * `settled`: reads have shown what became of it. `failed`: the platform refused it.
 */
export type SentWrite = Row & Readonly<z.infer<typeof SENT>>;
/** What is kept of a write, in its states (docs/decisions/writes.md). */
export type Write = QueuedWrite | WaitingWrite | SentWrite;

export type Outcome = Readonly<z.infer<typeof OUTCOME>>;
/** What a write changes of one value. `former`: as it was shown before; `lasting`: without the temporary write that lay over it. */
export type ChangePart = Readonly<z.infer<typeof CHANGE>>;
export type End = Readonly<z.infer<typeof END>>;
/** A value that is replaced for a time. */
export type EndPart = Readonly<z.infer<typeof END_PART>>;

export const isSent = (write: Write): write is SentWrite => write.state !== 'queued' && write.state !== 'waiting';

/** The key of its command: several writes of a week can be one command. */
export const groupOf = ({ key, group }: SentWrite): number => group ?? key;

/** What a write is expected to show; undefined where that cannot be predicted. */
export const effectOf = ({ values, days }: Pick<SentWrite, 'values' | 'days'>): Effect | undefined =>
  values && { values: new Map(Object.entries(values)), ...(days ? { days } : {}) };

/** True for what an undo can take back: not for what brings former values back, unless somebody else has written others. */
export const isChange = ({ purpose }: Pick<SentWrite, 'purpose'>): boolean => purpose === undefined || purpose === 'restore';

/** True while something of the write can still happen. */
export const isLive = (write: Write): boolean => {
  if (!isSent(write)) return true;
  const isOpen = write.answer !== 'delivered' || (write.state !== 'settled' && write.state !== 'failed');
  return isOpen || write.end !== undefined || write.over === true || write.isUndoable === true;
};

/** True for what the history shows: what was sent, as far as it is known what became of it. */
export const isListed = ({ outcome }: SentWrite): boolean => outcome !== undefined && outcome.status !== 'rejected';

/** A write of an earlier run; undefined where its row makes no sense. */
export const readWrite = ({ key, at, device, feature, facts }: Omit<StoredWrite, 'isLive' | 'isListed'>): Write | undefined => {
  const read = STORED.safeParse(facts).data;
  return read && at >= 0 && at <= LATEST_MS ? { ...read, key, at, device, feature } : undefined;
};
