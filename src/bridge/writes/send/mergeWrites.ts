import type { Feature } from '../../../features/feature.ts';
import { changedDays, mergeWeeks } from '../../../schedule/week.ts';
import { type Decision, type PlannedWrite, type Sending, sendWeek } from '../parse/evaluate.ts';
import type { ParsedWrite } from '../parse/resolveWrite.ts';
import type { WaitingShare } from '../parse/waitingCommand.ts';
import type { DeviceRequest } from '../request/commandRequest.ts';
import type { Share } from './sentCommand.ts';

/** A command and its write. */
export type Member = { readonly request: DeviceRequest; readonly write: ParsedWrite };
/** A command, its resolved write, and the decision by `feature`. */
export type Decided = {
  /** Writes that waited for this one and go with it. */
  readonly joined?: readonly WaitingShare[];
  readonly request: DeviceRequest;
  readonly write: PlannedWrite;
  readonly decision: Exclude<Decision, { readonly kind: 'reject' }>;
  readonly feature: Feature;
};

/** The outcome of writes that were merged: at most one command with its shares, and the writes that it does not carry out. */
type Merged = {
  readonly sending: Sending | undefined;
  readonly shares: readonly Share[];
  readonly unchanged: readonly Decided[];
  /** Later writes have overwritten all of them. */
  readonly overwritten: readonly Decided[];
  /** It waits for others, or discards what waits. */
  readonly aside: readonly Decided[];
};

/** True for a write of a week, or of days of it, that may become one command with others. */
export const mergeable = (write: ParsedWrite): write is PlannedWrite =>
  'content' in write && write.content.kind === 'week' && !write.dryRun && write.envelope.ifRev === undefined && write.untilMs === undefined;

/** Lays written weeks over each other in their order. */
export const mergeWrites = (decided: readonly Decided[]): Merged => {
  const weeks = decided.flatMap((one) => (one.decision.written ? [{ ...one, ...one.decision.written }] : []));
  const [first] = weeks;
  if (!first) return NOTHING;
  const { week, outcomes } = mergeWeeks(first.present ?? first.week, weeks);
  const changed = first.present ? changedDays(first.present, week) : undefined;
  const command = weeks.find(({ decision }) => decision.kind === 'send')?.write.command;
  const sending = command === undefined || changed?.length === 0 ? undefined : sendWeek(command, { ...first, week });
  const rows = weeks.map((one, index) => {
    const { overwritten, kept } = outcomes[index] ?? { overwritten: [], kept: [] };
    // Where it is not known which days the command alters, all count.
    return { one, isWhole: overwritten.length === 0, named: kept, sent: changed ? kept.filter((day) => changed.includes(day)) : kept };
  });
  return {
    sending,
    shares: rows.flatMap(({ one: { request, write }, isWhole, sent, named }) => {
      if (!sending || sent.length === 0) return [];
      return [{ request, write, named, ...(isWhole ? { changed: sent } : { kept: sent }) }];
    }),
    unchanged: rows.filter(({ isWhole, sent }) => isWhole && sent.length === 0).map(({ one }) => one),
    overwritten: rows.filter(({ isWhole, sent }) => !isWhole && sent.length === 0).map(({ one }) => one),
    aside: [],
  };
};

const NOTHING: Merged = { sending: undefined, shares: [], unchanged: [], overwritten: [], aside: [] };

/** A single write goes as it is, also one of another kind. */
export const alone = (one: Decided): Merged => {
  const { request, write, decision, joined = [] } = one;
  if (decision.kind === 'unchanged') return { ...NOTHING, unchanged: [one] };
  if (decision.kind !== 'send') return { ...NOTHING, aside: [one] };
  const { command, written, changed } = decision;
  const days = { ...(written ? { named: written.named } : {}), ...(changed ? { changed } : {}) };
  const others = new Set(joined.flatMap(({ properties }) => properties));
  const own = [...(decision.effect?.values.keys() ?? [])].filter((name) => !others.has(name));
  const share = { request, write: { ...write, command }, ...days, ...(joined.length > 0 ? { properties: own } : {}) };
  return { ...NOTHING, sending: decision, shares: [share, ...joined] };
};
