import type { Feature } from '../../features/feature.ts';
import { changedDays, type Day, mergeWeeks, type Week } from '../../schedule/week.ts';
import type { CommandResult, DeviceRequest } from '../commands/commandRequest.ts';
import { type Decision, type Sending, sendWeek, type WholeWeek, type Write } from '../commands/evaluate.ts';
import type { ParsedWrite } from '../commands/resolveWrite.ts';
import type { Share } from './sentCommand.ts';

/** A command and its write. */
export type Member = { readonly request: DeviceRequest; readonly write: ParsedWrite };
/** A command, its resolved write, and the decision by `feature`. */
export type Decided = { readonly request: DeviceRequest; readonly write: Write; readonly decision: Decision; readonly feature: Feature };

/** The outcome of writes that were merged: at most one command with its shares, and the writes that it does not carry out. */
type Merged = {
  readonly sending?: Sending;
  readonly shares: readonly Share[];
  readonly unchanged: readonly Decided[];
  /** Later writes have overwritten all of them. */
  readonly overwritten: readonly Decided[];
};

/** True for a write of a week, or of days of it, that may become one command with others. */
export const mergeable = (write: ParsedWrite): write is Write =>
  'content' in write && write.content.kind === 'week' && !write.dryRun && write.envelope.ifRev === undefined && write.untilMs === undefined;

/** The result of a write that a later one has overwritten, except for the days in `kept`. */
export const superseded = ({ kept = [] }: { readonly kept?: readonly Day[] } = {}): CommandResult => ({
  status: 'superseded',
  message:
    kept.length > 0
      ? `a later write replaced the other days before this was sent; ${kept.join(', ')} ${kept.length > 1 ? 'were' : 'was'} sent`
      : 'a later write replaced all of this before it was sent',
  kept,
});

/** Lays written weeks over each other in their order; of refused ones there are none here. A single write of another kind goes as it is. */
export const mergeWrites = (decided: readonly Decided[]): Merged => {
  const weeks = decided.flatMap((one) =>
    one.decision.kind !== 'reject' && one.decision.written ? [{ ...one, ...one.decision.written }] : [],
  );
  const [first] = weeks;
  if (!first || decided.length === 1) return alone(decided);
  const { week, outcomes } = mergeWeeks(first.present ?? first.week, weeks);
  const changed = first.present ? changedDays(first.present, week) : undefined;
  const sending = changed?.length === 0 ? undefined : sendingOf(weeks, first, week);
  const rows = weeks.map((one, index) => ({ one, ...ofDays(outcomes[index], changed) }));
  return {
    ...(sending ? { sending } : {}),
    shares: rows.flatMap(({ one, isWhole, sent, named }) => {
      if (!sending || sent.length === 0) return [];
      return [{ request: one.request, write: one.write, named, ...(isWhole ? { changed: sent } : { kept: sent }) }];
    }),
    unchanged: rows.filter(({ isWhole, sent }) => isWhole && sent.length === 0).map(({ one }) => one),
    overwritten: rows.filter(({ isWhole, sent }) => !isWhole && sent.length === 0).map(({ one }) => one),
  };
};

const NO_DAYS: ReturnType<typeof mergeWeeks>['outcomes'][number] = { overwritten: [], kept: [] };

/** `changed`: the days that the command alters; where that is not known, all days count. */
const ofDays = (
  { overwritten, kept } = NO_DAYS,
  changed?: readonly Day[],
): { readonly isWhole: boolean; readonly named: readonly Day[]; readonly sent: readonly Day[] } => ({
  isWhole: overwritten.length === 0,
  named: kept,
  sent: changed ? kept.filter((day) => changed.includes(day)) : kept,
});

const sendingOf = (decided: readonly Decided[], written: WholeWeek, week: Week): Sending | undefined => {
  const command = decided
    .map(({ decision }) => (decision.kind === 'send' ? decision.command : undefined))
    .find((name) => name !== undefined);
  return command === undefined ? undefined : sendWeek(command, { ...written, week });
};

const alone = (decided: readonly Decided[]): Merged => {
  const shares: Share[] = [];
  const unchanged: Decided[] = [];
  let sending: Sending | undefined;
  for (const one of decided) {
    const { request, write, decision } = one;
    if (decision.kind === 'unchanged') unchanged.push(one);
    if (decision.kind !== 'send') continue;
    sending = decision;
    const named = decision.written && { named: decision.written.named };
    const changed = decision.changed && { changed: decision.changed };
    shares.push({ request, write: { ...write, command: decision.command }, ...named, ...changed });
  }
  return { ...(sending ? { sending } : {}), shares, unchanged, overwritten: [] };
};
