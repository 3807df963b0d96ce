import type { Feature } from '../../../features/feature.ts';
import { type Day, mergeWeeks } from '../../../schedule/week.ts';
import type { DeviceState } from '../../state/deviceState.ts';
import { type Decision, type PlannedWrite, type Sending, sendWeek } from '../parse/evaluate.ts';
import type { ParsedWrite, WaitingShare } from '../parse/resolveWrite.ts';
import type { DeviceRequest } from '../request/commandRequest.ts';

/** A command and its write. */
export type Member = { readonly request: DeviceRequest; readonly write: ParsedWrite };
/** A command, its resolved write, and the decision by `feature`. */
export type Decided = {
  /** Writes that waited for this one and are sent with it. */
  readonly joined?: readonly WaitingShare[];
  readonly request: DeviceRequest;
  readonly write: PlannedWrite;
  readonly decision: Exclude<Decision, { readonly kind: 'reject' }>;
  readonly feature: Feature;
};

/** One write's part of a command; `write.command` is the command that is sent. */
export type Share = {
  readonly request: DeviceRequest;
  readonly write: PlannedWrite;
  /** For a week: the days sent as this write names them, changed or not. */
  readonly named?: readonly Day[] | undefined;
  /** For a week: the days that this write changes. */
  readonly changed?: readonly Day[] | undefined;
  /** Set where several value writes became this command: the properties that this one wrote. */
  readonly properties?: readonly string[] | undefined;
  /** Set where this write had waited for the others: its key as a waiting write. */
  readonly waited?: number;
  /** Set where other writes of the command replaced the rest of this one: its days that are sent. */
  readonly kept?: readonly Day[];
};

/** One command on its way to the platform; `effect` is undefined where it cannot be predicted. */
export type SentCommand = Pick<Sending, 'command' | 'args' | 'effect' | 'undoes'> & {
  readonly state: DeviceState;
  readonly feature: string;
  /** The writes that it carries out: several where parts of a week were merged. */
  readonly shares: readonly Share[];
  /** The feature as it was shown before, with the pending values. */
  readonly before: Feature;
};

/** The outcome of a merge: at most one command, which is sent if it has shares, and the writes that it leaves out. */
type Merged = {
  readonly sending: Sending | undefined;
  readonly shares: readonly Share[];
  readonly unchanged: readonly Decided[];
  /** Writes that later ones have overwritten completely. */
  readonly overwritten: readonly Decided[];
  /** Writes that wait for others, or that discard waiting ones. */
  readonly changeWaiting: readonly Decided[];
};

/** True for a write of a week, or of days of it, that may become one command with others. */
export const mergeable = (write: ParsedWrite): write is PlannedWrite =>
  'content' in write && write.content.kind === 'week' && !write.dryRun && write.envelope.ifRev === undefined && write.untilMs === undefined;

/** Merges written weeks in their order. */
export const mergeWrites = (decided: readonly Decided[]): Merged => {
  const weeks = decided.flatMap((one) => (one.decision.written ? [{ ...one, ...one.decision.written }] : []));
  const [first] = weeks;
  if (!first) return NOTHING;
  const { week, outcomes } = mergeWeeks(first.week, weeks);
  const sending = sendWeek(first.write.command, { ...first, week });
  const { changed = [] } = sending;
  const rows = outcomes.map(({ write: one, overwritten, kept: named }) => {
    // Without a known present week all days count as changed.
    const sent = first.present ? named.filter((day) => changed.includes(day)) : named;
    return { one, isWhole: overwritten.length === 0, named, sent };
  });
  return {
    sending,
    shares: rows.flatMap(({ one: { request, write }, isWhole, sent, named }) => {
      if (sent.length === 0) return [];
      return [{ request, write, named, ...(isWhole ? { changed: sent } : { kept: sent }) }];
    }),
    unchanged: rows.filter(({ isWhole, sent }) => isWhole && sent.length === 0).map(({ one }) => one),
    overwritten: rows.filter(({ isWhole, sent }) => !isWhole && sent.length === 0).map(({ one }) => one),
    changeWaiting: [],
  };
};

const NOTHING: Merged = { sending: undefined, shares: [], unchanged: [], overwritten: [], changeWaiting: [] };

/** A single write is sent as it is, whatever its kind. */
export const alone = (one: Decided): Merged => {
  const { request, write, decision, joined = [] } = one;
  if (decision.kind === 'unchanged') return { ...NOTHING, unchanged: [one] };
  if (decision.kind !== 'send') return { ...NOTHING, changeWaiting: [one] };
  const { command, written, changed, effect } = decision;
  const others = new Set(joined.flatMap(({ properties }) => properties));
  const own = [...(effect?.values.keys() ?? [])].filter((name) => !others.has(name));
  const properties = joined.length > 0 ? own : undefined;
  const share = { request, write: { ...write, command }, named: written?.named, changed, properties };
  return { ...NOTHING, sending: decision, shares: [share, ...joined] };
};
